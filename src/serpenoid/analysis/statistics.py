"""Statistics of paired trials: proportions by McNemar's test, ratios by a cluster bootstrap, families by Holm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from serpenoid.errors import require


class Interval(NamedTuple):
    """An estimate and its 95 % interval."""

    value: float
    low: float
    high: float


def mcnemar(first: NDArray, second: NDArray) -> float:
    """Return the two-sided exact p of the hypothesis that both of a pair fail equally often; booleans (pairs,) each.

    Only pairs that differ count: b against c is binomial with probability 1/2.
    """
    first, second = np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)
    require(first.shape == second.shape, "pairs", (first.shape, second.shape), "of the same size as the other")
    b, c = int(np.sum(first & ~second)), int(np.sum(~first & second))
    return float(min(1.0, 2.0 * binom.cdf(min(b, c), b + c, 0.5))) if b + c else 1.0


def resample_clusters(
    statistic: Callable[[NDArray], float], clusters: NDArray, *, resamples: int = 2000, seed: int = 0
) -> NDArray:
    """Resample a statistic over whole clusters, such as all runs on one board.

    statistic(rows) takes the indices of the drawn rows, with repetitions; clusters (rows,) labels them. Resamples
    with a NaN statistic are omitted.
    """
    labels, place = np.unique(np.asarray(clusters), return_inverse=True)
    rows = [np.flatnonzero(place == k) for k in range(labels.size)]
    require(labels.size > 1, "clusters", labels.size, "at least 2")
    rng = np.random.default_rng(seed)
    drawn = rng.integers(labels.size, size=(resamples, labels.size))
    values = np.array([statistic(np.concatenate([rows[k] for k in draw])) for draw in drawn])
    return values[np.isfinite(values)]


def bootstrap(
    statistic: Callable[[NDArray], float], clusters: NDArray, *, resamples: int = 2000, seed: int = 0
) -> Interval:
    """Return the percentile interval of a statistic: see resampled()."""
    values = resample_clusters(statistic, clusters, resamples=resamples, seed=seed)
    return percentile_interval(float(statistic(np.arange(len(clusters)))), values)


def percentile_interval(value: float, resamples: NDArray, error: float = 0.05) -> Interval:
    """Return a value with the interval that excludes a fraction of its resamples, half of it at each end."""
    if resamples.size == 0:
        return Interval(value, np.nan, np.nan)
    low, high = np.percentile(resamples, [50.0 * error, 100.0 - 50.0 * error])
    return Interval(value, float(low), float(high))


def chance_beyond(resamples: NDArray, limit: float) -> float:
    """Return the two-sided p that a statistic lies on one side of a limit, at least 1 / resamples."""
    if resamples.size == 0:
        return 1.0
    side = min(float(np.mean(resamples <= limit)), float(np.mean(resamples >= limit)))
    return float(min(1.0, 2.0 * max(side, 1.0 / resamples.size)))


def pooled_ratio(cost: NDArray, gain: NDArray, other_cost: NDArray, other_gain: NDArray) -> Callable[[NDArray], float]:
    """Return the ratio of two controllers' pooled cost per gain, such as cycles per metre, for the given rows."""

    def ratio(rows: NDArray) -> float:
        below = gain[rows].sum() * other_cost[rows].sum()
        return float(cost[rows].sum() * other_gain[rows].sum() / below) if below > 0.0 else np.nan

    return ratio


def holm(values: Sequence[float]) -> NDArray:
    """Adjust the p values of a family by Holm's step-down rule; their order is kept."""
    p = np.asarray(values, dtype=float)
    order = np.argsort(p)
    stepped = np.maximum.accumulate((p.size - np.arange(p.size)) * p[order])
    out = np.empty(p.size)
    out[order] = np.minimum(1.0, stepped)
    return out
