"""Controllers compared on the same boards: ratios with intervals, shares by McNemar, families by Holm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.statistics import (
    chance_beyond,
    holm,
    mcnemar,
    percentile_interval,
    pooled_ratio,
    resample_clusters,
)

Table = Mapping[str, NDArray]  # quantities of one controller's runs, (runs,) each, in the same order for all


class Ratio(NamedTuple):
    """A ratio of two controllers and its resamples over clusters."""

    value: float
    resamples: NDArray
    pairs: int

    @property
    def p(self) -> float:
        """Two-sided p-value that the ratio is 1."""
        return chance_beyond(self.resamples, 1.0)

    def interval(self, error: float = 0.05) -> list[float] | None:
        """Return the ends of the interval that excludes a share of the resamples; None if there is none."""
        found = percentile_interval(self.value, self.resamples, error)
        return [found.low, found.high] if np.isfinite([found.low, found.high]).all() else None

    @property
    def words(self) -> str:
        """Value, interval, and the number of pairs needed for a decision if these do not suffice."""
        ends = self.interval()
        if ends is None:
            return f"{self.value:.3g} (too few pairs)"
        text = f"{self.value:.3g} [{ends[0]:.3g}, {ends[1]:.3g}]"
        if ends[0] <= 1.0 <= ends[1] and min(ends[0], self.value) > 0.0 and self.value != 1.0:
            half = 0.5 * np.log(ends[1] / ends[0])
            text += f", {self.pairs} pairs; about {self.pairs * (half / abs(np.log(self.value))) ** 2:.0f} would decide"
        return text


def enough(clusters: NDArray) -> bool:
    """Return whether there are clusters to resample."""
    return np.unique(clusters).size > 2


def ratio_of(statistic: Any, clusters: NDArray, seed: int = 0, pairs: int | None = None) -> Ratio:
    """Return a ratio given by rows, resampled over clusters; without resamples if there are too few clusters.

    `pairs` is the number of rows used, by default all.
    """
    value = float(statistic(np.arange(len(clusters))))
    values = resample_clusters(statistic, clusters, seed=seed) if enough(clusters) else np.zeros(0)
    return Ratio(value, values, len(clusters) if pairs is None else pairs)


def pool_ratio(one: Table, other: Table, clusters: NDArray, cost: str = "cycles", gain: str = "distance") -> Ratio:
    """Return the sum of costs over the sum of gains of one controller, relative to the other: pooled cycles per metre.

    Pairs with a failed run, which has no numbers, are omitted.
    """
    ran = np.isfinite(one[cost] * one[gain] * other[cost] * other[gain])
    a, b, c, d = (np.where(ran, table[name], 0.0) for table in (one, other) for name in (cost, gain))

    return ratio_of(pooled_ratio(a, b, c, d), clusters, pairs=int(ran.sum()))


def typical(one: Table, other: Table, name: str, clusters: NDArray) -> Ratio:
    """Return the geometric mean of the ratios of a quantity in pairs where both have it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(one[name]) - np.log(other[name])
    good = np.isfinite(logs)

    def statistic(rows: NDArray) -> float:
        chosen = logs[rows][good[rows]]
        return float(np.exp(chosen.mean())) if chosen.size else np.nan

    return ratio_of(statistic, clusters)


def spread(one: Table, other: Table, name: str, clusters: NDArray) -> Ratio:
    """Return the interquartile range of a quantity's logarithm under one controller, relative to the other."""
    a, b = np.log(one[name]), np.log(other[name])

    def statistic(rows: NDArray) -> float:
        wide = [np.subtract(*np.percentile(values[rows], [75.0, 25.0])) for values in (a, b)]
        return float(wide[0] / wide[1]) if wide[1] > 0.0 else np.nan

    return ratio_of(statistic, clusters)


def both_leave(one: Table, other: Table) -> NDArray:
    """Return the pairs (runs,) in which both snakes left the board."""
    return (one["out"] > 0.5) & (other["out"] > 0.5)


def rarer_share(one: NDArray, other: NDArray) -> list[float]:
    """Return both shares and McNemar's exact p for booleans (pairs,); NaN of a failed run counts as true."""
    a, b = (~(np.asarray(values) <= 0.5) for values in (one, other))
    return [float(a.mean()), float(b.mean()), mcnemar(a, b)]


def correct_family(family: Mapping[str, Ratio | list[float]]) -> dict[str, Any]:
    """Correct a family of comparisons for the criteria: intervals widened and p raised by Holm's rule.

    A ratio's interval excludes 0.05 p / p', p' its p after Holm. It contains 1 unless p' is at most 0.05.
    """
    p = [item.p if isinstance(item, Ratio) else item[2] for item in family.values()]
    raised = holm(p)
    found: dict[str, Any] = {}
    for (name, item), before, after in zip(family.items(), p, raised.tolist()):
        if isinstance(item, Ratio):
            ends = item.interval(0.05 * before / after)
            found[name] = [min(ends[0], 1.0), max(ends[1], 1.0)] if ends and after > 0.05 else ends
        else:
            found[name] = [item[0], item[1], after]
    return found


def words_of(ratios: Mapping[str, Any]) -> str:
    """Format comparisons as one line, before correction."""
    parts = []
    for name, item in ratios.items():
        if isinstance(item, Ratio):
            parts.append(f"{name} {item.words}")
        else:
            parts.append(f"{name}: {item[0]:.3g} against {item[1]:.3g}, p {item[2]:.2g}")
    return "; ".join(parts)


def shown_order(tables: Mapping[str, NDArray], size: int, draws: int = 10_000, seed: int = 0) -> float:
    """Return how often means of `size` unpaired trials, drawn from our runs, are in the order of the mapping."""
    rng = np.random.default_rng(seed)
    means = [values[rng.integers(values.size, size=(draws, size))].mean(axis=1) for values in tables.values()]
    falls = np.all([a > b for a, b in zip(means, means[1:])], axis=0)
    return float(falls.mean())
