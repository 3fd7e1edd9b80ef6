"""Sampling planner that knows pegs by touch alone, and laws, on the boards of the main comparison."""

from __future__ import annotations

from pathlib import Path

from serpenoid.planning import SamplingPlanner
from serpenoid_papers.base import Finding, Progress
from serpenoid_papers.contact_planning import boards
from serpenoid_papers.contact_planning.criteria import LAWS
from serpenoid_papers.sea_snake.boards import Runs
from serpenoid_papers.sea_snake.comparisons import pool_ratio, words_of

FELT = "felt"
Config = boards.Config


def run(config: boards.Config, progress: Progress) -> Runs:
    """Run the planner and the laws on the same boards from the same starts."""
    return boards.run_all({FELT: SamplingPlanner(threads=1, map="felt"), **boards.laws()}, config, "boards", progress)


def claims(result: Runs) -> list[Finding]:
    """Report the finding on C5."""
    over = {f"{name} / felt": pool_ratio(result[name], result[FELT], result.clusters) for name in LAWS}
    ends = {name: ratio.interval() for name, ratio in over.items()}
    return [result.judged(Finding("C5", ends, f"{boards.describe(result)}; {words_of(over)}"))]


def figure(result: Runs, folder: Path) -> list[Path]:
    """Plot the share of boards left over time, and cycles and energy per metre."""
    return [boards.draw(result, folder / "touch.png")]
