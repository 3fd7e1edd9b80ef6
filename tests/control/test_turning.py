"""Reversal by two wells, and the whole of inertial turning on readings of a snake that is turned round."""

from __future__ import annotations

from dataclasses import replace
from math import pi

import numpy as np
import pytest
from scipy.optimize import brentq

from serpenoid.control import InertialTurning, Observation, ShapeCompliance
from serpenoid.errors import InvalidValue
from serpenoid.kernels.laws.turning import reversal_history
from serpenoid.robots import SeaSnake

ROBOT, PERIOD = SeaSnake(), 0.01


def settled(beta, heading, ratio=1.0):
    """Equilibrium of beta under a constant heading."""
    return reversal_history(beta, np.full(6000, heading), 2.0, 2.0 * ratio, PERIOD)[-1]


def switching_heading(ratio):
    """Closed form: the heading at the local maximum of x + x (x - pi/2) (x - pi) / ratio on 0 .. pi/2."""
    slope = np.polynomial.Polynomial([0.5 * pi**2, -3.0 * pi, 3.0]) / ratio + 1.0
    x = min(root.real for root in slope.roots() if abs(root.imag) < 1e-12)
    return x + x * (x - 0.5 * pi) * (x - pi) / ratio


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_small_headings_do_not_matter_and_large_ones_pull_beta_over(way):
    """S52: both ways round, within 2 deg of the closed form, which is 129 deg at ratio 1."""
    for degrees in (10, 20, 30, 45):
        assert abs(settled(0.0, way * np.radians(degrees))) <= 0.25 * np.radians(degrees)
    limit = switching_heading(1.0)
    assert abs(np.degrees(limit) - 129.0) < 0.5
    assert abs(settled(0.0, way * (limit - np.radians(2.0)))) < 0.5 * pi
    assert abs(settled(0.0, way * (limit + np.radians(2.0)))) > 0.5 * pi
    assert abs(settled(way * pi, way * np.radians(49.0)) - 0.0) < 0.5 * pi  # and back at 51 deg
    assert abs(settled(way * pi, way * np.radians(53.0))) > 0.5 * pi


def test_the_limits_of_the_ratio():
    """It switches within half a turn only above pi^2/16, and has two wells only below pi^2/4."""
    assert settled(0.0, pi, 0.95 * pi**2 / 16) < 0.5 * pi < settled(0.0, pi, 1.05 * pi**2 / 16)
    middle = [settled(beta, 0.5 * pi, 1.1 * pi**2 / 4) for beta in (0.0, pi)]
    assert abs(middle[0] - middle[1]) < 1e-3
    apart = [settled(beta, 0.5 * pi, 0.9 * pi**2 / 4) for beta in (0.0, pi)]
    assert abs(apart[0] - apart[1]) > 0.3
    assert brentq(lambda r: switching_heading(r) - pi, 0.3, 1.0) == pytest.approx(pi**2 / 16, rel=1e-6)


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_ten_turns_in_a_row(way):
    """S52: each half turn of the snake turns beta on by pi, any number of times."""
    headings = way * pi * np.repeat(np.arange(11), 1000)
    found = reversal_history(0.0, headings, 2.0, 2.0, PERIOD)[999::1000]
    assert np.allclose(found, way * pi * np.arange(11), atol=0.02)


def fed(controller, yaw):
    """Signals of a law whose snake lies flat in its nominal shape and is turned about the vertical, yaw (ticks,)."""
    law, still = controller.start(ROBOT, PERIOD, np.random.default_rng(0)), np.zeros(ROBOT.joints)
    found = []
    for tick in range(len(yaw)):
        rate = (yaw[tick] - yaw[tick - 1]) / PERIOD if tick else 0.0
        told = {
            "joint_position": still, "joint_velocity": still, "joint_torque": still,
            "accelerometer": np.tile([0.0, 0.0, 9.81], (19, 1)), "gyroscope": np.tile([0.0, 0.0, rate], (19, 1)),
        }  # fmt: skip
        law(Observation(tick * PERIOD, told))
        found.append({name: float(s.value) for name, s in law.signals().items() if not s.dims})
    return {name: np.array([row[name] for row in found]) for name in found[0]}, law


TURNING = replace(ShapeCompliance.presets()["sidewinding_ac_sfc"](), turning=InertialTurning(cycle=0.5))


def test_a_snake_that_is_turned_round_reverses():
    """S53: the heading leaves first, beta follows and then goes over."""
    yaw = np.concatenate([np.zeros(100), np.linspace(0.0, pi, 400), np.full(300, pi)])
    signals, _ = fed(TURNING, yaw)
    assert abs(signals["chassis_heading"][-1] - pi) < 0.01 and signals["chassis_clear"][1:].all()
    assert abs(signals["shape_reversal"][-1] - pi) < 0.05
    over = [np.argmax(signals[name] > 0.5 * pi) for name in ("chassis_heading", "shape_reversal")]
    assert over[0] < over[1]
    assert np.abs(np.diff(signals["shape_reversal"])).max() < 0.2


def test_a_small_error_tapers_one_half_until_it_is_gone():
    yaw = np.concatenate([np.zeros(100), np.full(300, 0.15), np.zeros(300)])
    signals, _ = fed(TURNING, yaw)
    assert signals["taper_side"][50] == 0.0 and signals["taper_side"][350] == 1.0 and signals["taper_side"][-1] == 0.0
    assert signals["shape_front_taper"][390] > 0.5 and abs(signals["shape_front_taper"][-1]) < 0.1
    assert np.abs(np.diff(signals["shape_front_taper"])).max() < 0.02  # no jump
    other = replace(TURNING, turning=InertialTurning(cycle=0.5, tapered="rear"))
    assert fed(other, yaw)[0]["taper_side"][350] == -1.0


def test_missing_imu_readings_hold_the_command():
    _, law = fed(TURNING, np.zeros(10))
    before, still = law.target.copy(), np.zeros(ROBOT.joints)
    told = dict.fromkeys(("joint_position", "joint_velocity", "joint_torque"), still)
    told |= {"accelerometer": np.full((19, 3), np.nan), "gyroscope": np.zeros((19, 3))}
    assert np.array_equal(law(Observation(0.1, told)).position, before)
    assert law.signals()["law_held"].value == 1.0


def test_thresholds_in_the_wrong_order():
    with pytest.raises(InvalidValue, match="end = 0.5"):
        InertialTurning(end=0.5)
