"""Sampling planner and laws on 300 boards of 27 pegs per square metre that nothing was tuned on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from serpenoid.control import OpenLoop
from serpenoid.control.kernel_law import WaveController
from serpenoid.planning import SamplingPlanner
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid_papers.base import Finding, Progress
from serpenoid_papers.contact_planning.criteria import LAWS
from serpenoid_papers.learning.laws import learned, rivals, short_law
from serpenoid_papers.sea_snake.boards import BoardConfig, Runs, on_boards
from serpenoid_papers.sea_snake.comparisons import pool_ratio, words_of

PLANNED = "planned"


@dataclass(frozen=True)
class Config(BoardConfig):
    """Configuration: 300 boards, one start each, 120 s."""

    densities: tuple[float, ...] = (27.0,)
    seeds: tuple[int, ...] = tuple(range(30_000, 30_300))
    """boards, not used for training or tuning"""
    starts: tuple[int, ...] = (0,)

    @classmethod
    def quick(cls) -> Self:
        return cls(seeds=tuple(range(30_000, 30_006)))

    @classmethod
    def tiny(cls) -> Self:
        return cls(seeds=(30_000, 30_001), duration=0.3)


def laws() -> dict[str, WaveController]:
    """Return the laws to compare with."""
    known, short = rivals(), short_law()
    return dict(zip(LAWS, (short, learned(), OpenLoop(short.gait), known["CPG"], known["AWP"])))


def run(config: Config, progress: Progress) -> Runs:
    """Run the planner that knows all pegs, and the laws."""
    planner = SamplingPlanner(threads=1)  # runs are parallel instead
    return run_all({PLANNED: planner, **laws()}, config, "boards", progress)


def run_all(controllers: dict[str, WaveController], config: BoardConfig, name: str, progress: Progress) -> Runs:
    """Run controllers on the same boards from the same starts, in stores whose names begin with `name`."""
    found = on_boards(controllers, config, name, progress)
    for table in found.values():
        table["energy"] = table["power"] * table["time"]
    return found


def claims(result: Runs) -> list[Finding]:
    """Report the findings on C1 to C4."""
    ours = result[PLANNED]
    over = {f"{name} / planned": pool_ratio(result[name], ours, result.clusters) for name in LAWS}
    work = {f"energy {name} / planned": pool_ratio(result[name], ours, result.clusters, "energy") for name in LAWS}
    out = {"out": float(ours["out"].mean())}
    found = [
        Finding("C1", out, describe(result)),
        Finding("C2", {name: ratio.interval() for name, ratio in over.items()}, words_of(over)),
        Finding("C3", out | {"cycles_per_metre": pooled(result, PLANNED, "cycles")}, "the runs of C1"),
        Finding("C4", {name: ratio.interval() for name, ratio in work.items()}, words_of(work)),
    ]
    return [result.judged(finding) for finding in found]


def describe(result: Runs) -> str:
    """Return boards left, cycles and energy per metre, and mean times as text."""
    return "; ".join(
        f"{name} {float(table['out'].mean()):.1%} out, {pooled(result, name, 'cycles'):.2f} cycles/m, "
        f"{pooled(result, name, 'energy'):.0f} J/m, {float(table['time'].mean()):.1f} s"
        for name, table in result.items()
    )


def pooled(runs: Runs, name: str, quantity: str) -> float:
    """Return a quantity of all runs over their distance."""
    return float(runs[name][quantity].sum() / runs[name]["distance"].sum())


def figure(result: Runs, folder: Path) -> list[Path]:
    """Plot the share of boards left over time, and cycles and energy per metre."""
    return [draw(result, folder / "boards.png")]


def draw(result: Runs, file: Path) -> Path:
    """Draw the comparison; the planner is the first controller."""
    sheet, planner = new_figure(12.0, 4.2), next(iter(result))
    left, middle, right = (dressed(sheet.add_subplot(1, 3, i + 1)) for i in range(3))
    for k, (name, table) in enumerate(result.items()):
        times, colour = np.sort(np.where(table["out"] > 0.5, table["time"], np.inf)), COLOURS[k % len(COLOURS)]
        left.step(times, 100.0 * np.arange(1, times.size + 1) / times.size, color=colour, label=name, where="post",
                  linewidth=2.0 if name == planner else 1.0)  # fmt: skip
        middle.bar(k, pooled(result, name, "cycles"), color=colour)
        right.bar(k, pooled(result, name, "energy"), color=colour)
    for axes in (middle, right):
        axes.set_xticks(range(len(result)), list(result), rotation=45, fontsize=8, ha="right")
    left.legend(fontsize=8)
    labelled(left, "time [s]", "boards left [%]", "Out of the pegs")
    labelled(middle, "", "pooled cycles per metre [1/m]", "Cycles per metre")
    labelled(right, "", "pooled energy per metre [J/m]", "Energy per metre")
    return write(sheet, file)
