"""What every command prints through: tables and the one progress bar."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, Protocol

LINE_SECONDS = 30.0  # between two lines of progress where there is no terminal


class Update(Protocol):
    """What a progress bar hands out."""

    def __call__(self, share: float, words: str | None = None) -> None:
        """Share done (0 to 1), and words in place of percentage and time left."""


@contextmanager
def progress_bar(title: str, patience: float = 1.0) -> Iterator[Update]:
    """Where it takes longer than `patience` seconds: a bar on a terminal, a line now and then elsewhere."""
    start = told = monotonic()
    first: tuple[float, float] | None = None  # time and share of the first word, before which kernels may compile
    bar: Any = None

    def update(share: float, words: str | None = None) -> None:
        nonlocal told, first, bar
        now = monotonic()
        first = first or (now, share)
        gone, done = now - first[0], share - first[1]
        left = f", {duration(gone * (1.0 - share) / done)} left" if done > 0.0 else ""
        words = words or f"{100 * share:.0f} %{left}"
        if sys.stderr.isatty() and now - start > patience:
            bar = bar or started_bar(title)
            bar.update(bar.task_ids[0], completed=share, description=words)
        elif not sys.stderr.isatty() and now - told > LINE_SECONDS:
            told = now
            print(f"{title}: {words}", file=sys.stderr, flush=True)

    try:
        yield update
    finally:
        if bar is not None:
            bar.stop()


def started_bar(title: str) -> Any:
    """A bar of rich with one task; loaded here, since most runs end before they need it."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = TextColumn(title), BarColumn(), TextColumn("{task.description}")
    bar = Progress(*columns, console=Console(stderr=True))
    bar.add_task("", total=1.0)
    bar.start()
    return bar


def duration(seconds: float) -> str:
    """A time as h:mm:ss."""
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def table(rows: list[list[Any]], header: list[str]) -> str:
    """Rows as aligned text."""
    cells = [header, *[[cell_text(cell) for cell in row] for row in rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def cell_text(value: Any) -> str:
    """A cell, numbers with four digits."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "-"}[value]
    return f"{value:.4g}" if isinstance(value, float) else str(value)
