"""Inertial turning tick by tick against a plain law: mean heading of a cycle, two wells, the tapered side."""

from __future__ import annotations

from dataclasses import replace
from math import pi

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from serpenoid.control import InertialTurning, Observation, ShapeCompliance
from serpenoid.kernels.laws.turning import SUBSTEPS, reversal_history
from serpenoid.robots import SeaSnake

ROBOT, PERIOD = SeaSnake(), 0.01
LAW = ShapeCompliance.presets()["sidewinding_ac_sfc"]()


def signals_of(turning, yaw):
    """Return signals by tick of a law for a flat, straight snake rotated about the vertical, yaw (ticks,)."""
    law = replace(LAW, turning=turning).start(ROBOT, PERIOD, np.random.default_rng(0))
    still, rows = np.zeros(ROBOT.joints), []
    force = np.tile([0.0, 0.0, 9.81], (19, 1))
    for rate in np.diff(yaw, prepend=yaw[0]) / PERIOD:
        sensed = dict.fromkeys(("joint_position", "joint_velocity", "joint_torque"), still)
        spin = np.tile([0.0, 0.0, rate], (19, 1))
        law(Observation(len(rows) * PERIOD, sensed | {"accelerometer": force, "gyroscope": spin}))
        found = law.signals()
        rows.append([float(found[name].value) for name in ("chassis_heading", "shape_reversal", "taper_side")])
    return np.array(rows)


def plain_law(turning, yaw):
    """Compute the same plainly: heading over a cycle minus the first and the target one, beta, and the tapered side."""
    samples, beta, side, rows = round(turning.cycle / PERIOD), 0.0, 0.0, []
    for tick in range(len(yaw)):
        if tick + 1 < samples:
            rows.append((0.0, 0.0, 0.0))
            continue
        heading = np.mean(yaw[tick + 1 - samples : tick + 1]) - np.mean(yaw[:samples]) - turning.target
        for _ in range(SUBSTEPS):
            x = beta - pi * np.floor(beta / pi)
            wells = turning.well_stiffness * x * (x - pi / 2) * (x - pi)
            beta += PERIOD / SUBSTEPS * (turning.heading_stiffness * (heading - beta) - wells)
        well = np.round(beta / pi)
        error = heading - pi * well
        if abs(error) > turning.begin:
            side = np.sign(error) * (1.0 if turning.tapered == "front" else -1.0) * (-1.0) ** well
        elif abs(error) < turning.end:
            side = 0.0
        rows.append((heading, beta, side))
    return np.array(rows)


@pytest.mark.parametrize(("tapered", "way"), [("front", 1.0), ("rear", -1.0)])
def test_ticks_are_those_of_the_plain_law(tapered, way):
    """Small errors, a whole rotation and back, longer than a cycle; headings continue beyond pi."""
    turning = InertialTurning(8.0, 8.0, cycle=0.2, target=0.04, tapered=tapered, begin=0.1, end=0.05)
    parts = (np.zeros(25), np.linspace(0.0, 0.3, 25), np.full(25, 0.02), np.linspace(0.02, 7.0, 150), np.full(40, 7.0),
             np.linspace(7.0, 3.0, 80))  # fmt: skip
    yaw = way * np.concatenate(parts)
    found, plain = signals_of(turning, yaw)[1:], plain_law(turning, yaw[1:])  # the first tick starts the law
    np.testing.assert_allclose(found[:, :2], plain[:, :2], atol=1e-6)
    edges = np.abs(np.abs(plain[:, 0] - pi * np.round(plain[:, 1] / pi))[:, None] - (0.1, 0.05)).min(axis=1)
    assert edges.min() > 1e-6  # rounding has no influence
    np.testing.assert_array_equal(found[:, 2], plain[:, 2])
    assert set(plain[:, 2]) == {-1.0, 0.0, 1.0} and np.abs(plain[:, 1]).max() > 1.5 * pi


def test_wells_follow_their_differential_equation():
    """Four explicit substeps of a period against an accurate integrator, from well to well."""
    headings = np.concatenate([np.full(200, 0.3), np.full(400, 3.0), np.full(300, -1.0)])
    found, beta = reversal_history(0.1, headings, 2.0, 2.0, PERIOD), 0.1
    exact = []
    for heading, ticks in ((0.3, 200), (3.0, 400), (-1.0, 300)):

        def slope(_, b, heading=heading):
            x = b % pi
            return -2.0 * x * (x - pi / 2) * (x - pi) + 2.0 * (heading - b)

        run = solve_ivp(slope, (0.0, ticks * PERIOD), [beta], rtol=1e-9, t_eval=PERIOD * np.arange(1, ticks + 1))
        exact.append(run.y[0])
        beta = run.y[0, -1]
    assert np.abs(found - np.concatenate(exact)).max() < 0.01  # first order in 2.5 ms
    finer = reversal_history(0.1, np.repeat(headings, 10), 2.0, 2.0, PERIOD / 10)[9::10]
    assert np.abs(finer - np.concatenate(exact)).max() < 0.0015
