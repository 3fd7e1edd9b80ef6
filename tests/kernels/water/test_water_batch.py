"""Batched runs in water against one run at a time: floating, rolled over, on end, dropped from above."""

import numpy as np

from serpenoid.gaits.base import wave
from serpenoid.kernels.tree.batch import Steps, WaveJoints, wave_rollouts
from serpenoid.kernels.tree.samples import resting_twist
from serpenoid.kernels.tree.scene import NO_WRENCHES
from serpenoid.kernels.tree.step import prescribed_rollout
from serpenoid.robots import Natrix
from serpenoid.worlds import WaterSurface

RUNS, STEPS = 66, 200  # one block and a partial one


def test_lanes_equal_single_runs_in_any_pose():
    robot, joints, random = Natrix(), 14, np.random.default_rng(3)
    tree, water = robot.tree(), WaterSurface().environment(robot)
    offset, phase = random.normal(size=(2, RUNS, joints)) * 0.2
    amplitude, frequency = random.normal(size=(RUNS, joints)) * 0.2, random.uniform(0.5, 2.0, RUNS)
    rate = np.repeat(2.0 * np.pi * frequency[:, None], joints, axis=1)
    states = np.zeros((RUNS, 13 + 2 * joints))
    tilt = np.where(np.arange(RUNS) % 2 == 0, 0.05, 2.0)[:, None]
    states[:, 2] = random.uniform(-0.3, 0.3, RUNS)
    states[:, 3:7] = (1.0, 0.0, 0.0, 0.0) + tilt * random.normal(size=(RUNS, 4))
    states[:, 3:7] /= np.linalg.norm(states[:, 3:7], axis=1)[:, None]
    states[:, 7:21] = offset + amplitude * np.sin(phase)
    states[:, 27:] = amplitude * rate * np.cos(phase)
    for state in states:
        state[21:27] = resting_twist(tree, water, state[7:21], state[27:]) + 0.3 * random.normal(size=6)
    lanes = wave_rollouts(tree, water, WaveJoints(offset, amplitude, rate, phase), states, Steps(0, STEPS, 100, 0.001))
    for i in (0, 1, 2, 17, 30, 31, 63, 64, 65):
        motion = wave(joints, frequency[i], amplitude[i], phase[i], offset[i])
        single = prescribed_rollout(tree, water, motion, states[i], 0, STEPS, 100, 0.001, NO_WRENCHES)
        assert np.abs(lanes[i] - single).max() < 1e-9
