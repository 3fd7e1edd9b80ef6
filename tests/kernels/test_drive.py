"""PD law and series spring of drives."""

import numpy as np
import pytest

from serpenoid.kernels.accounts import PER_JOINT
from serpenoid.kernels.compile import kernel
from serpenoid.kernels.laws.drive import drive_samples, drive_slope, motor_numbers
from serpenoid.kernels.records import Actuation, Motion
from serpenoid.robots import PD, SeriesElastic

JOINTS = 3
MOTION = Motion(
    0.0, 0.3, np.full(JOINTS, 4.0), np.full(JOINTS, 0.1), np.full(JOINTS, 0.5), 0.7 * np.arange(JOINTS),
    np.zeros(2), np.zeros((1, 1, JOINTS)),
)  # fmt: skip
TIME = 0.4
TARGET = 0.1 + 0.5 * np.sin(0.3 + 4.0 * TIME + MOTION.lag)
TARGET_RATE = 2.0 * np.cos(0.3 + 4.0 * TIME + MOTION.lag)


@kernel
def asked(lead, time, state, torque, slope):
    joints = torque.size
    return drive_slope(lead, 0, time, state, (0, joints, 2 * joints), torque, slope)


def ask(drive, state, feedforward):
    torque, slope = np.empty(JOINTS), np.zeros(state.size + PER_JOINT * JOINTS)
    return torque, slope, asked(Actuation(MOTION, drive.record(JOINTS), feedforward), TIME, state, torque, slope)


def test_pd():
    rng = np.random.default_rng(1)
    drive, state, extra = PD(2.0, 0.3, 0.8), rng.normal(size=2 * JOINTS), np.array([0.0, 0.1, 5.0])
    torque, _, (given, cost, lost) = ask(drive, state, extra)
    q, dq = state[:JOINTS], state[JOINTS:]
    wanted = np.clip(2.0 * (TARGET - q) + 0.3 * (TARGET_RATE - dq) + extra, -0.8, 0.8)
    np.testing.assert_allclose(torque, wanted, rtol=1e-13)
    assert given == pytest.approx(torque @ dq) and cost == pytest.approx(np.abs(torque * dq).sum()) and lost == 0.0
    assert motor_numbers(drive.record(JOINTS)) == 0


def test_spring_between_motor_and_joint():
    rng = np.random.default_rng(2)
    drive, state = SeriesElastic(9.0, 0.2, 4.0, 30.0, 0.05, 0.002), rng.normal(0.0, 0.2, 4 * JOINTS)
    torque, slope, (given, cost, lost) = ask(drive, state, np.zeros(JOINTS))
    q, dq, motor, rate = np.split(state, 4)
    pushed = np.clip(9.0 * (TARGET - motor) + 0.2 * (TARGET_RATE - rate), -4.0, 4.0)
    np.testing.assert_allclose(torque, 30.0 * (motor - q) + 0.05 * (rate - dq), rtol=1e-12)
    np.testing.assert_allclose(slope[2 * JOINTS : 3 * JOINTS], rate)
    np.testing.assert_allclose(slope[3 * JOINTS : 4 * JOINTS], (pushed - torque) / 0.002, rtol=1e-12)
    assert given == pytest.approx(pushed @ rate) and cost == pytest.approx(np.abs(pushed * rate).sum())
    assert lost == pytest.approx(-0.05 * ((rate - dq) ** 2).sum())
    assert motor_numbers(drive.record(JOINTS)) == 2
    stored = 30.0 * (motor - q) @ (rate - dq) + 0.002 * rate @ slope[3 * JOINTS : 4 * JOINTS]
    assert stored == pytest.approx(given + lost - torque @ dq)  # the input is stored, lost or passed on


@pytest.mark.parametrize("drive", [PD(2.0, 0.3, 0.8), SeriesElastic()])
def test_samples_are_the_same_law(drive):
    rng = np.random.default_rng(3)
    states = rng.normal(0.0, 0.1, (2, 4 * JOINTS))
    extra = np.array([0.0, 0.1, 5.0])
    gains = type(drive.record(1))(*(np.tile(gain, 2) for gain in drive.record(JOINTS)))
    pairs = [np.stack([states[:, a : a + JOINTS].ravel(), states[:, b : b + JOINTS].ravel()], axis=1)
             for a, b in ((0, JOINTS), (2 * JOINTS, 3 * JOINTS))]  # fmt: skip
    found = drive_samples(gains, np.tile(TARGET, 2), np.tile(TARGET_RATE, 2), np.tile(extra, 2), *pairs)
    for i in range(2):
        torque, _, (given, _, _) = ask(drive, states[i], extra)
        rows = found[i * JOINTS : (i + 1) * JOINTS]
        np.testing.assert_allclose(rows[:, 0], torque, rtol=1e-12)
        assert rows[:, 1].sum() == pytest.approx(given)
