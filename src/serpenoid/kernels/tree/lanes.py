"""Many rollouts of one tree under waves in lock-step: RK4 on centre of mass and momentum, 64 runs to a block.

Lane-contiguous as block.py; the mathematics is that of step.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.lie import (
    normalised,
    quaternion_rate,
    rotate_back,
    rotation_of,
    scale,
    subtract,
    symmetric_product,
)
from serpenoid.kernels.linear import copy
from serpenoid.kernels.stack import stack_array
from serpenoid.kernels.tree.block import BODY, LANES, SHAPE, block_shapes, drop, hinge_matrices, pick
from serpenoid.kernels.tree.centroidal import gather, scatter
from serpenoid.kernels.tree.frames import workspace
from serpenoid.kernels.tree.shape import ANGULAR_MOMENTUM, ATTITUDE, CENTROIDAL, MOMENTUM, PLACE, SIZE, compute_shape
from serpenoid.kernels.trigonometry import sine_cosine


class WaveJoints(NamedTuple):
    """The joints of every run: q = offset + amplitude sin(phase + rate t)."""

    offset: NDArray  # (runs, joints) [rad]
    amplitude: NDArray  # (runs, joints) [rad]
    rate: NDArray  # (runs, joints) [rad/s]
    phase: NDArray  # (runs, joints) [rad] at time zero


@inner
def block_rates(shapes, mass, gravity, trial, slope):
    """Rates of the whole (13 x 64,) in all lanes, under weight alone."""
    for lane in range(LANES):
        q = (
            trial[ATTITUDE * LANES + lane], trial[(ATTITUDE + 1) * LANES + lane],
            trial[(ATTITUDE + 2) * LANES + lane], trial[(ATTITUDE + 3) * LANES + lane],
        )  # fmt: skip
        R = rotation_of(normalised(q))
        inverse = (
            shapes[lane], shapes[LANES + lane], shapes[2 * LANES + lane],
            shapes[3 * LANES + lane], shapes[4 * LANES + lane], shapes[5 * LANES + lane],
        )  # fmt: skip
        spin = subtract(rotate_back(R, pick(trial, ANGULAR_MOMENTUM, lane)), pick(shapes, 6, lane))
        rate = quaternion_rate(q, symmetric_product(inverse, spin))
        drop(slope, PLACE, lane, scale(1.0 / mass, pick(trial, MOMENTUM, lane)))
        for k in range(4):
            slope[(ATTITUDE + k) * LANES + lane] = rate[k]
        drop(slope, MOMENTUM, lane, scale(mass, gravity))
        drop(slope, ANGULAR_MOMENTUM, lane, (0.0, 0.0, 0.0))


@kernel
def block_step(shapes, mass, gravity, step, state):
    """One RK4 step of all lanes through the shapes (3 x 12 x 64,) at its start, middle and end."""
    trial, slope, total = (
        stack_array(CENTROIDAL * LANES),
        stack_array(CENTROIDAL * LANES),
        stack_array(CENTROIDAL * LANES),
    )
    now = stack_array(9 * LANES)
    for k in range(CENTROIDAL * LANES):
        trial[k] = state[k]
        total[k] = 0.0
    for stage in range(4):
        moment = (stage + 1) // 2
        for k in range(9 * LANES):
            now[k] = shapes[moment, k]
        block_rates(now, mass, gravity, trial, slope)
        weight = 1.0 if stage == 0 or stage == 3 else 2.0
        reach = step if stage == 2 else 0.5 * step
        for k in range(CENTROIDAL * LANES):
            total[k] += weight * slope[k]
            trial[k] = state[k] + reach * slope[k]
    for k in range(CENTROIDAL * LANES):
        state[k] += step / 6.0 * total[k]
    for lane in range(LANES):
        a, b = ATTITUDE * LANES + lane, (ATTITUDE + 2) * LANES + lane
        q = normalised((state[a], state[a + LANES], state[b], state[b + LANES]))
        state[a], state[a + LANES], state[b], state[b + LANES] = q[0], q[1], q[2], q[3]


@kernel
def load_waves(joints, first, out):
    """Copy the joints of 64 runs into a block (joints, 4 x 64); beyond the last run it is repeated."""
    last = joints.rate.shape[0] - 1
    for lane in range(LANES):
        run = min(first + lane, last)
        for j in range(out.shape[0]):
            out[j, lane] = joints.offset[run, j]
            out[j, LANES + lane] = joints.amplitude[run, j]
            out[j, 2 * LANES + lane] = joints.rate[run, j]
            out[j, 3 * LANES + lane] = joints.phase[run, j]


@kernel
def wave_rollouts(tree, world, joints, states, first, steps, every, step):
    """States (runs, steps / every, numbers) of many runs of one tree in free space, each led by its own waves.

    joints is a WaveJoints; states (runs, numbers) are the runs' own at step number `first`; RK4 at `step` [s].
    Equal to prescribed_rollout() of each run but for rounding.
    """
    runs, bodies = states.shape[0], tree.parent.size
    out = np.empty((runs, steps // every, states.shape[1]))
    hinges, storage, waves = hinge_matrices(tree), np.empty((bodies, BODY * LANES)), np.empty((bodies - 1, 4 * LANES))
    shapes, state = np.empty((3, SHAPE * LANES)), np.empty(CENTROIDAL * LANES)
    for start in range(0, runs, LANES):
        load_waves(joints, start, waves)
        open_block(world, tree, states, start, state)
        block_shapes(tree, hinges, waves, first * step, storage, shapes[0])
        for k in range(steps):
            time = (first + k) * step
            block_shapes(tree, hinges, waves, time + 0.5 * step, storage, shapes[1])
            mass = block_shapes(tree, hinges, waves, time + step, storage, shapes[2])
            block_step(shapes, mass, world.gravity, step, state)
            copy(shapes[2], 0, shapes[0], 0, SHAPE * LANES)
            if (k + 1) % every == 0:
                close_block(world, tree, joints, start, (first + k + 1) * step, state, out[:, (k + 1) // every - 1])
    return out


@kernel
def open_block(world, tree, states, start, block):
    """Motions of the whole (13 x 64,) of the runs from number `start`; beyond the last run it is repeated."""
    count = tree.parent.size - 1
    work, extra, shape, centroidal = workspace(tree), np.zeros((6, 7)), np.zeros(SIZE), np.zeros(CENTROIDAL)
    for lane in range(LANES):
        state = states[min(start + lane, states.shape[0] - 1)]
        compute_shape(world, tree, state[7 : 7 + count], state[13 + count : 13 + 2 * count], work, extra, shape)
        gather(tree, shape, state, count, centroidal)
        for k in range(CENTROIDAL):
            block[k * LANES + lane] = centroidal[k]


@kernel
def close_block(world, tree, joints, start, time, block, out):
    """States (runs, numbers) of the runs of a block at a time."""
    count = tree.parent.size - 1
    work, extra, shape, centroidal = workspace(tree), np.zeros((6, 7)), np.zeros(SIZE), np.zeros(CENTROIDAL)
    for run in range(start, min(start + LANES, out.shape[0])):
        for k in range(CENTROIDAL):
            centroidal[k] = block[k * LANES + run - start]
        for j in range(count):
            sine, cosine = sine_cosine(joints.phase[run, j] + time * joints.rate[run, j])
            out[run, 7 + j] = joints.offset[run, j] + joints.amplitude[run, j] * sine
            out[run, 13 + count + j] = joints.amplitude[run, j] * joints.rate[run, j] * cosine
        compute_shape(world, tree, out[run, 7 : 7 + count], out[run, 13 + count : 13 + 2 * count], work, extra, shape)
        scatter(tree, shape, centroidal, count, out[run])
