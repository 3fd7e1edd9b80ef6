"""Rollouts of a tree whose joints are driven by torques."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.lie import cross, quaternion_rate, rotate, rotation_of, subtract
from serpenoid.kernels.motion import joint_motion, motion_segment
from serpenoid.kernels.tree.environment import Scene, external_wrenches, make_scene, set_scene, sum_of_wrenches
from serpenoid.kernels.tree.forward import articulated_workspace, forward_dynamics
from serpenoid.kernels.tree.frames import workspace
from serpenoid.kernels.tree.shape import (
    ADDED,
    ANGULAR_MOMENTUM,
    ATTITUDE,
    CENTER,
    CENTROIDAL,
    MOMENTUM,
    PLACE,
    SIZE,
    attitude_of,
    base_linear,
    compute_shape,
    put_three,
    three,
    velocities,
)
from serpenoid.kernels.tree.step import KNOT_TOLERANCE, gather, next_stop, scatter


class DriveWorkspace(NamedTuple):
    """Arrays to work in, so that a stage allocates nothing."""

    work: NDArray
    extra: NDArray
    shape: NDArray
    articulated: NDArray
    scene: Scene
    twist: NDArray  # (6,) of the base
    torques: NDArray  # (joints,) [N m]
    accelerations: NDArray  # (6 + joints,)


@kernel
def drive_workspace(tree):
    """A DriveWorkspace for one tree."""
    joints = tree.parent.size - 1
    return DriveWorkspace(
        workspace(tree), np.zeros((6, 7)), np.zeros(SIZE), articulated_workspace(tree), make_scene(tree),
        np.zeros(6), np.zeros(joints), np.zeros(6 + joints),
    )  # fmt: skip


@inner
def drive_torques(lead, segment, time, angles, rates, torques):
    """clip(stiffness (q_ref - q) + damping (dq_ref - dq) + feedforward, +-limit) of every joint [N m]."""
    drive = lead.drive
    for joint in range(angles.size):
        target, target_rate, _ = joint_motion(lead.motion, segment, time, joint)
        total = drive.stiffness[joint] * (target - angles[joint]) + lead.feedforward[joint]
        total += drive.damping[joint] * (target_rate - rates[joint])
        torques[joint] = min(max(total, -drive.limit[joint]), drive.limit[joint])


@inner
def full_rate(world, tree, full, space, out):
    """Rate of (centroidal motion, joint angles, joint rates), (13 + 2 joints,), under space.torques."""
    joints = tree.parent.size - 1
    angles, rates = full[CENTROIDAL : CENTROIDAL + joints], full[CENTROIDAL + joints :]
    compute_shape(world, tree, angles, rates, space.work, space.extra, space.shape)
    R = rotation_of(attitude_of(full))
    momentum, center = three(full, MOMENTUM), three(full, PLACE)
    position, linear, velocity, omega = center, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if not tree.fixed_base:
        velocity, omega = velocities(space.shape, R, momentum, three(full, ANGULAR_MOMENTUM))
        position = subtract(center, rotate(R, three(space.shape, CENTER)))
        linear = base_linear(space.shape, velocity, omega)
    put_three(space.twist, 0, linear)
    put_three(space.twist, 3, omega)
    scene = space.scene
    set_scene(tree, space.work, R, position, linear, omega, scene)
    external_wrenches(world, tree, scene.rotations, scene.positions, scene.twists, scene.wrenches)
    forward_dynamics(
        tree, angles, rates, space.torques, space.twist, scene.wrenches, space.work, space.articulated,
        space.accelerations,
    )  # fmt: skip
    for joint in range(joints):
        out[CENTROIDAL + joint] = rates[joint]
        out[CENTROIDAL + joints + joint] = space.accelerations[6 + joint]
    if not tree.fixed_base:
        force, moment = sum_of_wrenches(tree, scene, center)
        moving = rotate(R, velocity)
        if space.shape[ADDED] != 0.0:
            moment = subtract(moment, cross(moving, momentum))
        put_three(out, PLACE, moving)
        put_attitude_rate(full, omega, out)
        put_three(out, MOMENTUM, force)
        put_three(out, ANGULAR_MOMENTUM, moment)


@inner
def put_attitude_rate(full, omega, out):
    """Rate of the quaternion."""
    rate = quaternion_rate((full[ATTITUDE], full[ATTITUDE + 1], full[ATTITUDE + 2], full[ATTITUDE + 3]), omega)
    for k in range(4):
        out[ATTITUDE + k] = rate[k]


@kernel
def driven_rollout(tree, world, lead, state, first, steps, every, step):
    """States (steps / every, numbers) of a tree whose joints are driven by torques, by RK4 at `step` [s].

    lead is an Actuation: motion, drive and feedforward torque. Steps are cut at the motion's knots.
    """
    joints = tree.parent.size - 1
    out, space = np.empty((steps // every, state.size)), drive_workspace(tree)
    full, trial, slopes = (
        np.zeros(CENTROIDAL + 2 * joints),
        np.zeros(CENTROIDAL + 2 * joints),
        np.zeros((4, CENTROIDAL + 2 * joints)),
    )
    open_state(world, tree, state, space, full)
    for k in range(steps):
        time, end = (first + k) * step, (first + k + 1) * step
        while time < end:
            stop = next_stop(lead.motion, time, end, KNOT_TOLERANCE * step)
            segment = motion_segment(lead.motion, 0.5 * (time + stop))
            for stage in range(4):
                reach = 0.0 if stage == 0 else stop - time if stage == 3 else 0.5 * (stop - time)
                for i in range(full.size):
                    trial[i] = full[i] + reach * slopes[max(stage - 1, 0), i]
                angles, rates = trial[CENTROIDAL : CENTROIDAL + joints], trial[CENTROIDAL + joints :]
                drive_torques(lead, segment, time + reach, angles, rates, space.torques)
                full_rate(world, tree, trial, space, slopes[stage])
            for i in range(full.size):
                change = slopes[0, i] + 2.0 * (slopes[1, i] + slopes[2, i]) + slopes[3, i]
                full[i] += (stop - time) / 6.0 * change
            quaternion = attitude_of(full)
            for i in range(4):
                full[ATTITUDE + i] = quaternion[i]
            time = stop
        if (k + 1) % every == 0:
            close_state(world, tree, full, space, out[(k + 1) // every - 1])
    return out


@kernel
def open_state(world, tree, state, space, full):
    """(centroidal motion, angles, rates) of a state; a fixed base's own position stands for the centre of mass."""
    joints = tree.parent.size - 1
    full[CENTROIDAL : CENTROIDAL + joints] = state[7 : 7 + joints]
    full[CENTROIDAL + joints :] = state[13 + joints :]
    compute_shape(
        world,
        tree,
        full[CENTROIDAL : CENTROIDAL + joints],
        full[CENTROIDAL + joints :],
        space.work,
        space.extra,
        space.shape,
    )
    gather(space.shape, state, joints, full)
    if tree.fixed_base:
        put_three(full, PLACE, three(state, 0))


@kernel
def close_state(world, tree, full, space, out):
    """The state of (centroidal motion, angles, rates)."""
    joints = tree.parent.size - 1
    out[7 : 7 + joints] = full[CENTROIDAL : CENTROIDAL + joints]
    out[13 + joints :] = full[CENTROIDAL + joints :]
    compute_shape(
        world,
        tree,
        full[CENTROIDAL : CENTROIDAL + joints],
        full[CENTROIDAL + joints :],
        space.work,
        space.extra,
        space.shape,
    )
    scatter(space.shape, full, joints, out)
    if tree.fixed_base:
        put_three(out, 0, three(full, PLACE))
        out[7 + joints : 13 + joints] = 0.0


@kernel
def driven_accelerations(tree, world, lead, state, out):
    """Joint accelerations (joints,) [rad/s^2] of a state under what leads the joints at time zero."""
    joints = tree.parent.size - 1
    space, full = drive_workspace(tree), np.zeros(CENTROIDAL + 2 * joints)
    open_state(world, tree, state, space, full)
    drive_torques(
        lead, motion_segment(lead.motion, 0.0), 0.0, state[7 : 7 + joints], state[13 + joints :], space.torques
    )
    full_rate(world, tree, full, space, np.zeros(CENTROIDAL + 2 * joints))
    out[:] = space.accelerations[6:]
