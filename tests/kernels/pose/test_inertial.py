"""Complementary filter against a plain filter with scipy's rotations, and against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from serpenoid.estimation import ComplementaryFilter, Readings
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.robots import SeaSnake

ROBOT, PERIOD, GRAVITY = SeaSnake(), 0.01, STANDARD_GRAVITY
TREE = ROBOT.tree()
LINKS = TREE.parent.size


def rotation_of(quaternion):
    return Rotation.from_quat(quaternion, scalar_first=True)


def placed(angles, rates):
    """Return the rotation of every link relative to the head, and its relative angular velocity in head axes."""
    turns, spins = [Rotation.identity()], [np.zeros(3)]
    for k in range(1, LINKS):
        parent, hinge = TREE.parent[k], Rotation.from_rotvec(angles[k - 1] * TREE.axis[k])
        turns.append(turns[parent] * Rotation.from_matrix(TREE.rotation[k]) * hinge)
        spins.append(spins[parent] + rates[k - 1] * turns[k].apply(TREE.axis[k]))
    return turns, spins


def levelled_start(up):
    """Return the attitude with `up` upwards and its x axis in the world's xz plane, ahead."""
    z = up / np.linalg.norm(up)
    x = np.array([1.0, 0.0, 0.0]) - z[0] * z
    x /= np.linalg.norm(x)
    return Rotation.from_matrix([x, np.cross(z, x), z])


def plain_filter(kind, readings, start):
    """Return attitudes by rotation vectors; a sample without readings keeps the attitude."""
    used = np.unique(np.round(np.linspace(0, LINKS - 1, kind.links or LINKS)).astype(int))
    attitude, before, found = start, None, []
    for angles, rates, force, spin in zip(
        readings.position, readings.velocity, readings.accelerometer, readings.gyroscope
    ):
        if np.isnan(angles).any() or np.isnan(force[used]).any() or np.isnan(spin[used]).any():
            before = None
            found.append(np.full(4, np.nan) if attitude is None else attitude.as_quat(scalar_first=True))
            continue
        middle = (angles, rates) if before is None else (0.5 * (before + angles), (angles - before) / PERIOD)
        turns, against = placed(*middle)
        felt = np.mean([turns[k].apply(force[k]) for k in used], axis=0)
        rate = np.mean([turns[k].apply(spin[k]) - against[k] for k in used], axis=0)
        if attitude is None:
            attitude = levelled_start(felt)
        elif found:
            halfway = attitude * Rotation.from_rotvec(0.5 * PERIOD * rate)
            attitude = attitude * Rotation.from_rotvec(PERIOD * rate)
            size = np.linalg.norm(felt)
            if abs(size - GRAVITY) <= kind.band:
                believed, seen = halfway.inv().apply([0.0, 0.0, 1.0]), felt / size
                error, _ = Rotation.align_vectors([believed], [seen])  # the smallest rotation from seen to believed
                share = kind.gain / (1.0 + np.linalg.norm(rate))
                attitude = attitude * Rotation.from_rotvec(share * error.as_rotvec())
        before = angles
        found.append(attitude.as_quat(scalar_first=True))
    return np.array(found)


def random_readings(samples, seed):
    """Return waving angles and inconsistent readings, to check only the filter's arithmetic."""
    rng, times = np.random.default_rng(seed), PERIOD * np.arange(samples)
    position = 0.5 * np.sin(np.arange(ROBOT.joints) * 0.9 - 3.0 * times[:, None])
    force = np.array([0.0, 0.0, GRAVITY]) + rng.normal(0.0, 0.8, (samples, LINKS, 3))
    velocity = rng.normal(size=position.shape)
    return Readings(times, position, velocity, np.zeros_like(position), force, rng.normal(size=(samples, LINKS, 3)))


def assert_same_attitudes(found, wanted, bound):
    unknown = np.isnan(wanted).any(axis=1)
    assert np.isnan(found[unknown]).all() and not np.isnan(found[~unknown]).any()
    assert (rotation_of(found[~unknown]).inv() * rotation_of(wanted[~unknown])).magnitude().max() < bound


@pytest.mark.parametrize(
    "kind", [ComplementaryFilter(0.3, 20.0), ComplementaryFilter(0.3, 0.5, 3)], ids=["all", "three"]
)
def test_attitudes_are_those_of_the_plain_filter(kind):
    readings = random_readings(150, 1)
    start = rotation_of([0.9, 0.1, -0.3, 0.2])
    found = kind.run(ROBOT, readings, start.as_quat(scalar_first=True))
    assert_same_attitudes(found, plain_filter(kind, readings, start), 1e-9)


def test_gaps_of_any_reading_are_those_of_the_plain_filter():
    kind, readings = ComplementaryFilter(0.3, 20.0, 3), random_readings(60, 2)
    readings.position[0, 3] = readings.gyroscope[1, 0, 2] = readings.accelerometer[2, 18, 0] = np.nan
    readings.gyroscope[20:25] = readings.position[40] = np.nan
    readings.accelerometer[30, 1] = np.nan  # of a link whose IMU is not used
    assert_same_attitudes(kind.run(ROBOT, readings), plain_filter(kind, readings, None), 1e-9)


def still_readings(samples, tilt, rate=(0.0, 0.0, 0.0)):
    """Return readings of a straight snake that rotates at a constant rate about its own axes, and its attitudes."""
    times, joints = PERIOD * np.arange(samples), np.zeros((samples, ROBOT.joints))
    turns = tilt * Rotation.from_rotvec(np.outer(times, rate))
    force = np.repeat(turns.inv().apply([0.0, 0.0, GRAVITY])[:, None], LINKS, axis=1)
    return Readings(times, joints, joints, joints, force, np.tile(rate, (samples, LINKS, 1)).astype(float)), turns


def test_a_constant_rate_is_a_pure_rotation():
    """Gyroscopes alone propagate the attitude exactly: start x exp(rate t)."""
    start = rotation_of([0.8, 0.3, -0.2, 0.4])
    readings, turns = still_readings(300, start, (0.7, -1.1, 2.0))
    found = ComplementaryFilter(gain=0.0).run(ROBOT, readings, start.as_quat(scalar_first=True))
    assert_same_attitudes(found, turns.as_quat(scalar_first=True), 1e-11)


def test_a_wrong_tilt_decays_by_the_gain():
    """At rest the angle to the true vertical is (1 - gain)^n of the first; the heading is unchanged."""
    true = Rotation.from_euler("ZYX", [0.4, 0.3, -0.2])
    wrong = Rotation.from_rotvec([0.25, 0.0, 0.0]) * true
    readings, _ = still_readings(60, true)
    found = rotation_of(ComplementaryFilter(gain=0.1).run(ROBOT, readings, wrong.as_quat(scalar_first=True)))
    up = (found * true.inv()).apply([0.0, 0.0, 1.0])
    np.testing.assert_allclose(np.arccos(up[:, 2]), 0.25 * 0.9 ** np.arange(60), atol=1e-7)
    np.testing.assert_allclose((found * true.inv()).as_rotvec()[:, 1:], 0.0, atol=1e-12)


def test_forces_outside_of_the_band_do_not_level():
    true, wrong = Rotation.identity(), Rotation.from_rotvec([0.25, 0.0, 0.0])
    readings, _ = still_readings(20, true)
    strong = readings._replace(accelerometer=1.2 * readings.accelerometer)
    start = wrong.as_quat(scalar_first=True)
    found = ComplementaryFilter(gain=0.5, band=1.0).run(ROBOT, strong, start)
    np.testing.assert_allclose(found, np.tile(start, (20, 1)), atol=1e-12)


def test_a_turn_of_the_world_about_the_vertical_turns_the_estimate():
    """Gravity is the filter's only information about the world."""
    kind, readings = ComplementaryFilter(0.2, 20.0), random_readings(80, 3)
    start, turn = rotation_of([0.9, 0.2, -0.1, 0.3]), Rotation.from_euler("z", 1.3)
    found = rotation_of(kind.run(ROBOT, readings, start.as_quat(scalar_first=True)))
    turned = kind.run(ROBOT, readings, (turn * start).as_quat(scalar_first=True))
    assert_same_attitudes(turned, (turn * found).as_quat(scalar_first=True), 1e-10)
