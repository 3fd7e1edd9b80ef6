"""Compilation notice in Python and notebooks: one line if a first start compiles for some seconds."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import parent_process
from typing import Any

from numba.core import event

COMPILING = "numba:compile"
WAITING = "serpenoid:wait"  # numba event that lasts while another process compiles a kernel
PATIENCE = 3.0  # compilation time before the line is printed [s]
LINE = "serpenoid: compiling for this processor, on the first start only; this may take a minute"


class Notice(event.Listener):
    """A listener that prints one line per process, unless something else reports the compilation."""

    def __init__(self) -> None:
        self.depth = 0  # number of kernels being compiled
        self.reporters = 0  # number of active reporters of compilation
        self.timer: threading.Timer | None = None
        self.silent = parent_process() is not None  # workers are silent

    def on_start(self, event: Any) -> None:
        self.depth += 1
        if self.timer is None and not self.silent:
            self.timer = threading.Timer(PATIENCE, self.tell)
            self.timer.daemon = True
            self.timer.start()

    def on_end(self, event: Any) -> None:
        self.depth -= 1

    def tell(self) -> None:
        """Print the line if a kernel is still being compiled and nothing reports it."""
        self.timer = None
        if self.depth and not self.reporters and not self.silent:
            self.silent = True
            print(LINE, file=sys.stderr, flush=True)


NOTICE = Notice()
for kind in (COMPILING, WAITING):
    event.register(kind, NOTICE)


@contextmanager
def suppress_line() -> Iterator[None]:
    """Suppress the line while something else reports compilation."""
    NOTICE.reporters += 1
    try:
        yield
    finally:
        NOTICE.reporters -= 1
