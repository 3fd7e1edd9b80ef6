"""What a command that is interrupted leaves, for the one line that says so."""

from __future__ import annotations

KEPT: list[str] = []  # what the command that runs has said of itself


def keeps(words: str) -> None:
    """Say what Ctrl-C from now on leaves, and how to go on."""
    KEPT[:] = [words]


def interrupted_line() -> str:
    """The one line of a command that was interrupted."""
    return "; ".join(["serpenoid: interrupted", *KEPT])
