"""Progress of a command: a bar in a terminal, otherwise lines."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, Protocol

from serpenoid.cli.printing import duration, format_fixed, note

FIRST_SECONDS, LINE_SECONDS = 10.0, 30.0  # without a terminal: until the first line, and between two lines [s]


class Update(Protocol):
    """Callback of a progress bar."""

    def __call__(self, share: float, words: str | None = None) -> None:
        """Set the completed fraction (0 to 1); `words` replace the percentage and the remaining time."""


class Advance:
    """Progress of a command as text."""

    def __init__(self) -> None:
        self.start = monotonic()
        self.first: tuple[float, float] | None = None  # time and fraction at the first update
        self.words = ""

    def update(self, share: float, words: str | None = None) -> None:
        """Store the completed fraction; `words` replace the percentage and the remaining time."""
        now = monotonic()
        self.first = self.first or (now, share)
        gone, done = now - self.first[0], share - self.first[1]
        left = f", {duration(gone * (1.0 - share) / done)} left" if done > 0.0 else ""
        self.words = words or f"{format_fixed(100 * share, '%', 0)}{left}"

    def line(self) -> str:
        """Return the text of the last update; before the first one, the elapsed time."""
        return self.words or f"{duration(monotonic() - self.start)} so far"


@contextmanager
def progress_bar(title: str, patience: float = 1.0) -> Iterator[Update]:
    """Show progress after `patience` seconds: a bar in a terminal, otherwise a line every 30 s."""
    advance, over = Advance(), threading.Event()
    bar: Any = None
    terminal = sys.stderr.isatty()

    def update(share: float, words: str | None = None) -> None:
        nonlocal bar
        advance.update(share, words)
        if terminal and monotonic() - advance.start > patience:
            bar = bar or started_bar(title)
            bar.update(bar.task_ids[0], completed=share, description=advance.words)

    def tell() -> None:
        pause = FIRST_SECONDS
        while not over.wait(pause):
            note(f"{title}: {advance.line()}")
            pause = LINE_SECONDS

    if not terminal:
        threading.Thread(target=tell, daemon=True).start()
    try:
        yield update
    finally:
        over.set()
        if bar is not None:
            bar.stop()


def started_bar(title: str) -> Any:
    """Start a rich progress bar with one task; imported here because most runs end before they need it."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = TextColumn(title), BarColumn(), TextColumn("{task.description}")
    bar = Progress(*columns, console=Console(stderr=True))
    bar.add_task("", total=1.0)
    bar.start()
    return bar
