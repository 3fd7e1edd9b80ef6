"""G7 and G8: effect of the step length, and the number of jams by stiffness of contacts and joint stops."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.statistics import Interval, bootstrap
from serpenoid.plotting.style import COLOURS, dressed, labelled, legend, new_figure, write
from serpenoid.robots import SeaSnake
from serpenoid.worlds.peg_board import PegTouch
from serpenoid_papers.base import Finding, Progress, SweepConfig
from serpenoid_papers.pegs.boards import BoardRuns, StoredRuns, boards

FREE = "1e+06, joints without stops"


@dataclass(frozen=True)
class Config(SweepConfig):
    """Configuration of the experiment."""

    boards: int = 200
    """number of boards of 24 to 30 pegs/m^2"""
    duration: float = 60.0
    """longest simulated time of a run [s]"""
    steps: tuple[float, ...] = (0.001, 0.0005, 0.00025)
    """integration steps [s]; the first is the reference"""
    stiffness: tuple[float, ...] = (3e4, 1e5, 3e5, 1e6, 3e6)
    """stiffness of contacts with pegs [N/m]"""
    controllers: tuple[str, ...] = ("open loop", "amplitude", "amplitude, wavelength")
    """controllers of the joints"""

    @classmethod
    def quick(cls) -> Config:
        """Use a tenth of the boards and one compliant law, which is too few for a verdict."""
        return cls(boards=20, controllers=("open loop", "amplitude"))

    @classmethod
    def tiny(cls) -> Config:
        return cls(boards=2, duration=0.5, stiffness=(1e6,), controllers=("open loop",))


class Result(NamedTuple):
    """Runs by controller and by the varied parameter."""

    steps: dict[str, dict[float, BoardRuns]]
    stiffness: dict[str, dict[str, BoardRuns]]


def run(config: Config, progress: Progress) -> Result:
    """Run the same boards, varying one parameter at a time."""
    kept = StoredRuns(config.store)
    steps: dict[str, dict[float, BoardRuns]] = {}
    stiffness: dict[str, dict[str, BoardRuns]] = {}
    for controller in config.controllers:
        progress(f"pegs: steps and stiffness, {controller}")
        runs = boards(config.boards, controller, config.duration)
        steps[controller] = {step: kept.ours([replace(one, step=step) for one in runs]) for step in config.steps}
        stiffness[controller] = {
            f"{k:g}": kept.ours([replace(one, world=replace(one.world, touch=PegTouch(stiffness=k))) for one in runs])
            for k in config.stiffness
        }
        free = SeaSnake(joint_limit=np.pi)
        stiffness[controller][FREE] = kept.ours(boards(config.boards, controller, config.duration, robot=free))
    return Result(steps, stiffness)


def pool_cycles(runs: BoardRuns) -> Interval:
    """Return cycles of all runs over metres of all runs, with a bootstrap interval over boards."""

    def ratio(rows: NDArray) -> float:
        return float(runs.cycles[rows].sum() / runs.distance[rows].sum())

    return bootstrap(ratio, np.arange(runs.out.size))


def claims(result: Result) -> list[Finding]:
    """Report pooled cycles per metre by step, and jams by stiffness."""
    measured: dict[str, Any] = {"runs": next(iter(next(iter(result.steps.values())).values())).out.size}
    for controller, runs in result.steps.items():
        first, *rest = (pool_cycles(r) for r in runs.values())
        inside = all(first.low <= other.value <= first.high for other in rest)
        values = {f"{1e3 * step:g} ms": pool_cycles(r).value for step, r in runs.items()}
        stuck = {f"stuck at {1e3 * step:g} ms": r.counts["stuck"] for step, r in runs.items()}
        measured[controller] = {**values, "low": first.low, "high": first.high, "inside": inside, **stuck}
    jams = {
        controller: {name: r.counts["stuck"] for name, r in runs.items()}
        for controller, runs in result.stiffness.items()
    }
    leave = {
        controller: {name: r.counts["out"] for name, r in runs.items()} for controller, runs in result.stiffness.items()
    }
    return [
        Finding("G7", measured, "pooled cycles per metre [1/m]; the interval is that of the longest step"),
        Finding("G8", jams, f"stuck runs by contact stiffness [N/m]; out of the board: {leave}"),
    ]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot stuck runs against contact stiffness."""
    sheet = new_figure(5.5, 3.4)
    axes = dressed(sheet.add_subplot(1, 1, 1))
    for i, (controller, runs) in enumerate(result.stiffness.items()):
        swept = {float(name): r.counts["stuck"] for name, r in runs.items() if name != FREE}
        axes.semilogx(list(swept), list(swept.values()), "o-", color=COLOURS[i], label=controller)
        axes.plot([1e6], [runs[FREE].counts["stuck"]], "x", color=COLOURS[i])
    labelled(axes, "contact stiffness [N/m]", "stuck runs", "Jams; crosses: joints without stops")
    legend(axes)
    return [write(sheet, folder / "jams.png")]
