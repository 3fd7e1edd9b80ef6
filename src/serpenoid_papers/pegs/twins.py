"""G3 to G6: outcomes on the same boards by our step, its slow reference, and MuJoCo with stiff contacts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.statistics import Interval, bootstrap, mcnemar
from serpenoid.plotting.style import COLOURS, dressed, labelled, legend, new_figure, write
from serpenoid_papers.base import Finding, Progress, SweepConfig
from serpenoid_papers.pegs.boards import BoardRuns, StoredRuns, boards
from serpenoid_papers.pegs.runs import by_mujoco, by_twin

STIFF, SOFT = "MuJoCo, stiff contacts", "MuJoCo, default contacts"
TWIN, OURS = "slow reference", "ours"
TURNED, NUDGE = "slow reference, start rotated by 1e-9 rad", 1e-9  # scatter of the reference itself


@dataclass(frozen=True)
class Config(SweepConfig):
    """Number and length of runs."""

    pairs: int = 80
    """boards, 24 to 30 pegs/m^2; the same for all"""
    duration: float = 60.0
    """longest simulated time of a run [s]"""
    turned: int = 20
    """boards on which the reference also starts rotated by 1e-9 rad"""
    twin_step: float = 1e-4
    """step of the slow reference [s]"""
    controllers: tuple[str, ...] = ("open loop", "amplitude")
    """controllers of the joints"""

    @classmethod
    def quick(cls) -> Config:
        """Use a few boards, which is too few for a verdict."""
        return cls(pairs=6)

    @classmethod
    def tiny(cls) -> Config:
        return cls(pairs=2, duration=0.5, twin_step=2e-4, controllers=("open loop",))


class Result(NamedTuple):
    """Runs by controller and by solver."""

    runs: dict[str, dict[str, BoardRuns]]


def run(config: Config, progress: Progress) -> Result:
    """Run every board by every solver."""
    kept = StoredRuns(config.store)
    found: dict[str, dict[str, BoardRuns]] = {}
    solvers = {
        TWIN: partial(by_twin, step=config.twin_step), TURNED: partial(by_twin, step=config.twin_step, turned=NUDGE),
        STIFF: partial(by_mujoco, stiff=True), SOFT: partial(by_mujoco, stiff=False),
    }  # fmt: skip
    for controller in config.controllers:
        runs = boards(config.pairs, controller, config.duration)
        found[controller] = {OURS: kept.ours(runs)}
        for name, solver in solvers.items():
            progress(f"pegs: {controller}, {name}")
            chosen = runs[: config.turned] if name == TURNED else runs
            found[controller][name] = kept.together(f"{name}, {solver.keywords}", solver, chosen)
    return Result(found)


def claims(result: Result) -> list[Finding]:
    """Report the differences of ours from the reference and from MuJoCo."""
    alike, apart, median, against = {}, {}, {}, {}
    scatter: dict[str, dict[str, Any]] = {}
    for controller, runs in result.runs.items():
        mine, twin = runs[OURS], runs[TWIN]
        alike[controller] = int((mine.outcome == twin.outcome).sum())
        apart[controller] = abs(mine.counts["stuck"] - twin.counts["stuck"])
        near = twin.at(slice(runs[TURNED].out.size))
        shifted = {OURS: median_shift(mine, twin), TURNED: median_shift(runs[TURNED], near)}
        median[controller] = shifted[OURS].value
        scatter[controller] = {name: tuple(round(100.0 * v, 2) for v in shift) for name, shift in shifted.items()}
        scatter[controller]["reference and its rotated start with the same outcome"] = int(
            (runs[TURNED].outcome == near.outcome).sum()
        )
        against[controller] = against_mujoco(runs)
    pairs = {"pairs": len(next(iter(result.runs.values()))[OURS].out)}
    compliant = {key: value for key, value in apart.items() if key != "open loop"}
    ends = {controller: {name: r.counts for name, r in runs.items()} for controller, runs in result.runs.items()}
    return [
        Finding(
            "G3", {**pairs, **alike}, f"runs with the same outcome (out, stuck or under way); all outcomes: {ends}"
        ),
        Finding("G4", {**pairs, **compliant}, "difference of the number of stuck runs"),
        Finding(
            "G5",
            {**pairs, **median},
            "relative difference of the median, ours against the reference; with its 95 % interval [%], and that "
            f"of the reference against itself: {scatter}",
        ),
        Finding("G6", {**pairs, **against}, "stuck or not, and out or not, paired by board"),
    ]


def median_shift(one: BoardRuns, other: BoardRuns) -> Interval:
    """Return the relative difference of the leavers' median cycles per metre, with a bootstrap interval over boards."""

    def shift(rows: NDArray) -> float:
        return one.at(rows).leavers_median / other.at(rows).leavers_median - 1.0

    return bootstrap(shift, np.arange(one.out.size))


def against_mujoco(runs: dict[str, BoardRuns]) -> dict[str, Any]:
    """Return p of McNemar's test on being stuck, and its counts."""
    stuck = {name: r.outcome == 1 for name, r in runs.items()}
    out = {name: r.outcome == 2 for name, r in runs.items()}
    return {
        "p, stuck, stiff": mcnemar(stuck[OURS], stuck[STIFF]), "p, out, stiff": mcnemar(out[OURS], out[STIFF]),
        "p, stuck, default": mcnemar(stuck[OURS], stuck[SOFT]),
        "p, stuck, reference against stiff": mcnemar(stuck[TWIN], stuck[STIFF]),
        **{f"stuck, {name}": int(which.sum()) for name, which in stuck.items()},
    }  # fmt: skip


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the numbers of out and stuck runs, by solver."""
    sheet = new_figure(4.0 * len(result.runs), 3.2)
    for i, (controller, runs) in enumerate(result.runs.items()):
        axes = dressed(sheet.add_subplot(1, len(result.runs), i + 1))
        place = np.arange(len(runs))
        for shift, name in ((-0.2, "out"), (0.2, "stuck")):
            values = [r.counts[name] for r in runs.values()]
            axes.bar(place + shift, values, 0.38, color=COLOURS[0 if shift < 0.0 else 1], label=name)
        axes.set_xticks(place, [fill(name, 12) for name in runs], fontsize=7)
        labelled(axes, "", "runs" if i == 0 else "", controller)
        if i == 0:
            legend(axes)
    return [write(sheet, folder / "solvers.png")]
