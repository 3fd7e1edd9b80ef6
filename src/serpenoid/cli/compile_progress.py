"""Word of compilation while it goes on, a live line or a line now and then, and a process that compiles ahead."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any

from numba.core import event

from serpenoid.configuration import to_plain
from serpenoid.support.compiling import COMPILING, WAITING, reported

PERIOD = 0.25  # between two looks of the line [s]
SPARSE = 10.0  # between two lines where there is no terminal to write over [s]
HELPED = True  # whether another process compiles ahead


class CompileNotice(event.Listener):
    """What is compiled at the moment, here and ahead; begins to tell when the first kernel has to be compiled.

    `seconds` is the time that was spent so far in compiling here, or in waiting for another process that did.
    """

    def __init__(self, scenarios: Sequence[Any]):
        self.scenarios, self.expected = scenarios, 0
        self.depth, self.done, self.begin = 0, 0, 0.0
        self.since, self.seconds = 0.0, 0.0
        self.here: str | None = None
        self.ahead: str | None = None
        self.helper: subprocess.Popen[str] | None = None
        self.over = threading.Event()

    def on_start(self, event: Any) -> None:
        self.depth += 1
        if self.depth > 1:
            return
        self.here, self.since = event.data["dispatcher"].__name__, monotonic()
        if not self.begin:
            from serpenoid.scenarios.ahead import kernels_of

            self.begin, self.expected = monotonic(), kernels_of(self.scenarios)
            self.helper = helper_for(self.scenarios)
            if self.helper is not None:
                threading.Thread(target=self.listen, daemon=True).start()
            if not sys.stderr.isatty():
                print(self.line(), file=sys.stderr, flush=True)
            threading.Thread(target=self.show if sys.stderr.isatty() else self.tell, daemon=True).start()

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.here = None
            self.done += event.kind == COMPILING
            self.seconds += monotonic() - self.since

    def listen(self) -> None:
        """Take down what the other process does."""
        assert self.helper is not None and self.helper.stdout is not None
        for line in self.helper.stdout:
            self.ahead = line[1:].strip() if line.startswith("+") else None
            self.done += line.startswith("-")

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
        """Which kernels, how many of how many are done, and for how long."""
        names = " and ".join(dict.fromkeys(name for name in (self.here, self.ahead) if name))
        of = f" of {self.expected}" if self.done < self.expected else ""
        return f"first start only: compiling {names}; {self.done}{of} done, {monotonic() - self.begin:.0f} s"

    def close(self) -> None:
        """End the line, and the other process: what it has not finished is compiled when it is needed."""
        self.over.set()
        if self.helper is not None:
            self.helper.kill()
            self.helper.wait()


def helper_for(scenarios: Sequence[Any]) -> subprocess.Popen[str] | None:
    """A process that compiles ahead; None on one core, and for classes that it could not import."""
    known = all(type(scenario).__module__.startswith("serpenoid.") for scenario in scenarios)
    if not (HELPED and scenarios and known and (os.cpu_count() or 1) > 1):
        return None
    process = subprocess.Popen(
        [sys.executable, "-m", "serpenoid.scenarios.ahead"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.write(json.dumps([to_plain(scenario) for scenario in scenarios]))
        process.stdin.close()
    return process


@contextmanager
def announced(*scenarios: Any) -> Iterator[CompileNotice]:
    """Tell the user when a first run has to compile; what the scenarios need is then compiled ahead."""
    notice = CompileNotice(scenarios)
    try:
        with reported(), event.install_listener(COMPILING, notice), event.install_listener(WAITING, notice):
            yield notice
    finally:
        notice.close()
