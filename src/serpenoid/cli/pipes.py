"""Output to a pipe whose reader may close it early, like `head`: the command continues and prints nothing more."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any


class ForgivingStream:
    """Text stream that discards output after its reader has closed; otherwise a proxy of the stream."""

    def __init__(self, stream: Any):
        self.stream = stream
        self.problem: OSError | None = None  # e.g. a full disk

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        """Write text to the stream."""
        return self.attempt(lambda: self.write_encodable(text), len(text))

    def write_encodable(self, text: str) -> int:
        """Write text; characters missing from the stream's encoding become escapes, such as \\xfc in ASCII."""
        try:
            return self.stream.write(text)
        except UnicodeEncodeError as error:
            return self.stream.write(text.encode(error.encoding, "backslashreplace").decode(error.encoding))

    def flush(self) -> None:
        """Flush the stream."""
        self.attempt(self.stream.flush, None)

    def attempt(self, action: Callable[[], Any], otherwise: Any) -> Any:
        """Call `action` on the stream; if it fails, redirect the stream to the null device and return `otherwise`."""
        try:
            return action()
        except OSError as error:
            self.problem = None if isinstance(error, BrokenPipeError) else error
            with open_null() as other:
                os.dup2(other.fileno(), self.stream.fileno())
            return otherwise


def open_null() -> Any:
    """Open the null device for writing."""
    return os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


@contextmanager
def forgiving_pipes() -> Iterator[ForgivingStream]:
    """Replace standard output and error by streams that survive a closed pipe; yield standard output and flush both at
    the end."""
    before = sys.stdout, sys.stderr
    output, errors = (ForgivingStream(stream or open_null()) for stream in before)  # None: closed by the shell
    sys.stdout, sys.stderr = output, errors  # type: ignore[assignment]
    try:
        yield output
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(ValueError):  # already closed
                stream.flush()
        sys.stdout, sys.stderr = before
