"""Estimators on a run of the contact world: sidewinding, whose modules are lifted and set down, beside the truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from serpenoid.estimation import ComplementaryFilter, over_cycle, pose_at_rest, readings_of, virtual_chassis
from serpenoid.gaits import Sidewinding
from serpenoid.scenarios.gait_run import GaitRun

CYCLE = 2.0  # [s]


@pytest.fixture(scope="module")
def sidewound():
    """Six seconds: the robot, its readings and the true attitude of its head."""
    scenario = GaitRun(duration=6.0, settle=1.0, sample_period=0.01, gait=Sidewinding(frequency=1.0 / CYCLE))
    run = scenario.run()
    return scenario.robot, readings_of(run), Rotation.from_quat(run["base_pose"][:, 3:], scalar_first=True)


def noisy(readings, seed):
    """With noise and bias of ordinary sensors."""
    rng, shape = np.random.default_rng(seed), readings.gyroscope.shape
    return readings._replace(
        accelerometer=readings.accelerometer + rng.normal(0.0, 0.05, shape) + rng.normal(0.0, 0.1, shape[1:]),
        gyroscope=readings.gyroscope + rng.normal(0.0, 0.01, shape) + rng.normal(0.0, 0.002, shape[1:]),
    )


def tilt_errors(quaternions, truth):
    """Angle between estimated and true vertical [rad], rms after the first second."""
    up = [t.inv().apply([0.0, 0.0, 1.0]) for t in (Rotation.from_quat(quaternions, scalar_first=True), truth)]
    angle = np.arccos(np.clip((up[0] * up[1]).sum(axis=1), -1.0, 1.0))
    return float(np.sqrt(np.mean(angle[100:] ** 2)))


def test_the_filter_follows_the_head_with_and_without_noise(sidewound):
    robot, readings, truth = sidewound
    start = truth[0].as_quat(scalar_first=True)
    exact, rough = (
        tilt_errors(ComplementaryFilter().run(robot, r, start), truth) for r in (readings, noisy(readings, 1))
    )
    alone = tilt_errors(ComplementaryFilter(gain=1.0, band=100.0).run(robot, noisy(readings, 1), start), truth)
    assert exact < np.radians(2.0) and rough < np.radians(3.0) and rough < alone


def test_the_heading_over_a_cycle_is_that_of_the_true_chassis(sidewound):
    robot, readings, truth = sidewound
    start = truth[0].as_quat(scalar_first=True)
    found = virtual_chassis(robot, readings.position, ComplementaryFilter().run(robot, noisy(readings, 2), start))
    true = virtual_chassis(robot, readings.position, truth.as_quat(scalar_first=True))
    assert true.clear.all() and found.clear.all()
    headings = [over_cycle(c.heading, readings.period, CYCLE) for c in (found, true)]
    assert np.abs(headings[0] - headings[1]).max() < np.radians(3.0)
    swings = [np.ptp(values[round(CYCLE / readings.period) :]) for values in (headings[1], true.heading)]
    assert swings[0] < swings[1]  # the average over a cycle takes the gait's own swing away, not the slow turn


def test_the_pose_at_rest_is_that_of_a_snake_that_lies_still():
    """The wave stands, the snake has come to rest on the floor: the last readings give the attitude of its head."""
    scenario = GaitRun(duration=2.0, settle=1.0, sample_period=0.01, gait=Sidewinding(frequency=0.0))
    run = scenario.run()
    readings = readings_of(run)
    last = readings._replace(
        **{n: part[-20:] for n, part in readings._asdict().items() if isinstance(part, np.ndarray)}
    )
    up = Rotation.from_quat(pose_at_rest(scenario.robot, last), scalar_first=True).inv().apply([0.0, 0.0, 1.0])
    truth = Rotation.from_quat(run["base_pose"][-1, 3:], scalar_first=True).inv().apply([0.0, 0.0, 1.0])
    assert np.degrees(np.arccos(np.clip(up @ truth, -1.0, 1.0))) < 1.0
