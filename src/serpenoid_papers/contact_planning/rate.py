"""Time of a plan: the sampling planner on two threads, among all pegs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from serpenoid.planning import SamplingPlanner
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.scenarios.slither_pegs import SlitherPegs
from serpenoid.worlds import PegBoard
from serpenoid_papers.base import ExperimentConfig, Finding, Progress

ENOUGH = 50  # plans needed for a verdict


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration: runs on ten boards."""

    seeds: tuple[int, ...] = tuple(range(31_000, 31_010))
    """boards"""
    duration: float = 120.0
    """longest time [s]"""

    @classmethod
    def quick(cls) -> Self:
        return cls(seeds=(31_000, 31_001, 31_002))

    @classmethod
    def tiny(cls) -> Self:
        return cls(seeds=(31_000,), duration=0.3)


def run(config: Config, progress: Progress) -> dict[str, NDArray]:
    """Return wall-clock and processor times of all plans [s]."""
    wall, processor = [], []
    for seed in config.seeds:
        scenario = SlitherPegs(world=PegBoard(seed=seed), controller=SamplingPlanner(), duration=config.duration)
        trajectory = scenario.run()
        made = np.isfinite(trajectory["solve_time"])
        wall.append(trajectory["solve_time"][made][1:])  # the first may compile
        processor.append(trajectory["solve_processor_time"][made][1:])
        progress(f"  board {seed}: {made.sum()} plans")
    return {"wall": np.concatenate(wall), "processor": np.concatenate(processor)}


def claims(result: dict[str, NDArray]) -> list[Finding]:
    """Report the finding on C6."""
    wall, processor = result["wall"], result["processor"]
    if wall.size == 0:
        return [Finding("C6", None, "no plan in this run")]
    words = (
        f"{wall.size} plans; wall {1e3 * wall.mean():.0f} ms mean, {1e3 * np.quantile(wall, 0.99):.0f} ms 99 %; "
        f"within 100 ms: {np.mean(wall <= 0.1):.1%}"
    )
    few = "too few plans" if wall.size < ENOUGH else ""
    return [Finding("C6", {"processor": float(processor.mean())}, words, few)]


def figure(result: dict[str, NDArray], folder: Path) -> list[Path]:
    """Plot the distribution of the times of a plan."""
    sheet = new_figure(6.0, 3.6)
    axes = dressed(sheet.add_subplot(1, 1, 1))
    for colour, (name, values) in zip(COLOURS, result.items()):
        times = np.sort(1e3 * values)
        axes.step(times, np.arange(1, times.size + 1) / max(times.size, 1), color=colour, label=f"{name} time")
    axes.axvline(100.0, color="0.5", linewidth=1.0)
    axes.legend(fontsize=8)
    labelled(axes, "time of a plan [ms]", "share of plans", "Sampling planner: 31 waves over 1.5 s")
    return [write(sheet, folder / "rate.png")]
