"""Pareto front of runs in speed and power."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from serpenoid.errors import require


def pareto_front(speed: ArrayLike, power: ArrayLike) -> NDArray:
    """Return the indices of the non-dominated points: no other point is at least as fast for at most the power.

    Sorted by rising power (and so by rising speed). Of equal points the first is kept; NaN is never on the front.
    """
    fast, cost = np.ravel(np.asarray(speed, dtype=float)), np.ravel(np.asarray(power, dtype=float))
    require(fast.size == cost.size, "power", cost.size, f"as many values as speed, {fast.size}")
    known = np.flatnonzero(~(np.isnan(fast) | np.isnan(cost)))
    order = known[np.lexsort((known, -fast[known], cost[known]))]
    best = np.concatenate([[-np.inf], np.maximum.accumulate(fast[order])[:-1]]) if order.size else np.empty(0)
    return order[fast[order] > best]
