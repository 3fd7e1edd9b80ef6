"""Contact planner on 60 boards of 27 pegs per square metre that nothing was tuned on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from serpenoid.control.kernel_law import WaveController
from serpenoid.planning import ContactPlanner, SamplingPlanner
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid_papers.base import Finding, Progress
from serpenoid_papers.contact_planning.boards import describe, run_all
from serpenoid_papers.learning.laws import short_law
from serpenoid_papers.sea_snake.boards import BoardConfig, Runs
from serpenoid_papers.sea_snake.comparisons import pool_ratio, words_of

JOINTS, FELT, WAVES, LAW = "joints", "joints, felt", "waves", "three lines"


@dataclass(frozen=True)
class Config(BoardConfig):
    """Configuration: 60 boards, one start each, 120 s."""

    densities: tuple[float, ...] = (27.0,)
    seeds: tuple[int, ...] = tuple(range(32_000, 32_060))
    """boards, not used for tuning"""
    starts: tuple[int, ...] = (0,)

    @classmethod
    def quick(cls) -> Self:
        return cls(seeds=tuple(range(32_000, 32_004)))

    @classmethod
    def tiny(cls) -> Self:
        return cls(seeds=(32_000,), duration=0.3)


def controllers() -> dict[str, WaveController]:
    """Return the contact planner with both maps, the sampling planner and the best law."""
    return {
        JOINTS: ContactPlanner(), FELT: ContactPlanner(map="felt"), WAVES: SamplingPlanner(threads=1), LAW: short_law(),
    }  # fmt: skip


def run(config: Config, progress: Progress) -> Runs:
    """Run all controllers on the same boards from the same starts."""
    return run_all(controllers(), config, "joints", progress)


def claims(result: Runs) -> list[Finding]:
    """Report the findings on C7 to C9."""
    ours = result[JOINTS]
    over = {f"{name} / joints": pool_ratio(result[name], ours, result.clusters) for name in (LAW, WAVES)}
    intervals = {name: ratio.interval() for name, ratio in over.items()}
    findings = [
        Finding("C7", {"out": float(ours["out"].mean())}, describe(result)), Finding("C8", intervals, words_of(over)),
        Finding("C9", intervals, "the runs of C8"),
    ]  # fmt: skip
    return [result.judged(finding) for finding in findings]


def figure(result: Runs, folder: Path) -> list[Path]:
    """Plot the share of boards left over time."""
    sheet = new_figure(6.0, 3.6)
    axes = dressed(sheet.add_subplot(1, 1, 1))
    for colour, (name, table) in zip(COLOURS, result.items()):
        times = np.sort(np.where(table["out"] > 0.5, table["time"], np.inf))
        axes.step(times, 100.0 * np.arange(1, times.size + 1) / times.size, color=colour, label=name, where="post")
    axes.legend(fontsize=8)
    labelled(axes, "time [s]", "boards left [%]", "Planned joints, planned waves and a law")
    return [write(sheet, folder / "joints.png")]
