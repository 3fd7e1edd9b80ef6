"""The policy taken apart: which readings and which modulations free a jam."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid_papers.base import Finding, Progress
from serpenoid_papers.learning.boards import pooled
from serpenoid_papers.learning.laws import LEARNED, SHORT_LAW, learned, short_law, taken_apart
from serpenoid_papers.sea_snake.boards import BoardConfig, Runs, on_boards
from serpenoid_papers.sea_snake.comparisons import pool_ratio, rarer_share, words_of


@dataclass(frozen=True)
class Config(BoardConfig):
    """Configuration: 200 boards."""

    densities: tuple[float, ...] = (27.0,)
    seeds: tuple[int, ...] = tuple(range(22_000, 22_200))
    """boards, not used for training or tuning"""
    starts: tuple[int, ...] = (0,)

    @classmethod
    def quick(cls) -> Self:
        return cls(seeds=tuple(range(22_000, 22_006)))

    @classmethod
    def tiny(cls) -> Self:
        return cls(seeds=(22_000, 22_001), duration=0.3)


def run(config: Config, progress: Progress) -> Runs:
    """Run the policy and its parts on the same boards."""
    return on_boards({LEARNED: learned(), SHORT_LAW: short_law(), **taken_apart()}, config, "ablation", progress)


def claims(result: Runs) -> list[Finding]:
    """Report the finding on L7."""
    ours, blind = result[LEARNED], result["no feedback"]
    pair = rarer_share(1.0 - ours["out"], 1.0 - blind["out"])
    ratio = pool_ratio(blind, ours, result.clusters)
    summary = "; ".join(f"{name} {table['out'].mean():.1%} out, {pooled(result, name):.2f} cycles/m"
                     for name, table in result.items())  # fmt: skip
    measured = {"inside learned, no feedback": pair, "no feedback / learned": ratio.interval()}
    return [result.judged(Finding("L7", measured, f"{words_of({'no feedback / learned': ratio})}; {summary}"))]


def figure(result: Runs, folder: Path) -> list[Path]:
    """Plot the share of boards left, and pooled cycles per metre, for every part taken away."""
    sheet = new_figure(10.0, 4.8)
    left, right = (dressed(sheet.add_subplot(1, 2, i + 1)) for i in range(2))
    names = list(result)[::-1]
    for i, name in enumerate(names):
        left.barh(i, 100.0 * np.nanmean(result[name]["out"]), color=COLOURS[0])
        right.barh(i, pooled(result, name), color=COLOURS[1])
    left.set_yticks(range(len(names)), names, fontsize=7)
    right.set_yticks([])
    labelled(left, "boards left [%]", "", "Out of the pegs")
    labelled(right, "pooled cycles per metre [1/m]", "", "Cycles per metre")
    return [write(sheet, folder / "ablation.png")]
