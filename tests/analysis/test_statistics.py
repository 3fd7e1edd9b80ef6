"""Statistics of paired trials against scipy and worked examples."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from serpenoid.analysis.statistics import bootstrap, holm, mcnemar, pooled_ratio
from serpenoid.errors import InvalidValue


@pytest.mark.parametrize("seed", range(5))
def test_mcnemar_is_the_binomial_test_of_the_pairs_that_differ(seed):
    rng = np.random.default_rng(seed)
    first, second = rng.random(60) < 0.4, rng.random(60) < 0.2
    b, c = int((first & ~second).sum()), int((~first & second).sum())
    assert mcnemar(first, second) == pytest.approx(stats.binomtest(b, b + c, 0.5).pvalue, rel=1e-10)
    assert mcnemar(first, first) == 1.0


def test_bootstrap_of_single_rows_is_that_of_scipy():
    values = np.random.default_rng(1).lognormal(size=80)
    ours = bootstrap(lambda rows: float(values[rows].mean()), np.arange(80), resamples=4000)
    theirs = stats.bootstrap((values,), np.mean, n_resamples=4000, method="percentile", rng=2).confidence_interval
    assert ours.value == pytest.approx(values.mean())
    assert ours.low == pytest.approx(theirs.low, rel=0.03) and ours.high == pytest.approx(theirs.high, rel=0.03)


def test_rows_of_a_cluster_go_together():
    """Ten copies of every row say nothing new: the interval stays as wide as that of the clusters."""
    values = np.random.default_rng(3).standard_normal(30)
    copies, labels = np.repeat(values, 10), np.repeat(np.arange(30), 10)
    alone = bootstrap(lambda rows: float(values[rows].mean()), np.arange(30))
    together = bootstrap(lambda rows: float(copies[rows].mean()), labels)
    assert together == pytest.approx(alone, abs=1e-12)
    with pytest.raises(InvalidValue, match="at least 2"):
        bootstrap(lambda rows: 0.0, np.zeros(5))


def test_a_pooled_ratio():
    rng = np.random.default_rng(4)
    metres = rng.uniform(1.0, 2.0, 40)
    found = bootstrap(pooled_ratio(6.0 * metres, metres, 3.0 * metres, metres), np.arange(40) // 2)
    assert found == pytest.approx((2.0, 2.0, 2.0))


def test_holm():
    """The textbook example: 0.01, 0.04, 0.03, 0.005 become 0.03, 0.06, 0.06, 0.02."""
    assert np.allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])
    assert np.array_equal(holm([0.9, 0.8]), [1.0, 1.0])
