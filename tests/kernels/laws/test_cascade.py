"""Compiled joint cascades against plain loops, on random signals and random gains."""

from __future__ import annotations

import numpy as np
import pytest

from serpenoid_papers.gaits.cascades import voltages

SAMPLES = 600


@pytest.mark.parametrize("strategy", [1, 2, 3, 4])
def test_voltages_are_those_of_the_plain_loops(strategy):
    rng = np.random.default_rng(strategy)
    inside, off = 0, 0
    for _ in range(20):
        found, plain = voltages(strategy, rng, SAMPLES)
        np.testing.assert_allclose(found, plain, rtol=0.0, atol=1e-12)
        assert np.abs(found).max() <= 1.0
        inside += np.count_nonzero(np.abs(found) < 1.0)
        off += np.count_nonzero(found == 0.0)
    assert off < inside  # meaningful signals: not switched off or at the limit all the time
    assert inside > 0.3 * 20 * SAMPLES
