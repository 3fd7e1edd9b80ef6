"""What a command leaves, for the line that says so where the command cannot: interrupted, or its output lost."""

from __future__ import annotations

from typing import Any

KEPT: list[str] = []  # what Ctrl-C leaves, and how to go on
SAVED: list[str] = []  # where numbers are


def forget() -> None:
    """Begin a command of which nothing is known yet."""
    KEPT.clear()
    SAVED.clear()


def keeps(words: str) -> None:
    """Say what Ctrl-C from now on leaves, and how to go on."""
    KEPT[:] = [words]


def saves(place: Any) -> None:
    """Say where numbers have been saved."""
    SAVED.append(str(place))


def interrupted_line() -> str:
    """The one line of a command that was interrupted."""
    return "; ".join(["serpenoid: interrupted", *KEPT])


def lost_line(problem: OSError) -> str:
    """The one line of a command whose output could not be written."""
    places = [f"saved: {place}" for place in SAVED]
    return "; ".join([f"serpenoid: what was to be printed is lost: {problem.strerror}", *places])
