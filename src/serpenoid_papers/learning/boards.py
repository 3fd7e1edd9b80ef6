"""Policy and tuned laws on 1000 boards of 27 pegs per square metre that nothing was trained or tuned on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid_papers.base import Finding, Progress
from serpenoid_papers.learning.laws import FREE, LEARNED, SHORT_LAW, learned, rivals, short_law
from serpenoid_papers.sea_snake.boards import BoardConfig, Runs, on_boards
from serpenoid_papers.sea_snake.comparisons import pool_ratio, rarer_share, words_of

TODAY = ("CPG", "AWP")  # laws that the policy must beat in leaving the board


@dataclass(frozen=True)
class Config(BoardConfig):
    """Configuration: 1000 boards, one start each, 120 s."""

    densities: tuple[float, ...] = (27.0,)
    seeds: tuple[int, ...] = tuple(range(20_000, 21_000))
    """boards, not used for training or tuning"""
    starts: tuple[int, ...] = (0,)

    @classmethod
    def quick(cls) -> Self:
        return cls(seeds=tuple(range(20_000, 20_006)))

    @classmethod
    def tiny(cls) -> Self:
        return cls(seeds=(20_000, 20_001, 20_002), duration=0.3)


def run(config: Config, progress: Progress) -> Runs:
    """Run all laws on the same boards from the same starts."""
    return on_boards({LEARNED: learned(), SHORT_LAW: short_law(), **rivals()}, config, "boards", progress)


def claims(result: Runs) -> list[Finding]:
    """Report the findings on L1 to L5 and L10."""
    ours = result[LEARNED]
    cost = {name: pooled(result, name) for name in result}
    out = {name: float(table["out"].mean()) for name, table in result.items()}
    summary = "; ".join(f"{name} {out[name]:.1%} out, {cost[name]:.2f} cycles/m" for name in result)
    others = [name for name in result if name not in (LEARNED, SHORT_LAW)]
    over = {f"{name} / learned": pool_ratio(result[name], ours, result.clusters) for name in others}
    pairs = {f"inside learned, {name}": rarer_share(1.0 - ours["out"], 1.0 - result[name]["out"]) for name in others}
    untuned = [name for name in FREE if name not in result]
    words = f"not tuned: {', '.join(untuned)}; " if untuned else ""
    ends: dict[str, Any] = {name: ratio.interval() for name, ratio in over.items()}
    ends |= {f"{name} / learned": None for name in untuned}
    today, free = (
        {name: pairs.get(name) for name in map("inside learned, {}".format, group)} for group in (TODAY, FREE)
    )
    short = pool_ratio(result[SHORT_LAW], ours, result.clusters)
    found = [
        Finding("L1", {"out": out[LEARNED]}, summary),
        Finding("L2", ends, words + words_of(over)),
        Finding("L3", today, words_of(today)),
        Finding("L4", {"out": out[LEARNED], "cycles_per_metre": cost[LEARNED]}, summary),
        Finding("L10", free, words + words_of({name: pair for name, pair in free.items() if pair})),
        Finding("L5", {"out": out[SHORT_LAW]}, words_of({"short law / learned": short})),
    ]
    return [result.judged(finding) for finding in found]


def pooled(runs: Runs, name: str) -> float:
    """Return the cycles of all runs over their distance [1/m]."""
    return float(runs[name]["cycles"].sum() / runs[name]["distance"].sum())


def figure(result: Runs, folder: Path) -> list[Path]:
    """Plot the share of boards left over time, and pooled cycles per metre."""
    sheet = new_figure(10.0, 4.2)
    left, right = (dressed(sheet.add_subplot(1, 2, i + 1)) for i in range(2))
    for k, (name, table) in enumerate(result.items()):
        times = np.sort(np.where(table["out"] > 0.5, table["time"], np.inf))
        left.step(times, 100.0 * np.arange(1, times.size + 1) / times.size, color=COLOURS[k % len(COLOURS)], label=name,
                  where="post", linewidth=2.0 if name == LEARNED else 1.0)  # fmt: skip
        right.bar(k, pooled(result, name), color=COLOURS[k % len(COLOURS)])
    right.set_xticks(range(len(result)), list(result), rotation=60, fontsize=7, ha="right")
    left.legend(fontsize=7)
    labelled(left, "time [s]", "boards left [%]", "Out of the pegs")
    labelled(right, "", "pooled cycles per metre [1/m]", "Cycles per metre")
    return [write(sheet, folder / "boards.png")]
