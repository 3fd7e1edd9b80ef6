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


def test_the_gain_is_over_the_fastest_gait_of_at_most_the_power():
    speed, power = np.array([1.0, 2.0, 3.0, np.nan]), np.array([5.0, 10.0, 20.0, 1.0])
    gaits = {"dry": fronts.Gaits(speed, power, np.zeros(3))}
    result = fronts.Result(gaits, {}, "made up", 6.0)
    assert fronts.gain(result, "dry", planned(2.2, 12.0)) == pytest.approx(0.1)
    assert fronts.gain(result, "dry", planned(2.2, 20.0)) == pytest.approx(2.2 / 3.0 - 1.0)
    assert np.isnan(fronts.gain(result, "dry", planned(2.2, 2.0)))


def test_criteria_can_fail():
    assert not CRITERIA["M6"].holds({"dry": 2.0, "viscous": 1.9, "fluid": 1.2})
    assert not CRITERIA["M10"].holds(
        {"dry, least share of the best": 0.9, "box within the ellipse, least share of the best": 0.7}
    )


def test_the_front_is_run_again_at_a_quarter_of_the_step(tmp_path):
    gaits = fronts.serpenoid_gaits("viscous", fronts.Config(sample="random:64", store=str(tmp_path)), quiet)
    assert gaits.changes.size >= 3
    assert 0.0 < np.median(np.abs(gaits.changes)) < 0.02  # nearly the same speeds with a different step
