"""The boards and controllers that the experiments on peg boards share, and how runs are made side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.control import ShapeCompliance, SlitherWave
from serpenoid.scenarios.base import Quantity
from serpenoid.scenarios.slither_pegs import SlitherPegs
from serpenoid.worlds import PegBoard

DENSITIES = (24.0, 27.0, 30.0)  # of pegs, board by board in turn [1/m^2]
CONTROLLERS: dict[str, Callable[[], Any]] = {
    "open loop": SlitherWave,
    "amplitude": ShapeCompliance.presets()["slithering_a"],
    "amplitude, wavelength": ShapeCompliance.presets()["slithering_aw"],
}
MEASURES = ("out", "stuck", "cycles", "distance", "cycles_per_metre")


class Runs(NamedTuple):
    """What became of runs, each (boards,)."""

    out: NDArray
    stuck: NDArray
    cycles: NDArray
    distance: NDArray  # [m]
    cycles_per_metre: NDArray

    @property
    def outcome(self) -> NDArray:
        """2 out of the board, 1 stuck, 0 still under way when time was up."""
        return np.where(self.out > 0, 2, np.where(self.stuck > 0, 1, 0))

    @property
    def counts(self) -> dict[str, int]:
        """How many runs ended in which way."""
        return {name: int((self.outcome == code).sum()) for name, code in (("out", 2), ("stuck", 1), ("under way", 0))}

    @property
    def leavers_median(self) -> float:
        """Cycles per metre of those that left the board, median."""
        left = self.out > 0
        return float(np.median(self.cycles_per_metre[left])) if left.any() else float("nan")


def boards(count: int, controller: str, duration: float, **changed: Any) -> list[SlitherPegs]:
    """One run on each of so many boards."""
    law = CONTROLLERS[controller]()
    return [
        SlitherPegs(
            world=PegBoard(density=DENSITIES[seed % 3], seed=seed), controller=law, duration=duration, **changed
        )
        for seed in range(count)
    ]


def together(method: Callable[[SlitherPegs], dict[str, Quantity]], runs: Iterable[SlitherPegs]) -> Runs:
    """Measure runs, as many at a time as there are processors."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(method, runs))
    return Runs(*(np.array([float(one[name].value) for one in found]) for name in MEASURES))


def ours(runs: Iterable[SlitherPegs]) -> Runs:
    """By the step of the engine pegs."""
    return together(lambda scenario: scenario.summary(scenario.run()), runs)
