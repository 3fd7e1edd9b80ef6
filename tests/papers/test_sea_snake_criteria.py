"""Bands of the SEA-snake thesis, complete, true for measures inside them, false outside; keys must be found."""

import pytest

from serpenoid_papers.sea_snake.criteria import CRITERIA
from serpenoid_papers.sea_snake.rules import better, combine, either, limits, rarer_than

ABOVE, BELOW, RARER, OFTENER = (1.1, 1.5), (0.5, 0.9), (0.1, 0.4, 0.01), (0.4, 0.1, 0.01)
# id: measures inside the band, and for each of some of them a value outside
BANDS = {
    "S1": ({"mass_error": 0.0, "length_error": 0.004, "greatest_current": 0.5, "stall_torque": 6.9, "top_speed": 3.4},
           {"mass_error": 0.006, "stall_torque": 7.2, "top_speed": 3.2, "greatest_current": 0.61}),
    "S2": ({"identity": 1e-10, "fidelity_difference": 0.05}, {"identity": 1e-8, "fidelity_difference": 0.11}),
    "S3": ({"peak_ratio": 0.4, "torque_error": 0.01, "stored_error": 0.0}, {"peak_ratio": 0.51, "stored_error": 0.03}),
    "S4": ({"twin_difference": 0.0, "greatest_rms_error": 0.05, "greatest_pwm": 1.0}, {"greatest_pwm": 1.01}),
    "S5": ({"calls": 22, "rate_error": 0.0, "whole_chain": True}, {"calls": 21, "whole_chain": False}),
    "S6": ({"tick_99_ms": 0.2, "changed_outputs": 0, "periods_kept": 0.9995},
           {"tick_99_ms": 1.1, "changed_outputs": 1, "periods_kept": 0.9}),
    "S11": ({"speed_ratio": 0.95, "stuck_ratio": 2.5, "stuck AWP, OL": RARER},
            {"speed_ratio": 1.2, "stuck_ratio": 1.9, "stuck AWP, OL": OFTENER}),
    "S12": ({"difference": 1e-13}, {"difference": 1e-11}),
    "S13": ({"difference": 1e-7, "returned": 100}, {"returned": 99}),
    "S14": ({"difference": 1e-7, "power": 0.0, "compliance_yields": True, "anti_compliance_resists": True},
            {"power": 1e-11, "anti_compliance_resists": False}),
    "S15": ({"residual_ratio": 1.6, "stuck AW, JA": RARER, "stuck AW, OL": RARER}, {"residual_ratio": 1.4}),
    "S16": ({"irregular": ABOVE, "irregular / regular": ABOVE}, {"irregular / regular": BELOW}),
    "S17": ({"sigmoid": 0.005, "gaussian": 0.1}, {"sigmoid": 0.02, "gaussian": 0.04}),
    "S18": ({"joints_before": 3, "joints_after": 5, "fill_error": 0.0, "phase_error": 0.0}, {"joints_after": 4}),
    "S19": ({"weight_error": 0.0, "in_order": True, "continuous": True, "values_return": True}, {"continuous": False}),
    "S20": ({"delay_ratio": 1.0, "cpg_correlation": 0.2, "correlation": 0.9},
            {"cpg_correlation": 0.6, "correlation": 0.7}),
    "S21": ({"far_share": 0.1}, {"far_share": 0.3}),
    "S22": ({"least_over_pi": 2.1, "greatest_over_pi": 3.9, "saturated": 0, "return_error": 0.02},
            {"least_over_pi": 2.3, "greatest_over_pi": 3.7, "saturated": 1}),
    "S23": ({"held_rate": -0.1, "faster_after": True, "lag_share": 0.01}, {"held_rate": 0.6, "lag_share": 0.1}),
    "S24": ({"opposite_sign": True, "return_error": 0.0}, {"opposite_sign": False}),
    "S26": ({"CPG / A": ABOVE, "CPG / AW": ABOVE, "CPG / AWP": ABOVE}, {"CPG / AW": BELOW}),
    "S27": ({"CPG / A": ABOVE, "A / AW": ABOVE, "AW / AWP": ABOVE}, {"AW / AWP": BELOW}),
    "S28": ({"cycles A / AW": ABOVE, "impulse A / AW": ABOVE}, {"cycles A / AW": BELOW}),
    "S29": ({"cycles AW / AWP": ABOVE, "variation AW / AWP": ABOVE}, {"variation AW / AWP": BELOW}),
    "S30": ({"cycles AWPw / AWP": ABOVE, "residual AWPw / AWP": ABOVE}, {"cycles AWPw / AWP": BELOW}),
    "S31": ({"stuck AW, AW1": RARER, "stuck AW, JA": RARER, "AW1 / AW": ABOVE, "JA / AW": ABOVE},
            {"stuck AW, JA": OFTENER, "AW1 / AW": BELOW}),
    "S32": ({"half_over_best": 1.05, "joint / half": ABOVE, "body / half": ABOVE}, {"half_over_best": 1.2}),
    "S33": ({"rank_correlation": 0.8}, {"rank_correlation": 0.6}),
    "S34": ({"force_error": 0.05, "recovered_share": 0.9, "deviation A": ABOVE, "deviation omega_S": ABOVE},
            {"force_error": 0.2, "recovered_share": 0.7}),
    "S35": ({"residual_ratio": 1.6}, {"residual_ratio": 1.4}),
    "S36": ({"greatest_change": 0.1}, {"greatest_change": 0.2}),
    "S37": ({"greatest_change": 0.2}, {"greatest_change": 0.3}),
    "S38": ({"curvature CPG / AWP": ABOVE, "spread CPG / AWP": ABOVE}, {"spread CPG / AWP": BELOW}),
    "S40": ({"difference": 0.01, "continuous": True, "off_the_floor": 13}, {"off_the_floor": 11}),
    "S41": ({"at_start": 1, "wound": 5}, {"wound": 6}),
    "S42": ({"force_error": 0.3, "least_squeeze_found": True, "falls_with_friction": True}, {"force_error": 0.5}),
    "S44": ({"good_share": 1.0, "fails CWA, fixed": RARER}, {"good_share": 0.9}),
    "S45": ({"lost_share": 0.6}, {"lost_share": 0.4}),
    "S46": ({"speed_ratio": 6.0, "within_share": 0.9, "within CWA / CW": ABOVE}, {"speed_ratio": 4.0}),
    "S48": ({"over_accelerometer": 0.5, "over_gyroscope": 0.6, "filter_rms_deg": 2.0}, {"filter_rms_deg": 3.1}),
    "S49": ({"falls_each_step": True, "all_over_one": 0.3}, {"all_over_one": 0.6}),
    "S50": ({"swing_over_head": 0.2, "flip_at_ratio": 1.1, "missed_flips": 0},
            {"missed_flips": 1, "swing_over_head": 0.4}),
    "S52": ({"share_of_heading": 0.2, "switching_error_deg": 1.0, "turns_left": 10, "turns_right": 10},
            {"turns_left": 9}),
    "S53": ({"heading_first_share": 1.0, "rise_ratio": 0.3}, {"heading_first_share": 0.99}),
    "S54": ({"time linear / cubic": BELOW, "fails cubic, linear": RARER}, {"fails cubic, linear": OFTENER}),
    "S56": ({"kept_share": 0.96, "error without / with": ABOVE}, {"kept_share": 0.9}),
    "S57": ({"pass_ratio": 0.4, "passes classic, OL": RARER}, {"pass_ratio": 0.6}),
    "S58": ({"turned_share": 0.95}, {"turned_share": 0.94}),
    "S59": ({"AC_SFC": 0.1, "SFC": 0.2} | dict.fromkeys(
                ("AC-SFC, SFC", "AC-SFC, OL", "AC-SFC, AC", "SFC, AC", "OL, AC"), RARER),
            {"AC_SFC": 0.14, "SFC": 0.21, "OL, AC": OFTENER}),
    "S60": ({"AC_SFC_over_OL": 0.9, "least_mean": 16.0, "greatest_mean": 50.0, "slowest_over_fastest": 3.1}
            | dict.fromkeys(("AC-SFC / AC", "SFC / AC", "SFC / AC-SFC", "SFC / OL"), ABOVE),
            {"AC_SFC_over_OL": 0.7, "least_mean": 14.0, "SFC / OL": BELOW}),
    "S61": ({"OL / AC-SFC": ABOVE}, {"OL / AC-SFC": BELOW}),
    "S62": ({"AC_SFC_range": 0.3, "OL_range": 0.25}, {"AC_SFC_range": 0.25}),
    "S63": (
        {"fails AC-SFC compliant": (0.1, 0.1, 1.0), "time AC-SFC compliant": ABOVE},
        {"fails AC-SFC compliant": OFTENER},
    ),
    "S64": (dict.fromkeys(("fails both central", "fails both windowed", "fails the other way round"), RARER)
            | dict.fromkeys(("time both central", "time both windowed", "time the other way round"), BELOW),
            {"fails both windowed": OFTENER}),
    "S65": ({"length free / touching": ABOVE, "A touching / free": ABOVE, "correlation_low": 0.1},
            {"correlation_low": -0.1}),
    "S66": ({"branches_on_the_name": 0, "gaits_counted": 3}, {"branches_on_the_name": 1, "gaits_counted": 2}),
}  # fmt: skip


def test_every_claim_has_a_band_in_its_order():
    assert list(CRITERIA) == [f"S{number}" for number in range(1, 67)]
    assert all(criterion.claim and criterion.paper_value and criterion.band for criterion in CRITERIA.values())


@pytest.mark.parametrize("id", BANDS)
def test_bands_tell_inside_from_outside(id):
    inside, outside = BANDS[id]
    holds = CRITERIA[id].holds
    assert holds(inside) is True
    for name in inside:
        with pytest.raises(KeyError):
            holds({key: value for key, value in inside.items() if key != name})
    for name, value in outside.items():
        assert holds(inside | {name: value}) is False, name


def test_words_of_comparison():
    assert better((1.01, 3.0)) is True
    assert better((0.5, 0.99)) is False and better((0.91, 1.09)) is False
    assert better((0.8, 1.3)) is None and better(None) is None
    assert rarer_than((0.1, 0.2, 0.04)) is True and rarer_than((0.2, 0.1, 0.04)) is False
    assert rarer_than((0.1, 0.2, 0.06)) is None


def test_parts_of_a_claim():
    assert combine([True, None, False]) is False and combine([True, None]) is None and combine([True, True]) is True
    one_of = either(limits(a=(0.0, 1.0)), limits(b=(0.0, 1.0)))
    assert one_of({"a": 2.0, "b": 0.5}) is True and one_of({"a": 2.0, "b": 2.0}) is False
    assert one_of({"a": 2.0, "b": None}) is None
    with pytest.raises(KeyError):
        one_of({"a": 0.5})
    assert limits(a=(0.0, 1.0))({"a": float("nan")}) is False
