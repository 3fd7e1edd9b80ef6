"""The edge of what holds: bisection where one only knows whether, not by how much."""

from __future__ import annotations

from collections.abc import Callable


def edge_of(holds: Callable[[float], bool], inside: float, outside: float, accuracy: float) -> tuple[float, float]:
    """The last place where it holds and the first where it does not, at most `accuracy` apart or neighbours.

    For what is known at a place by yes or no alone, such as whether a run capsizes; scipy finds roots of functions.
    """
    while abs(outside - inside) > accuracy:
        middle = 0.5 * (inside + outside)
        if middle in (inside, outside):
            break
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside, outside
