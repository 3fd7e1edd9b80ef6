"""Progress of compilation: a live line in a terminal, else a line now and then."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from numba.core import event

from serpenoid.support.compiling import COMPILING, WAITING, reported

PERIOD = 0.25  # between two looks of the line [s]
SPARSE = 10.0  # between two lines where there is no terminal to write over [s]


class CompileNotice(event.Listener):
    """Reports the kernel that is compiled at the moment, from the first one on.

    `seconds` is the time that was spent so far in compiling here, or in waiting for another process that did.
    """

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
        """Write the line over and over while something is compiled here."""
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
        """Print the line now and then while something is compiled here."""
        while not self.over.wait(SPARSE):
            if self.here:
                print(self.line(), file=sys.stderr, flush=True)

    def line(self) -> str:
        """Return which kernel is compiled, how many are done, and for how long."""
        return f"first start only: compiling {self.here}; {self.done} done, {monotonic() - self.begin:.0f} s"

    def close(self) -> None:
        """End the line."""
        self.over.set()


@contextmanager
def announced() -> Iterator[CompileNotice]:
    """Report compilation to the user."""
    notice = CompileNotice()
    try:
        with reported(), event.install_listener(COMPILING, notice), event.install_listener(WAITING, notice):
            yield notice
    finally:
        notice.close()
