"""Batched runs against runs one at a time."""

import numpy as np
import pytest
from planar_cases import MEDIA, NO_WRENCH, led, model_in, slack

from serpenoid.kernels.accounts import ABSOLUTE, ACCOUNTS, PER_JOINT
from serpenoid.kernels.planar.batch import WaveRuns, wave_rollouts
from serpenoid.kernels.planar.step import driven_rollout
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


def single(model, runs, i, state, steps, every):
    """Return states of one run, including the start, and its account of absolute work."""
    joints = runs.lag.shape[1]
    motion = Motion(
        0.0, runs.phase[i], np.full(joints, runs.rate[i]), runs.offset[i].copy(), runs.amplitude[i].copy(),
        runs.lag[i].copy(), np.zeros(2), np.zeros((1, 1, joints)),
    )  # fmt: skip
    actuation = led(motion, runs.stiffness[i], runs.damping[i], runs.limit[i])
    start = np.r_[state, np.zeros(PER_JOINT * (model.shift.size - 1) + ACCOUNTS)]
    states = np.vstack([start, driven_rollout(model, actuation, NO_WRENCH, start, 0, STEP, steps, every)[0]])
    return states[:, : state.size], states[:, ABSOLUTE - ACCOUNTS]


@pytest.mark.parametrize("stations", [1, 2])
@pytest.mark.parametrize("medium", [None, "printed", *MEDIA])
def test_lanes_equal_single_runs(medium, stations):
    steps, every, count = 1000, 20, 70
    model, runs = model_in(medium, LINKS, stations), random_runs(count)
    starts = np.random.default_rng(12).normal(0.0, 0.1, (count, 2 * (LINKS + 2)))
    tracks = wave_rollouts(model, runs, starts, STEP, steps, every)
    for i in (0, 5, 63, 64, 69):
        states, work = single(model, runs, i, starts[i], steps, every)
        np.testing.assert_allclose(tracks.center[:, :2, i], states[:, :2], atol=1e-10 * max(1.0, np.abs(states).max()))
        np.testing.assert_allclose(tracks.work[:, i], work, rtol=1e-9)
        np.testing.assert_allclose(tracks.joints[:, :, i], states[:, 3 : LINKS + 2], atol=1e-9)
        angles = np.cumsum(states[:, 2 : LINKS + 2], axis=1)
        axis = -np.stack([np.cos(angles).mean(axis=1), np.sin(angles).mean(axis=1)], axis=1)
        np.testing.assert_allclose(tracks.axis[:, :2, i], axis, atol=1e-9)


def test_a_diverged_lane_leaves_its_neighbours_alone():
    model, runs = model_in("dry"), random_runs(64)
    starts = np.zeros((64, 2 * (LINKS + 2)))
    good = wave_rollouts(model, runs, starts, STEP, 200, 10)
    bad_starts = starts.copy()
    bad_starts[17, -1] = 9e5
    found = wave_rollouts(model, runs, bad_starts, STEP, 200, 10)
    assert np.isfinite(found.work[0, 17]) and np.isnan(found.work[1:, 17]).all()
    assert np.isnan(found.center[1:, :, 17]).all() and np.isnan(found.axis[1:, :, 17]).all()
    others = np.arange(64) != 17
    for ours, theirs in zip(found, good):
        np.testing.assert_array_equal(ours[..., others], theirs[..., others])


def held_alone(model, runs, i, state, periods):
    """Return states after every period of one run whose torques are computed here and held."""
    start, joints = np.r_[state, np.zeros(PER_JOINT * (LINKS - 1) + ACCOUNTS)], LINKS - 1
    free, summed, states = slack(joints), np.zeros(joints), [start]
    limited = free._replace(drive=free.drive._replace(limit=runs.limit[i]))
    for tick in range(periods):
        now, time = states[-1], tick * runs.hold * STEP
        phase = runs.phase[i] + runs.rate[i] * time + runs.lag[i]
        error = runs.offset[i] + runs.amplitude[i] * np.sin(phase) - now[3 : LINKS + 2]
        slip = runs.amplitude[i] * runs.rate[i] * np.cos(phase) - now[LINKS + 5 : 2 * LINKS + 4]
        torque = runs.stiffness[i] * error + runs.damping[i] * slip + runs.integral * summed
        summed += np.where(np.abs(torque) < runs.limit[i], runs.hold * STEP * error, 0.0)
        lead = limited._replace(feedforward=torque)
        states.append(driven_rollout(model, lead, NO_WRENCH, now, 0, STEP, runs.hold, runs.hold)[0][-1])
    return np.array(states)


@pytest.mark.parametrize("integral", [0.0, 8.0])
def test_torques_are_held_for_a_period(integral):
    periods, hold = 100, 5
    model, runs = model_in("viscous"), random_runs(20)._replace(hold=hold, integral=integral)
    starts = np.random.default_rng(13).normal(0.0, 0.1, (20, 2 * (LINKS + 2)))
    tracks = wave_rollouts(model, runs, starts, STEP, periods * hold, hold)
    for i in (0, 7, 19):
        states = held_alone(model, runs, i, starts[i], periods)
        np.testing.assert_allclose(tracks.joints[:, :, i], states[:, 3 : LINKS + 2], atol=1e-9)
        np.testing.assert_allclose(tracks.work[:, i], states[:, ABSOLUTE - ACCOUNTS], rtol=1e-9)
