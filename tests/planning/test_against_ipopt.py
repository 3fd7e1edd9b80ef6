"""Our solver against ipopt on the same discrete problem, whose dynamics casadi builds a second time."""

from __future__ import annotations

import pytest

from serpenoid_papers.mpc_gaits import agreement
from serpenoid_papers.mpc_gaits.criteria import CRITERIA

pytest.importorskip("casadi")


# 20 starts over half the paper's horizon, and a few over all of it; `reproduce mpc-gaits` has 20 in each medium.
@pytest.mark.parametrize(("medium", "starts", "horizon"), [
    ("dry", 8, 12), ("viscous", 4, 12), ("fluid", 3, 12), pytest.param("viscous", 4, 25, marks=pytest.mark.full),
])  # fmt: skip
def test_equal_cost(medium, starts, horizon):
    rows = agreement.compare(medium, starts, agreement.Config(horizon=horizon))
    finding = agreement.claims({medium: rows})[0]
    assert CRITERIA["B1"].holds(finding.measured), finding.measured
    verdicts = [row.verdict for row in rows]
    assert verdicts.count("equal") >= starts - starts // 4, verdicts
    assert not {"ipopt failed", "ours not converged"} & set(verdicts)


@pytest.mark.full
def test_equal_cost_over_the_paper_s_horizon():
    finding = agreement.claims(agreement.run(agreement.Config(horizon=25, starts=(6, 6, 2)), print))[0]
    assert CRITERIA["B1"].holds(finding.measured), finding.measured


def test_the_criterion_can_fail():
    good = agreement.PlanComparison(1.0, 1.0, True, True, 1.0, 1.0, (0.0, 0.0), 0.0)
    goes_on, other_problem = good._replace(theirs=0.9, theirs_from_ours=0.9), good._replace(same_problem=1e-6)
    for bad in (goes_on, other_problem, good._replace(converged=False)):
        assert not CRITERIA["B1"].holds(agreement.claims({"dry": [good, bad]})[0].measured)
    assert good._replace(theirs=0.9).verdict == "two minima, ipopt's lower"
    assert good._replace(ours=0.9, ours_from_theirs=0.9).verdict == "ours improves ipopt's"
    assert good._replace(theirs=0.9, converged=False).verdict == "ours not converged"
