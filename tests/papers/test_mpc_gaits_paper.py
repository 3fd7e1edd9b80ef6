"""Claims of the MPC paper, measured small, and judged by the criteria."""

from __future__ import annotations

import json

import numpy as np
import pytest

from serpenoid_papers.mpc_gaits import complex_gaits, friction, fronts, spectra
from serpenoid_papers.mpc_gaits.criteria import CRITERIA
from serpenoid_papers.mpc_gaits.runs import Straight


def quiet(text):
    pass


@pytest.mark.parametrize("module", [friction, complex_gaits])
def test_claims_hold_and_figures_appear(module, tmp_path):
    result = module.run(module.Config.quick(), quiet)
    for finding in module.claims(result):
        json.dumps(finding.measured)
        assert CRITERIA[finding.id].holds(finding.measured) is True, finding
    for picture in module.figure(result, tmp_path):
        assert picture.stat().st_size > 5_000


def test_table_3(tmp_path):
    result = spectra.run(spectra.Config(), quiet)
    verdicts = {f.id: CRITERIA[f.id].holds(f.measured) for f in spectra.claims(result)}
    assert verdicts["M4"]
    assert verdicts["M5"]
    ratios = next(f.measured for f in spectra.claims(result) if f.id == "M6")
    assert ratios[spectra.PRINTED] > 2.0 * ratios["fluid"]
    assert result.runs[spectra.PRINTED].speed > 2.0 * result.runs["fluid"].speed  # energy is created
    assert spectra.figure(result, tmp_path)[0].stat().st_size > 5_000


def planned(speed, power):
    return Straight(speed, power, np.zeros(4), np.zeros(4), 0.0, np.zeros(1), np.zeros(1))


def made_up_fronts():
    """Serpenoid gaits of one medium: the faster, the worse they are tracked."""
    speed, power = np.array([1.0, 2.0, 3.0, np.nan]), np.array([5.0, 10.0, 20.0, 1.0])
    return fronts.Gaits(speed, power, np.array([0.04, 0.08, 0.3, 0.01]), np.zeros(3))


def test_the_gain_is_over_the_fastest_gait_of_at_most_the_power():
    gaits = made_up_fronts()
    assert fronts.gain(gaits, planned(2.2, 12.0)) == pytest.approx(0.1)
    assert fronts.gain(gaits, planned(2.2, 20.0)) == pytest.approx(2.2 / 3.0 - 1.0)
    assert np.isnan(fronts.gain(gaits, planned(2.2, 2.0)))


def test_a_limit_of_the_tracking_error_lowers_the_front():
    gaits, star = made_up_fronts(), planned(1.5, 25.0)
    found = [fronts.gain(gaits, star, limit) for limit in (3.0, 5.0, 10.0, 50.0)]
    assert found == pytest.approx([np.nan, 0.5, -0.25, -0.5], nan_ok=True)
    sets = {("dry", 25, 0.01, -20.0): star, ("dry", 25, 0.1, -20.0): planned(0.0, 0.0)}
    result = fronts.Result({"dry": gaits}, {"dry": gaits}, sets, {}, "made up", 6.0)
    curves = fronts.gain_curves(result, 25)
    assert len(curves) == 3  # limits, and the set that moves with both controllers
    assert curves["PD at 100 Hz, dry, beta 0.01, goal -20"][:3] == [None, 50.0, 50.0]
    assert CRITERIA["M2"].holds(curves) is None  # above the front at tight limits only
    assert "no set" in fronts.below_everywhere(curves)
    low = {**curves, "PD at 100 Hz, dry, beta 0.1, goal -20": [-30.0] * len(fronts.LIMITS)}
    assert CRITERIA["M2"].holds(low) is False and "beta 0.1" in fronts.below_everywhere(low)
    assert CRITERIA["M2"].holds({key: [30.0] * len(fronts.LIMITS) for key in curves} | {
        "limits of the tracking error [%]": list(fronts.LIMITS)
    }) is True  # fmt: skip


def test_criteria_can_fail():
    assert not CRITERIA["M6"].holds({"dry": 2.0, "viscous": 1.9, "fluid": 1.2})
    assert not CRITERIA["M10"].holds(
        {"dry, least share of the best": 0.9, "box within the ellipse, least share of the best": 0.7}
    )


def test_the_front_is_run_again_at_a_quarter_of_the_step(tmp_path):
    gaits = fronts.serpenoid_gaits("viscous", fronts.Config(sample="random:64", store=str(tmp_path)), quiet)
    assert gaits.changes.size >= 3
    assert 0.0 < np.median(np.abs(gaits.changes)) < 0.02  # nearly the same speeds with a different step
