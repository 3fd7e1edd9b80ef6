"""What every command prints through: tables, a progress bar that waits a second, and word of compilation."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from numba.core import event


class CompileNotice(event.Listener):
    """Says once that kernels are being compiled, when that happens."""

    def __init__(self) -> None:
        self.announced = False

    def on_start(self, event: Any) -> None:
        if not self.announced:
            self.announced = True
            print(
                "compiling kernels: once per change of their sources, a minute or two ...", file=sys.stderr, flush=True
            )

    def on_end(self, event: Any) -> None: ...


@contextmanager
def announced() -> Iterator[None]:
    """Tell the user when a first run has to compile."""
    with event.install_listener("numba:compile", CompileNotice()):
        yield


@contextmanager
def progress_bar(title: str, patience: float = 1.0) -> Iterator[Callable[[float], None]]:
    """A function that takes the share done; the bar appears where it takes longer than `patience` seconds."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    bar = Progress(
        TextColumn(title), BarColumn(), TextColumn("{task.percentage:3.0f} %"), TimeRemainingColumn(), console=console
    )
    task = bar.add_task(title, total=1.0)
    start, shown = monotonic(), False

    def update(share: float) -> None:
        nonlocal shown
        if not shown and monotonic() - start > patience and console.is_terminal:
            bar.start()
            shown = True
        bar.update(task, completed=share)

    try:
        yield update
    finally:
        if shown:
            bar.stop()


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
