"""Random and hostile configurations of every scenario: each runs, or is refused in one line; none crashes or hangs."""

from __future__ import annotations

import pytest
from fuzzing import RAN, REFUSED, survey


def assert_sound(seeds: range, children: int) -> None:
    """Try the configurations of some seeds; those that neither ran nor were refused are listed with their seeds."""
    counts, wrong = survey(seeds, children)
    assert not wrong, "\n".join(wrong)
    assert counts.total() == len(seeds)
    assert min(counts[RAN], counts[REFUSED]) > 0.1 * len(seeds), "the sample must hold sound and unsound ones"


def test_every_configuration_runs_or_is_refused_in_one_line():
    assert_sound(range(300), children=1)


@pytest.mark.full
def test_a_hundred_thousand_configurations_run_or_are_refused_in_one_line():
    assert_sound(range(1_000, 101_000), children=2)
