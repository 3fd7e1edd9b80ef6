"""Runs in lanes against runs one at a time."""

import numpy as np
import pytest
from planar_cases import MEDIA, led, model_in

from serpenoid.kernels.planar.lanes import WaveRuns, wave_rollouts
from serpenoid.kernels.planar.step import drive_torque, driven_rollout
from serpenoid.kernels.records import Motion

LINKS, STEP = 5, 2e-3


def random_runs(count, links=LINKS):
    rng = np.random.default_rng(11)
    joints = links - 1
    ones = np.ones((count, joints))

    def column(low, high):
        return rng.uniform(low, high, (count, 1))

    return WaveRuns(
        rng.uniform(3.0, 30.0, count), rng.uniform(0.0, 6.0, count), column(-0.2, 0.2) * ones, column(0.1, 1.5) * ones,
        column(0.0, 6.3) * np.arange(joints), column(0.1, 3.0) * ones, column(0.05, 0.2) * ones, ones,
    )  # fmt: skip


def single(model, runs, i, state, steps):
    joints = runs.lag.shape[1]
    motion = Motion(
        0.0, runs.phase[i], np.full(joints, runs.rate[i]), runs.offset[i].copy(), runs.amplitude[i].copy(),
        runs.lag[i].copy(), np.zeros(2), np.zeros((1, 1, joints)),
    )  # fmt: skip
    actuation = led(motion, runs.stiffness[i], runs.damping[i], runs.limit[i])
    return actuation, driven_rollout(model, actuation, state, 0, STEP, steps, 1)[0]


@pytest.mark.parametrize("stations", [1, 2])
@pytest.mark.parametrize("medium", [None, "printed", *MEDIA])
def test_lanes_equal_single_runs(medium, stations):
    steps, measured, count = 1000, 600, 70
    model, runs = model_in(medium, LINKS, stations), random_runs(count)
    starts = np.random.default_rng(12).normal(0.0, 0.1, (count, 2 * (LINKS + 2)))
    (displacement, direction, power), final = wave_rollouts(model, runs, starts, STEP, steps, measured)
    for i in (0, 5, 63, 64, 69):
        actuation, states = single(model, runs, i, starts[i], steps)
        scale = max(1.0, np.abs(states[-1]).max())
        np.testing.assert_allclose(final[i], states[-1], rtol=0, atol=1e-10 * scale)
        np.testing.assert_allclose(displacement[i], states[-1, :2] - states[steps - measured - 1, :2], atol=1e-10)
        torque, spent = np.empty(LINKS - 1), []
        for k in range(steps - measured, steps):
            drive_torque(actuation, 0, k * STEP, states[k - 1], torque)
            spent.append(np.abs(torque * states[k - 1, LINKS + 5 :]).sum())
        np.testing.assert_allclose(power[i], np.mean(spent), rtol=1e-9)
        angles = np.cumsum(states[steps - measured - 1 : steps - 1, 2 : LINKS + 2], axis=1)
        np.testing.assert_allclose(direction[i], (np.cos(angles).mean(), np.sin(angles).mean()), atol=1e-9)


def test_a_diverged_lane_leaves_its_neighbours_alone():
    model, runs = model_in("dry"), random_runs(64)
    starts = np.zeros((64, 2 * (LINKS + 2)))
    (_, _, good_power), good_final = wave_rollouts(model, runs, starts, STEP, 200, 100)
    bad_starts = starts.copy()
    bad_starts[17, -1] = 1e200
    (displacement, direction, power), final = wave_rollouts(model, runs, bad_starts, STEP, 200, 100)
    assert np.isnan(displacement[17]).all() and np.isnan(direction[17]).all() and np.isnan(power[17])
    others = np.arange(64) != 17
    np.testing.assert_array_equal(final[others], good_final[others])
    np.testing.assert_array_equal(power[others], good_power[others])
