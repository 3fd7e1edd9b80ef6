"""Word of compilation in Python and notebooks: one line where a first start compiles for some seconds."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import parent_process
from typing import Any

from numba.core import event

COMPILING = "numba:compile"
WAITING = "serpenoid:wait"  # the event of numba's kind that goes on while another process compiles a kernel
PATIENCE = 3.0  # of compiling before the line is printed [s]
LINE = "serpenoid: compiling for this processor, on the first start only; this may take a minute"


class Notice(event.Listener):
    """Prints one line per process, unless something else reports the compilation."""

    def __init__(self) -> None:
        self.depth = 0  # of kernels that are compiled now
        self.reporters = 0  # that report compilation themselves
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
def reported() -> Iterator[None]:
    """Keep the line back while something else reports compilation."""
    NOTICE.reporters += 1
    try:
        yield
    finally:
        NOTICE.reporters -= 1
