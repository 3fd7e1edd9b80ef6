"""Cycles per metre of the policy and of all its rivals, on the boards of the main comparison."""

from __future__ import annotations

from pathlib import Path

from serpenoid_papers.base import Finding, Progress
from serpenoid_papers.learning import boards
from serpenoid_papers.learning.laws import LEARNED, learned, rivals
from serpenoid_papers.sea_snake.boards import Runs, on_boards
from serpenoid_papers.sea_snake.comparisons import pool_ratio, words_of

Config = boards.Config


def run(config: boards.Config, progress: Progress) -> Runs:
    """Run the laws on the same boards from the same starts."""
    return on_boards({LEARNED: learned(), **rivals()}, config, "boards", progress)


def claims(result: Runs) -> list[Finding]:
    """Report the finding on L2."""
    ours = result[LEARNED]
    over = {f"{name} / learned": pool_ratio(result[name], ours, result.clusters) for name in result if name != LEARNED}
    ends = {name: ratio.interval() for name, ratio in over.items()}
    return [result.judged(Finding("L2", ends, f"{words_of(over)}; {boards.summary(result)}"))]


def figure(result: Runs, folder: Path) -> list[Path]:
    """Plot the share of boards left over time, and pooled cycles per metre."""
    return [boards.draw(result, folder / "costs.png")]
