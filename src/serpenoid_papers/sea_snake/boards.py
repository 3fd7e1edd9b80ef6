"""Protocol PB: controllers by name, and their runs on boards as sweeps that resume after a kill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from math import pi, prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from serpenoid.control import ShapeCompliance
from serpenoid.control.kernel_law import WaveController
from serpenoid.scenarios.base import Scenario
from serpenoid.sweeps import Status
from serpenoid.sweeps.executors import cores
from serpenoid_papers.base import Finding, Progress, SweepConfig
from serpenoid_papers.complete_sweep import complete_sweep
from serpenoid_papers.sea_snake.trial import PegTrial

STARTS = ("start", "place", "repeat", "phase")  # axes that differ on the same board, row or pole
FEW = 3  # number of runs that one thread makes alone
CHUNK = 8  # runs per task of a thread; fewer if there are few, so that two threads share them
FEWEST = 10  # boards needed for a verdict


def preset(name: str) -> ShapeCompliance:
    """Return a configuration of the package."""
    return ShapeCompliance.presets()[name]()


def change_parameter(controller: ShapeCompliance, parameter: str, **fields: Any) -> ShapeCompliance:
    """Return the controller with changed fields of one parameter."""
    kept = tuple(replace(p, **fields) if p.name == parameter else p for p in controller.parameters)
    return replace(controller, parameters=kept)


def nominal(controller: ShapeCompliance, **values: float) -> ShapeCompliance:
    """Return the controller with changed fields of its gait."""
    gait: Any = controller.gait
    return replace(controller, gait=replace(gait, **values))


def open_loop_at(amplitude: float, **wave: float) -> ShapeCompliance:
    """Return OLm: open loop at an amplitude [rad], rounded to 0.01 so that a resumed sweep finds its store."""
    return nominal(preset("slithering_a").rigid(), amplitude=min(round(amplitude, 2), 0.5 * pi - 0.02), **wave)


@dataclass(frozen=True)
class BoardConfig(SweepConfig):
    """Boards and starts of a protocol."""

    densities: tuple[float, ...] = (24.0, 27.0, 30.0)
    """pegs per square metre"""
    seeds: tuple[int, ...] = tuple(range(40))
    """boards, not used for tuning"""
    starts: tuple[int, ...] = (0, 1)
    """starts on each board"""
    duration: float = 120.0
    """longest time [s]"""

    @classmethod
    def quick(cls) -> Self:
        return cls(densities=(27.0,), seeds=tuple(range(6)), starts=(0,))

    @classmethod
    def tiny(cls) -> Self:
        return cls(densities=(27.0,), seeds=(0, 1, 2), starts=(0,), duration=0.5)

    def over(self) -> dict[str, Sequence[Any]]:
        """Return the axes of the sweep."""
        return {"world.density": self.densities, "world.seed": self.seeds, "world.start": self.starts}


class Runs(dict[str, dict[str, NDArray]]):
    """Quantities (runs,) of each controller, and the board of each run."""

    clusters: NDArray
    axes: dict[str, NDArray]  # value of each axis, (runs,)

    def judged(self, finding: Finding) -> Finding:
        """Return a finding, marked as undecided if there are too few boards."""
        few = np.unique(self.clusters).size < FEWEST
        finding = self.with_failures(finding)
        return finding._replace(undecided="too few boards") if few else finding

    def with_failures(self, finding: Finding) -> Finding:
        """Return a finding that names the runs with errors; they count as stuck, fallen or failed."""
        broken = {
            name: int(np.all([np.isnan(v) for v in table.values()], axis=0).sum()) for name, table in self.items()
        }
        if any(broken.values()):
            named = ", ".join(f"{name} {count}" for name, count in broken.items() if count)
            return finding._replace(reason=f"{finding.reason}; runs with errors: {named}")
        return finding

    def chosen(self, mask: NDArray) -> Runs:
        """Return only some runs."""
        found = Runs({name: {q: v[mask] for q, v in table.items()} for name, table in self.items()})
        found.clusters = self.clusters[mask]
        found.axes = {name: values[mask] for name, values in self.axes.items()}
        return found


def run_trials(
    trials: Mapping[str, Scenario], over: Mapping[str, Sequence[Any]], store: str | None, name: str, progress: Progress
) -> Runs:
    """Run every trial over the same axes, or trials of one run in parallel; stores are named after the trials."""
    found, cells = Runs(), prod(len(values) for values in over.values())
    with nullcontext(store) if store else TemporaryDirectory() as folder, ThreadPoolExecutor(cores()) as pool:

        def run_trial(controller: str) -> dict[str, NDArray]:
            word = "".join(c if c.isalnum() else "_" for c in controller)
            path, chunk = Path(folder) / f"{name}_{word}.zarr", min(CHUNK, -(-cells // 2) if cells > FEW else cells)
            data = complete_sweep(
                trials[controller], over, path, chunk=chunk, progress=reporter(controller, progress)
            ).load()  # fmt: skip
            return {str(q): np.asarray(data[q].values, dtype=float).ravel() for q in data.data_vars}

        found.update(zip(trials, pool.map(run_trial, trials) if cells == 1 else map(run_trial, trials)))
    axes = [axis.rpartition(".")[2] for axis in over]
    grid = np.meshgrid(*(np.asarray(values, dtype=float) for values in over.values()), indexing="ij")
    found.axes = {axis: values.ravel() for axis, values in zip(axes, grid)}
    boards = [values for axis, values in found.axes.items() if axis not in STARTS]
    boards = boards or [np.zeros_like(grid[0].ravel())]
    found.clusters = np.unique(np.column_stack(boards), axis=0, return_inverse=True)[1].ravel()
    return found


def reporter(controller: str, progress: Progress) -> Any:
    """Return a callback that reports the progress of a sweep, about every 40 runs."""
    reported = [0]

    def tell(status: Status) -> None:
        if status.done_here >= reported[0] + 40:
            reported[0] = status.done_here
            progress(f"  {controller}: {status.done} of {status.total} runs in {status.seconds:.0f} s")

    return tell


def on_boards(laws: Mapping[str, WaveController], config: BoardConfig, name: str, progress: Progress) -> Runs:
    """Run some controllers on the boards of a configuration."""
    trials = {word: PegTrial(controller=law, duration=config.duration) for word, law in laws.items()}  # type: ignore[arg-type]
    return run_trials(trials, config.over(), config.store, name, progress)
