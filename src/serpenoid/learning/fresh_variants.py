"""Variants that every episode draws for itself: the next one is ready before its episode starts in compiled code.

A row has two variants in turn. While an episode uses one, the other holds the draw of the next episode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from serpenoid.engines.planar import PlanarEngine
from serpenoid.errors import Unsupported
from serpenoid.learning.records import engine_of, first_state

if TYPE_CHECKING:
    from serpenoid.learning.stepper import Stepper


class FreshVariants:
    """Draws of all rows of a stepper; they depend on the row's seed and on the number of its episode alone."""

    def __init__(self, stepper: Stepper):
        self.stepper = stepper
        self.seeds, self.episodes = np.arange(stepper.count), np.zeros(stepper.count, dtype=np.int64)
        self.known = stepper.rows.variant.copy()  # variants whose successors are ready
        self.seed(np.arange(stepper.count), stepper.task.seed)

    def seed(self, rows: NDArray, seed: int) -> None:
        """Begin the series of episodes of some rows: row k of all has seed + k."""
        self.seeds[rows], self.episodes[rows] = seed + rows, 0
        for row in rows.tolist():
            self.prepare(row)

    def prepare_started(self) -> None:
        """Prepare the next episode of rows whose episode has started since the last call."""
        rows = self.stepper.rows
        for row in np.flatnonzero(rows.variant != self.known).tolist():
            self.known[row] = rows.variant[row]
            self.episodes[row] += 1
            self.prepare(row)

    def prepare(self, row: int) -> None:
        """Draw the scenario of a row's next episode."""
        stepper, number = self.stepper, 4 * row + 1 - int(self.known[row])
        draw = int(self.seeds[row]), int(self.episodes[row])
        scenario = stepper.task.variant(*draw)
        engine = engine_of(scenario)
        fine = engine.substeps if isinstance(engine, PlanarEngine) else 1
        if scenario.step / fine < stepper.record.step * (1.0 - 1e-9):
            raise Unsupported(f"a drawn scenario needs steps of {scenario.step / fine:g} s: use a smaller step")
        stepper.scenarios[number] = scenario
        stepper.record.starts[number, 0] = first_state(scenario, engine, (stepper.task.seed, *draw))
        stepper.part_of(row).replace(number, scenario, engine)
        self.make_room(engine)

    def make_room(self, engine: object) -> None:
        """Extend the neighbour lists of all rows if a board needs it, and have them made again."""
        stepper = self.stepper
        short = stepper.family.lists([engine])[1] - stepper.rows.near.shape[1]
        if short > 0:
            stepper.rows = stepper.rows._replace(near=np.pad(stepper.rows.near, ((0, 0), (0, short))))
            stepper.rows.seen[:] = np.inf
