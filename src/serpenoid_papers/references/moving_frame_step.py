"""Time integration of a chain by the moving frame equations (84): torques of a motion, and RK4 under given torques."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import kernel
from serpenoid.kernels.lie import normalised, quaternion_rate, rotate, rotation_of
from serpenoid.kernels.linear import copy
from serpenoid.kernels.records import Tree
from serpenoid_papers.references.moving_frame import Space, forward, inverse, matrix_space


@kernel
def torque_table(tree: Tree, states: NDArray, joint_accelerations: NDArray, gravity: NDArray) -> NDArray:
    """Return motor torques (samples, joints) [N m] for states (samples, numbers) and joint accelerations [rad/s^2]."""
    torques, space = np.empty(joint_accelerations.shape), matrix_space(tree)
    for i in range(states.shape[0]):
        torques[i] = inverse(tree, states[i], joint_accelerations[i], gravity, space)[1]
    return torques


@kernel
def state_rate(tree: Tree, state: NDArray, torque: NDArray, gravity: NDArray, space: Space) -> NDArray:
    """Return d/dt of a flat state: pose and angles by the velocities, velocities by (84)."""
    joints = tree.parent.size - 1
    rate = np.zeros(state.size)
    copy(state, 13 + joints, rate, 7, joints)
    acceleration = forward(tree, state, torque, gravity, space)
    copy(acceleration, 0, rate, rate.size - acceleration.size, acceleration.size)
    if not tree.fixed_base:
        quaternion, twist = (state[3], state[4], state[5], state[6]), state[7 + joints : 13 + joints]
        velocity = rotate(rotation_of(quaternion), (twist[0], twist[1], twist[2]))
        turning = quaternion_rate(quaternion, (twist[3], twist[4], twist[5]))
        for k in range(3):
            rate[k] = velocity[k]
        for k in range(4):
            rate[3 + k] = turning[k]
    return rate


@kernel
def torque_step(tree: Tree, state: NDArray, torques: NDArray, step: float, gravity: NDArray, space: Space) -> NDArray:
    """Make one step of RK4; torques (3, joints) apply at its start, middle and end."""
    k1 = state_rate(tree, state, torques[0], gravity, space)
    k2 = state_rate(tree, state + 0.5 * step * k1, torques[1], gravity, space)
    k3 = state_rate(tree, state + 0.5 * step * k2, torques[1], gravity, space)
    k4 = state_rate(tree, state + step * k3, torques[2], gravity, space)
    after = state + step / 6.0 * (k1 + 2.0 * (k2 + k3) + k4)
    quaternion = normalised((after[3], after[4], after[5], after[6]))
    for k in range(4):
        after[3 + k] = quaternion[k]
    return after


@kernel
def torque_rollout(tree: Tree, state: NDArray, torques: NDArray, step: float, gravity: NDArray) -> NDArray:
    """Return states (steps + 1, numbers) under torques (2 steps + 1, joints) at every half step, with the start."""
    steps = torques.shape[0] // 2
    states, space = np.empty((steps + 1, state.size)), matrix_space(tree)
    copy(state, 0, states[0], 0, state.size)
    for i in range(steps):
        after = torque_step(tree, states[i], torques[2 * i : 2 * i + 3], step, gravity, space)
        copy(after, 0, states[i + 1], 0, state.size)
    return states
