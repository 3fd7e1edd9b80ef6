"""Output that all commands share: tables that fit the terminal, the one progress bar, and lines where there is none."""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from textwrap import wrap
from time import monotonic
from typing import Any, Protocol

FIRST_SECONDS, LINE_SECONDS = 10.0, 30.0  # until the first line of progress without a terminal, and between two lines
NO_END = 100_000  # columns of a file or a pipe
LEAST_TEXT = 24  # columns that a text needs to be wrapped into


class Update(Protocol):
    """What a progress bar hands out."""

    def __call__(self, share: float, words: str | None = None) -> None:
        """Share done (0 to 1), and words in place of percentage and time left."""


class Advance:
    """Progress of a command, in words."""

    def __init__(self) -> None:
        self.start = monotonic()
        self.first: tuple[float, float] | None = None  # time and share of the first word; kernels may compile before
        self.words = ""

    def update(self, share: float, words: str | None = None) -> None:
        """Take down the share done, and words in place of percentage and time left."""
        now = monotonic()
        self.first = self.first or (now, share)
        gone, done = now - self.first[0], share - self.first[1]
        left = f", {duration(gone * (1.0 - share) / done)} left" if done > 0.0 else ""
        self.words = words or f"{100 * share:.0f} %{left}"

    def line(self) -> str:
        """The last words; before there are any, the time so far."""
        return self.words or f"{duration(monotonic() - self.start)} so far"


@contextmanager
def progress_bar(title: str, patience: float = 1.0) -> Iterator[Update]:
    """Where it takes longer than `patience` seconds: a bar on a terminal; elsewhere a line now and then."""
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
            print(f"{title}: {advance.line()}", file=sys.stderr, flush=True)
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
    """Rows as aligned text that fits the terminal: long texts in the last column wrap, many columns go into blocks."""
    cells = [header, *[[cell_text(cell) for cell in row] for row in rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    room = columns()
    left = room - sum(width + 2 for width in widths[:-1])
    widths[-1] = min(widths[-1], left if left >= LEAST_TEXT else max(room - widths[0] - 2, LEAST_TEXT))
    blocks: list[list[int]] = [[]]
    for i, width in enumerate(widths):
        if blocks[-1] and sum(widths[j] + 2 for j in blocks[-1]) + width > room:
            blocks.append([0])  # the first column names the rows
        blocks[-1].append(i)
    return "\n\n".join(aligned([[row[i] for i in b] for row in cells], [widths[i] for i in b]) for b in blocks)


def aligned(cells: list[list[str]], widths: list[int]) -> str:
    """Rows, the first of them the header, in columns of given widths; texts in the last column wrap."""
    lines: list[str] = []
    for place, (*others, last) in enumerate(cells):
        begin = "".join(cell.ljust(width + 2) for cell, width in zip(others, widths))
        pieces = wrap(last, widths[-1]) if len(last) > widths[-1] else [last]
        lines += [(begin if i == 0 else " " * len(begin)) + piece for i, piece in enumerate(pieces)]
        lines += ["  ".join("-" * width for width in widths)] if place == 0 else []
    return "\n".join(line.rstrip() for line in lines)


def columns() -> int:
    """Columns of the terminal, or as many as COLUMNS says; without end in a file or a pipe."""
    return shutil.get_terminal_size((NO_END, 24)).columns


def entry(name: str, text: str, width: int = 22) -> str:
    """An indented name with a text beside it, wrapped to the terminal."""
    begin = f"  {name:{width}s} "
    pieces = wrap(text, max(columns() - len(begin), LEAST_TEXT))
    return begin + ("\n" + " " * len(begin)).join(pieces)


def cell_text(value: Any) -> str:
    """A cell, numbers with four digits."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "-"}[value]
    return f"{value:.4g}" if isinstance(value, float) else str(value)
