"""Cache of MuJoCo's quantities at the samples of a run, kept until its trajectory is requested."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.contact.samples import TOUCH, Survey

TOUCHES = 3  # single contacts stored per link
MOST = 8192  # stored samples; older ones are recomputed by a forward pass
SAME = 1e-12  # tolerance for equal commands [rad, rad/s, N m]


def empty_survey(samples: int, links: int, joints: int, numbers: int) -> Survey:
    """Return a Survey to be filled."""
    return Survey(
        np.empty((samples, links, 3)), np.empty((samples, links, 4)), np.empty((samples, links, 3)),
        np.empty((samples, links, 3)), np.empty((samples, 3)), np.empty((samples, 3)), np.empty((samples, 6)),
        np.empty((samples, 2)),
        np.empty((samples, joints)), np.empty((samples, links, 3)), np.empty((samples, TOUCHES * links, TOUCH)),
        np.full(samples, -1), np.empty((samples, numbers)), np.empty((samples, 3, joints)),
    )  # fmt: skip


class Notes:
    """Ring buffer of the latest samples."""

    def __init__(self, links: int, joints: int, numbers: int):
        self.sizes = (links, joints, numbers)
        self.none = self.rows = empty_survey(0, *self.sizes)
        self.used = 0  # rows so far, including overwritten ones

    def forget(self) -> None:
        """Start a new run; its samples overwrite those of the last one."""
        self.rows.number[:] = -1
        self.used = 0

    def room(self, samples: int) -> tuple[Survey, int]:
        """Return the buffer for the next samples and the row of the first one."""
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
        """Return the rows of these states (samples, numbers) under commands (3, samples, joints); -1 if not stored."""
        known = self.rows.number[: min(self.used, MOST)]
        if len(numbers) == 1:  # requested by a law; sorting is not needed
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
        """Return a Survey of the samples in these rows; missing ones come from `passed`."""
        if len(missing) == len(rows):
            return passed
        found = [known[rows] for known in self.rows]
        for part, computed in zip(found, passed):
            part[missing] = computed
        return Survey(*found)
