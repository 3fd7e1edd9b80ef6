"""Batched runs of a tree against one run at a time."""

import numpy as np

from serpenoid.gaits.base import wave
from serpenoid.kernels.records import Vacuum
from serpenoid.kernels.tree.batch import Steps, WaveJoints, wave_rollouts
from serpenoid.kernels.tree.samples import resting_twist
from serpenoid.kernels.tree.scene import NO_WRENCHES
from serpenoid.kernels.tree.step import prescribed_rollout
from serpenoid.robots import Natrix

RUNS, STEPS = 67, 1000  # one block and a partial one


def test_lanes_equal_single_runs_after_1000_steps():
    tree, joints, random, world = Natrix().tree(), 14, np.random.default_rng(2), Vacuum((0.0, 0.0, -9.81))
    offset, phase = random.normal(size=(2, RUNS, joints)) * 0.3
    amplitude, frequency = random.normal(size=(RUNS, joints)) * 0.4, random.uniform(0.5, 2.0, RUNS)
    rate = np.repeat(2.0 * np.pi * frequency[:, None], joints, axis=1)
    states = np.zeros((RUNS, 13 + 2 * joints))
    states[:, 3:7] = random.normal(size=(RUNS, 4))
    states[:, 3:7] /= np.linalg.norm(states[:, 3:7], axis=1)[:, None]
    states[:, 7:21] = offset + amplitude * np.sin(phase)
    states[:, 27:] = amplitude * rate * np.cos(phase)
    for state in states:
        state[21:27] = resting_twist(tree, world, state[7:21], state[27:]) + 0.3 * random.normal(size=6)
    lanes = wave_rollouts(tree, world, WaveJoints(offset, amplitude, rate, phase), states, Steps(0, STEPS, 500, 0.001))
    for i in (0, 1, 31, 63, 64, 66):
        motion = wave(joints, frequency[i], amplitude[i], phase[i], offset[i])
        single = prescribed_rollout(tree, world, motion, states[i], 0, STEPS, 500, 0.001, NO_WRENCHES)
        assert np.abs(single[-1] - states[i]).max() > 0.1
        assert np.abs(lanes[i] - single).max() < 1e-10
