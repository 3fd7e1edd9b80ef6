"""Bisection of a boolean condition."""

from __future__ import annotations

from collections.abc import Callable


def edge_of(holds: Callable[[float], bool], inside: float, outside: float, accuracy: float) -> tuple[float, float]:
    """Return the last point where a condition is true and the first where it is false, within `accuracy` or
    neighbours.

    For conditions that are only true or false at a point, such as whether a run capsizes; scipy finds roots of
    functions.
    """
    while abs(outside - inside) > accuracy:
        middle = 0.5 * (inside + outside)
        if middle in (inside, outside):
            break
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside, outside
