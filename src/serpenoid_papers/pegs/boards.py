"""Boards and controllers shared by the experiments on peg boards, and parallel runs on them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import to_plain
from serpenoid.control import OpenLoop, ShapeCompliance
from serpenoid.control.shape_compliance import THESIS_SLITHERING
from serpenoid.scenarios.base import Quantity
from serpenoid.scenarios.slither_pegs import SlitherPegs
from serpenoid.sweeps.plan import digest
from serpenoid.worlds import PegBoard

DENSITIES = (24.0, 27.0, 30.0)  # densities of pegs, cycled over the boards [1/m^2]
CONTROLLERS: dict[str, Callable[[], Any]] = {
    "open loop": partial(OpenLoop, THESIS_SLITHERING),  # the wave of the compliant laws
    "amplitude": ShapeCompliance.presets()["slithering_a"],
    "amplitude, wavelength": ShapeCompliance.presets()["slithering_aw"],
}
MEASURES = ("out", "stuck", "cycles", "distance", "cycles_per_metre")


class BoardRuns(NamedTuple):
    """Outcomes of runs, each (boards,)."""

    out: NDArray
    stuck: NDArray
    cycles: NDArray
    distance: NDArray  # [m]
    cycles_per_metre: NDArray

    @property
    def outcome(self) -> NDArray:
        """Outcome: 2 out of the board, 1 stuck, 0 under way at the end."""
        return np.where(self.out > 0, 2, np.where(self.stuck > 0, 1, 0))

    @property
    def counts(self) -> dict[str, int]:
        """Number of runs by outcome."""
        return {name: int((self.outcome == code).sum()) for name, code in (("out", 2), ("stuck", 1), ("under way", 0))}

    def at(self, rows: NDArray | slice) -> BoardRuns:
        """Return the runs on some boards."""
        return BoardRuns(*(part[rows] for part in self))

    @property
    def leavers_median(self) -> float:
        """Median cycles per metre of the runs that left the board."""
        left = self.out > 0
        return float(np.median(self.cycles_per_metre[left])) if left.any() else float("nan")


def boards(count: int, controller: str, duration: float, **changed: Any) -> list[SlitherPegs]:
    """Return one run on each of `count` boards."""
    law = CONTROLLERS[controller]()
    return [
        SlitherPegs(
            world=PegBoard(density=DENSITIES[seed % 3], seed=seed), controller=law, duration=duration, **changed
        )
        for seed in range(count)
    ]


class StoredRuns:
    """Measures of runs, stored as one line of a file each, so that an experiment resumes after an interruption."""

    def __init__(self, folder: str | None):
        self.path = Path(folder) / "runs.jsonl" if folder else None
        self.known: dict[str, dict[str, float]] = {}
        self.lock = Lock()
        if self.path is not None and self.path.exists():
            whole = [line for line in self.path.read_text().splitlines(keepends=True) if line.endswith("\n")]
            self.known = {row.pop("run"): row for row in map(json.loads, whole)}
            self.path.write_text("".join(whole))  # without a truncated last line

    def measured(self, solver: str, method: Callable[[SlitherPegs], dict[str, Quantity]], run: SlitherPegs) -> Any:
        """Return the stored measures of a run by a solver, or run it."""
        key = digest({"solver": solver, "run": to_plain(run)})
        if key not in self.known:
            found = method(run)
            row = {name: float(found[name].value) for name in MEASURES}
            with self.lock:
                self.known[key] = row
                if self.path is not None:
                    with self.path.open("a") as file:
                        file.write(json.dumps({"run": key, **row}) + "\n")
        return self.known[key]

    def together(
        self, solver: str, method: Callable[[SlitherPegs], dict[str, Quantity]], runs: Iterable[SlitherPegs]
    ) -> BoardRuns:
        """Return runs by a solver, computed in parallel on all processors."""
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = list(pool.map(lambda run: self.measured(solver, method, run), runs))
        return BoardRuns(*(np.array([one[name] for one in found]) for name in MEASURES))

    def ours(self, runs: Iterable[SlitherPegs]) -> BoardRuns:
        """Return runs by the step of the engine pegs."""
        return self.together("pegs", lambda scenario: scenario.summary(scenario.run()), runs)
