"""Progress of compilation: a live line in a terminal, otherwise one line every 10 s."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from numba.core import event

from serpenoid.support.compiling import COMPILING, WAITING, suppress_line

PERIOD = 0.25  # between two updates of the line [s]
SPARSE = 10.0  # between two lines without a terminal [s]


class CompileNotice(event.Listener):
    """Listener that reports which kernel is being compiled, starting with the first one.

    `seconds` is the total time spent compiling, or waiting for another process that compiles."""

    def __init__(self) -> None:
        self.depth, self.done, self.begin = 0, 0, 0.0
        self.since, self.seconds = 0.0, 0.0
        self.here: str | None = None
        self.over = threading.Event()

    def on_start(self, event: Any) -> None:
        self.depth += 1
        if self.depth > 1:
            return
        self.here, self.since = event.data["dispatcher"].__name__, monotonic()
        if not self.begin:
            self.begin = monotonic()
            if not sys.stderr.isatty():
                print(self.line(), file=sys.stderr, flush=True)
            threading.Thread(target=self.show if sys.stderr.isatty() else self.tell, daemon=True).start()

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.here = None
            self.done += event.kind == COMPILING
            self.seconds += monotonic() - self.since

    def show(self) -> None:
        """Rewrite the line while a kernel is being compiled."""
        shown = False
        while not self.over.wait(PERIOD):
            if self.here:
                print(f"\r\033[K{self.line()}", end="", file=sys.stderr, flush=True)
            elif shown:
                print("\r\033[K", end="", file=sys.stderr, flush=True)
            shown = bool(self.here)
        if shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def tell(self) -> None:
        """Print a line every SPARSE seconds while a kernel is being compiled."""
        while not self.over.wait(SPARSE):
            if self.here:
                print(self.line(), file=sys.stderr, flush=True)

    def line(self) -> str:
        """Return the kernel being compiled, the number of compiled kernels and the elapsed time."""
        return f"first start only: compiling {self.here}; {self.done} done, {monotonic() - self.begin:.0f} s"

    def close(self) -> None:
        """Stop reporting."""
        self.over.set()


@contextmanager
def announced() -> Iterator[CompileNotice]:
    """Report compilation to the user."""
    notice = CompileNotice()
    try:
        with suppress_line(), event.install_listener(COMPILING, notice), event.install_listener(WAITING, notice):
            yield notice
    finally:
        notice.close()
