"""Output into a pipe whose reader may leave early, as `head` does: the work goes on, and nothing more is printed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any


class ForgivingStream:
    """A text stream that turns deaf where its reader has gone; in all else the stream itself."""

    def __init__(self, stream: Any):
        self.stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        """As of every stream."""
        return self.attempt(lambda: self.stream.write(text), len(text))

    def flush(self) -> None:
        """As of every stream."""
        self.attempt(self.stream.flush, None)

    def attempt(self, action: Callable[[], Any], otherwise: Any) -> Any:
        """Do something with the stream; where the pipe is broken, send this and all that follows to nowhere."""
        try:
            return action()
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.stream.fileno())
            os.close(nowhere)
            return otherwise


@contextmanager
def forgiving_pipes() -> Iterator[None]:
    """Standard output and error that outlive their readers; all is written out at the end."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = ForgivingStream(before[0]), ForgivingStream(before[1])  # type: ignore[assignment]
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(ValueError):  # closed already
                stream.flush()
        sys.stdout, sys.stderr = before
