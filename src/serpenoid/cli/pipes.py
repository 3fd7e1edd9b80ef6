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
        self.problem: OSError | None = None  # such as a full disk

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        """As of every stream."""
        return self.attempt(lambda: self.write_encodable(text), len(text))

    def write_encodable(self, text: str) -> int:
        """Write text; characters that the stream's encoding lacks become escapes, such as \\xfc in ASCII."""
        try:
            return self.stream.write(text)
        except UnicodeEncodeError as error:
            return self.stream.write(text.encode(error.encoding, "backslashreplace").decode(error.encoding))

    def flush(self) -> None:
        """As of every stream."""
        self.attempt(self.stream.flush, None)

    def attempt(self, action: Callable[[], Any], otherwise: Any) -> Any:
        """Do something with the stream; where that fails, send this and all that follows to nowhere."""
        try:
            return action()
        except OSError as error:
            self.problem = None if isinstance(error, BrokenPipeError) else error
            with nowhere() as other:
                os.dup2(other.fileno(), self.stream.fileno())
            return otherwise


def nowhere() -> Any:
    """A stream that is read by nobody."""
    return os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


@contextmanager
def forgiving_pipes() -> Iterator[ForgivingStream]:
    """Standard output, handed out, and error that outlive their readers; all is written out at the end."""
    before = sys.stdout, sys.stderr
    told, errors = (ForgivingStream(stream or nowhere()) for stream in before)  # None: closed by the shell
    sys.stdout, sys.stderr = told, errors  # type: ignore[assignment]
    try:
        yield told
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(ValueError):  # closed already
                stream.flush()
        sys.stdout, sys.stderr = before
