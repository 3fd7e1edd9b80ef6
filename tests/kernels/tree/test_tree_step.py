"""Rollouts of trees: against the naively integrated recursion, in any frame, and across jumps of the joint rates."""

import numpy as np
from scipy.spatial.transform import Rotation

from serpenoid.gaits.base import polynomial, wave
from serpenoid.kernels.motion import motion_samples
from serpenoid.kernels.records import Vacuum
from serpenoid.kernels.tree.recursion import inverse_dynamics
from serpenoid.kernels.tree.samples import survey_states
from serpenoid.kernels.tree.scene import NO_WRENCHES
from serpenoid.kernels.tree.step import prescribed_rollout
from serpenoid.robots import Natrix

TREE, JOINTS, NOWHERE = Natrix().tree(), 14, Vacuum((0.0, 0.0, 0.0))
random = np.random.default_rng(11)
MOTION = wave(
    JOINTS, 1.0, random.normal(size=JOINTS) * 0.4, random.normal(size=JOINTS), random.normal(size=JOINTS) * 0.2
)


def start(motion, pose=(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), twist=(0.1, -0.2, 0.3, 0.5, -0.4, 0.7)):
    """Return the state of a motion at time zero."""
    q, dq, _ = (part[0] for part in motion_samples(motion, np.zeros(1)))
    return np.concatenate([pose, q, twist, dq])


def naive_rollout(motion, state, steps, step):
    """Integrate base pose and twist by RK4 with the recursion's base acceleration, a stage at a time."""
    position, attitude, twist = state[:3], Rotation.from_quat(state[3:7], scalar_first=True), state[21:27]

    def slope(time, turned, twist):
        q, dq, ddq = (part[0] for part in motion_samples(motion, np.array([time])))
        base, torques = np.zeros(6), np.zeros(JOINTS)
        inverse_dynamics(TREE, q, dq, ddq, twist, np.zeros((0, 6)), base, torques)
        return turned.apply(twist[:3]), turn_rate(turned, twist[3:]), base

    for i in range(steps):
        y = (position, attitude.as_quat(scalar_first=True), twist)
        ks = []
        for reach in (0.0, 0.5, 0.5, 1.0):
            moved = y if not ks else tuple(a + reach * step * k for a, k in zip(y, ks[-1]))
            ks.append(slope((i + reach) * step, Rotation.from_quat(moved[1], scalar_first=True), moved[2]))
        position, q, twist = (a + step / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3]) for a, k in zip(y, zip(*ks)))
        attitude = Rotation.from_quat(q, scalar_first=True)
    return position, attitude, twist


def turn_rate(turned, omega):
    """Return the rate of the quaternion of a rotation."""
    w, x, y, z = turned.as_quat(scalar_first=True)
    a, b, c = omega
    return 0.5 * np.array((-x * a - y * b - z * c, w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a))


def test_carrying_momentum_is_integrating_the_recursion():
    state = start(MOTION)
    ours = prescribed_rollout(TREE, NOWHERE, MOTION, state, 0, 200, 200, 0.001, NO_WRENCHES)[-1]
    position, attitude, twist = naive_rollout(MOTION, state, 200, 0.001)
    np.testing.assert_allclose(ours[:3], position, atol=1e-9)
    np.testing.assert_allclose(ours[21:27], twist, atol=1e-8)
    turned = Rotation.from_quat(ours[3:7], scalar_first=True).inv() * attitude
    assert turned.magnitude() < 1e-9


def test_fourth_order():
    state = start(MOTION)
    fine = prescribed_rollout(TREE, NOWHERE, MOTION, state, 0, 1600, 1600, 0.000625, NO_WRENCHES)[-1]
    errors = [
        np.abs(prescribed_rollout(TREE, NOWHERE, MOTION, state, 0, n, n, 1.0 / n, NO_WRENCHES)[-1] - fine).max()
        for n in (50, 100)
    ]
    assert 10.0 < errors[0] / errors[1] < 24.0


def test_any_frame_tells_the_same_story():
    turn, shift = Rotation.from_rotvec((0.5, -1.1, 0.3)), np.array((3.0, -2.0, 1.0))
    here = prescribed_rollout(TREE, NOWHERE, MOTION, start(MOTION), 0, 1000, 1000, 0.001, NO_WRENCHES)[-1]
    pose = np.concatenate([shift, turn.as_quat(scalar_first=True)])
    there = prescribed_rollout(TREE, NOWHERE, MOTION, start(MOTION, pose), 0, 1000, 1000, 0.001, NO_WRENCHES)[-1]
    np.testing.assert_allclose(there[:3], turn.apply(here[:3]) + shift, atol=1e-10)
    np.testing.assert_allclose(there[7:], here[7:], atol=1e-10)


def test_momentum_is_kept_over_ten_seconds_and_across_jumps_of_the_rates():
    """To 1e-12 of the sum of the bodies' parts; the ramps jump in rate at odd times between the steps."""
    knots = np.array((0.0, 0.40033, 1.1, 2.00041, 10.0))
    slopes = random.normal(size=(4, JOINTS)) * 0.3
    coefficients = np.zeros((4, 2, JOINTS))
    for k in range(4):
        coefficients[k, 1] = slopes[k]
        if k:
            coefficients[k, 0] = coefficients[k - 1, 0] + slopes[k - 1] * (knots[k] - knots[k - 1])
    for motion in (MOTION, polynomial(knots, coefficients)):
        states = prescribed_rollout(TREE, NOWHERE, motion, start(motion), 0, 10000, 100, 0.001, NO_WRENCHES)
        survey = survey_states(
            TREE,
            NOWHERE,
            np.zeros(3),
            np.zeros(len(states)),
            states,
            np.zeros((len(states), JOINTS)),
            np.zeros((0, 0, 6)),
        )
        for part, share in ((survey.momentum[:, :3], 0), (survey.momentum[:, 3:], 1)):
            assert np.ptp(part, axis=0).max() < 1e-12 * survey.shares[:, share].max()
