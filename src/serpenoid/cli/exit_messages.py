"""Messages of a command that was interrupted or whose output was lost."""

from __future__ import annotations

from typing import Any

KEPT: list[str] = []  # what Ctrl-C keeps, and how to resume
SAVED: list[str] = []  # paths of saved results


def forget() -> None:
    """Clear the messages of the previous command."""
    KEPT.clear()
    SAVED.clear()


def keeps(words: str) -> None:
    """Set the message about what Ctrl-C keeps and how to resume."""
    KEPT[:] = [words]


def add_saved(place: Any) -> None:
    """Record the path of a saved result."""
    SAVED.append(str(place))


def interrupted_line() -> str:
    """Return the line for an interrupted command."""
    return "; ".join(["serpenoid: interrupted", *KEPT])


def lost_line(problem: OSError) -> str:
    """Return the line for a command whose output could not be written."""
    places = [f"saved: {place}" for place in SAVED]
    return "; ".join([f"serpenoid: cannot write the output: {problem.strerror}", *places])
