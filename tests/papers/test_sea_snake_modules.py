"""Calls, rates and ticks of S5 and S6, measured tiny; wrong values do not hold."""

from pathlib import Path

import numpy as np

from serpenoid_papers.benchmarks.hardware import Timed
from serpenoid_papers.sea_snake import modules
from serpenoid_papers.sea_snake.criteria import CRITERIA


def test_calls_and_ticks(tmp_path: Path) -> None:
    """Control laws are not called here, because their kernels are compiled elsewhere."""
    kept, late = np.array([0.001, 0.002, 0.009, 0.001]), np.array([0.001, 0.002, 0.022, 0.012])
    result = modules.Result(
        dict.fromkeys(map(str, range(22)), True),
        {"lookup": 1.0, "feedback": 0.995},
        True,
        {"a": 0.2},
        {"a": 0},
        Timed(kept, 4.0),
        1.0,
    )
    found = {finding.id: finding for finding in modules.claims(result)}
    assert CRITERIA["S5"].holds(found["S5"].measured) is True and CRITERIA["S6"].holds(found["S6"].measured) is True
    assert found["S6"].measured["periods_kept"] == 1.0
    missed = modules.claims(result._replace(clocked=Timed(late, 4.0)))[1]  # a late command, and one that waited for it
    assert missed.measured["periods_kept"] == 0.5 and CRITERIA["S6"].holds(missed.measured) is False
    paused = modules.claims(result._replace(clocked=Timed(kept, 8.0)))[1]  # the clock continued while nothing ran
    assert paused.measured["periods_kept"] == 0.5
    assert not found["S6"].undecided and "busy" in modules.claims(result._replace(share=0.8))[1].undecided
    calls = result.calls | {"3": False}
    for worse in (result._replace(calls=calls), result._replace(whole_chain=False), result._replace(rates={"a": 0.9})):
        assert CRITERIA["S5"].holds(modules.claims(worse)[0].measured) is False
    for worse in (result._replace(slowest={"a": 1.2}), result._replace(changed={"a": 1})):
        assert CRITERIA["S6"].holds(modules.claims(worse)[1].measured) is False
    assert all(path.stat().st_size > 5_000 for path in modules.figure(result, tmp_path))
