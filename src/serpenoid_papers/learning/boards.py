"""Policy, three lines, tuned CPG and AWP on 1000 boards of 27 pegs per square metre that nothing was trained on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid_papers.base import Finding, Progress
from serpenoid_papers.learning.laws import LEARNED, SHORT_LAW, learned, rivals, short_law
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
    """Run the laws on the same boards from the same starts."""
    tuned = {name: law for name, law in rivals().items() if name in TODAY}
    return on_boards({LEARNED: learned(), SHORT_LAW: short_law(), **tuned}, config, "boards", progress)


def claims(result: Runs) -> list[Finding]:
    """Report the findings on L1 and L3 to L5."""
    ours, out = result[LEARNED], {name: float(table["out"].mean()) for name, table in result.items()}
    cost, pairs = pooled(result, LEARNED), fewer_inside(result, TODAY)
    short = pool_ratio(result[SHORT_LAW], ours, result.clusters)
    found = [
        Finding("L1", {"out": out[LEARNED]}, summary(result)),
        Finding("L3", pairs, words_of(pairs)),
        Finding("L4", {"out": out[LEARNED], "cycles_per_metre": cost}, summary(result)),
        Finding("L5", {"out": out[SHORT_LAW]}, words_of({"short law / learned": short})),
    ]
    return [result.judged(finding) for finding in found]


def fewer_inside(result: Runs, names: tuple[str, ...]) -> dict[str, list[float]]:
    """Return the shares of boards that the policy and each law have not left, compared by McNemar's test."""
    ours = 1.0 - result[LEARNED]["out"]
    return {f"inside learned, {name}": rarer_share(ours, 1.0 - result[name]["out"]) for name in names}


def summary(result: Runs) -> str:
    """Return the share of boards left and the cycles per metre of each law."""
    return "; ".join(
        f"{name} {table['out'].mean():.1%} out, {pooled(result, name):.2f} cycles/m" for name, table in result.items()
    )


def pooled(runs: Runs, name: str) -> float:
    """Return the cycles of all runs over their distance [1/m]."""
    return float(runs[name]["cycles"].sum() / runs[name]["distance"].sum())


def figure(result: Runs, folder: Path) -> list[Path]:
    """Plot the share of boards left over time, and pooled cycles per metre."""
    return [draw(result, folder / "boards.png")]


def draw(result: Runs, path: Path) -> Path:
    """Plot both into one picture."""
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
    return write(sheet, path)
