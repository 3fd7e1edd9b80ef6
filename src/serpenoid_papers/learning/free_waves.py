"""Policy and laws that were tuned with a free wavelength, on the boards of the main comparison."""

from __future__ import annotations

from pathlib import Path

from serpenoid_papers.base import Finding, Progress
from serpenoid_papers.learning import boards
from serpenoid_papers.learning.laws import FREE, LEARNED, freely_tuned, learned
from serpenoid_papers.sea_snake.boards import Runs, on_boards
from serpenoid_papers.sea_snake.comparisons import words_of

Config = boards.Config


def run(config: boards.Config, progress: Progress) -> Runs:
    """Run the laws on the same boards from the same starts."""
    return on_boards({LEARNED: learned(), **freely_tuned()}, config, "boards", progress)


def claims(result: Runs) -> list[Finding]:
    """Report the finding on L10."""
    pairs = boards.fewer_inside(result, FREE)
    return [result.judged(Finding("L10", pairs, f"{words_of(pairs)}; {boards.summary(result)}"))]


def figure(result: Runs, folder: Path) -> list[Path]:
    """Plot the share of boards left over time, and pooled cycles per metre."""
    return [boards.draw(result, folder / "free_waves.png")]
