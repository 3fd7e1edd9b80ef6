"""Criterion that decides a claim."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Criterion(NamedTuple):
    """A claim of a paper, the paper's value, and the test of a measured value against it.

    `holds` returns None if a measured value is None or does not decide. A missing key is a KeyError, so `holds` must
    look up all keys before it returns.
    """

    claim: str
    paper_value: Any
    band: str  # the test in words
    holds: Callable[[Any], bool | None]


def matching(measured: Mapping[str, Any], *parts: str) -> list[Any]:
    """Return the values whose key contains all parts; raise KeyError if there is none."""
    found = [value for key, value in measured.items() if all(part in key for part in parts)]
    if not found:
        raise KeyError(" .. ".join(parts))
    return found
