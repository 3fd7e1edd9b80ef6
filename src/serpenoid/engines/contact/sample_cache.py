"""What a run in MuJoCo tells of its samples on the way, kept until its trajectory is asked for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.contact.samples import TOUCH, Survey

TOUCHES = 3  # single contacts kept, per link
MOST = 8192  # samples that are kept; of older ones a forward pass tells again
SAME = 1e-12  # difference up to which two commands are the same [rad, rad/s, N m]


def empty_survey(samples: int, links: int, joints: int, numbers: int) -> Survey:
    """A Survey to be filled."""
    return Survey(
        np.empty((samples, links, 3)), np.empty((samples, links, 4)), np.empty((samples, links, 3)),
        np.empty((samples, links, 3)), np.empty((samples, 3)), np.empty((samples, 3)), np.empty((samples, 6)),
        np.empty((samples, 2)),
        np.empty((samples, joints)), np.empty((samples, links, 3)), np.empty((samples, TOUCHES * links, TOUCH)),
        np.full(samples, -1), np.empty((samples, numbers)), np.empty((samples, 3, joints)),
    )  # fmt: skip


class Notes:
    """A ring of the latest samples."""

    def __init__(self, links: int, joints: int, numbers: int):
        self.sizes = (links, joints, numbers)
        self.none = self.rows = empty_survey(0, *self.sizes)
        self.used = 0  # rows so far, those that were written over included

    def forget(self) -> None:
        """A new run begins; its notes go where those of the last one were."""
        self.rows.number[:] = -1
        self.used = 0

    def room(self, samples: int) -> tuple[Survey, int]:
        """Where the next samples go, and in which row the first of them."""
        if samples == 0 or samples > MOST:
            return self.none, 0
        wanted = min(self.used + samples, MOST)
        if wanted > self.rows.number.size:
            old, size = self.rows, min(max(2 * self.rows.number.size, wanted, 64), MOST)
            self.rows = empty_survey(size, *self.sizes)
            for new, known in zip(self.rows, old):
                new[: self.used] = known[: self.used]
        row = self.used % MOST
        self.used += samples
        return self.rows, row

    def find(self, numbers: NDArray, states: NDArray, commands: NDArray) -> NDArray:
        """Rows that tell of these states (samples, numbers) under commands (3, samples, joints); -1: none does."""
        known = self.rows.number[: min(self.used, MOST)]
        if len(numbers) == 1:  # a law asks: no need of an order
            rows = np.flatnonzero(known == numbers[0])[-1:]
        elif known.size:
            order = np.argsort(known, kind="stable")
            rows = order[np.maximum(np.searchsorted(known[order], numbers, side="right") - 1, 0)]
        else:
            rows = known
        if not rows.size:
            return np.full(len(numbers), -1)
        led = self.rows.command[rows].transpose(1, 0, 2)
        same = (np.abs(led - commands) <= SAME) | (np.isnan(led) & np.isnan(commands))
        fits = (known[rows] == numbers) & (self.rows.state[rows] == states).all(axis=1) & same.all(axis=(0, 2))
        return np.where(fits, rows, -1)

    def merged(self, rows: NDArray, missing: NDArray, passed: Survey) -> Survey:
        """A Survey of samples that stand in these rows, but for the missing ones."""
        if len(missing) == len(rows):
            return passed
        found = [known[rows] for known in self.rows]
        for part, told in zip(found, passed):
            part[missing] = told
        return Survey(*found)
