"""Rollouts of a tree whose joints are driven by torques."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.lie import cross, quaternion_rate, rotate, subtract
from serpenoid.kernels.motion import joint_motion, motion_segment
from serpenoid.kernels.tree.environment import added_stiffness, external_wrenches
from serpenoid.kernels.tree.forward import articulated_workspace, fold, set_out
from serpenoid.kernels.tree.frames import workspace
from serpenoid.kernels.tree.ledger import WORK_EXTERNAL, WORK_MEDIUM, joint_powers, stored_potential
from serpenoid.kernels.tree.scene import (
    Scene,
    make_scene,
    power_of_wrenches,
    push_bodies,
    set_scene,
    sum_of_wrenches,
)
from serpenoid.kernels.tree.shape import (
    ADDED,
    ANGULAR_MOMENTUM,
    ATTITUDE,
    CENTROIDAL,
    MOMENTUM,
    PLACE,
    SIZE,
    attitude_of,
    compute_shape,
    put_three,
    three,
    velocities,
)
from serpenoid.kernels.tree.step import KNOT_TOLERANCE, base_of, gather, next_stop, scatter, state_is_sound, within


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
def full_rate(world, tree, outside, full, space, out):
    """Rate of (centroidal motion, joint angles, joint rates, accounts) under space.torques.

    Leaves the base's twist and all accelerations in the workspace.
    """
    joints = tree.parent.size - 1
    angles, rates = full[CENTROIDAL : CENTROIDAL + joints], full[CENTROIDAL + joints : CENTROIDAL + 2 * joints]
    compute_shape(world, tree, angles, rates, space.work, space.extra, space.shape)
    R, position, linear, omega = base_of(tree, space.shape, full)
    put_three(space.twist, 0, linear)
    put_three(space.twist, 3, omega)
    scene, accounts = space.scene, out[CENTROIDAL + 2 * joints :]
    set_scene(tree, space.work, R, position, linear, omega, scene)
    external_wrenches(world, tree, scene.rotations, scene.positions, scene.twists, scene.wrenches)
    if accounts.size > 0:
        accounts[WORK_MEDIUM] = power_of_wrenches(tree, scene)
        joint_powers(tree, space.torques, rates, accounts)
    pushed = push_bodies(tree, outside, scene)
    if accounts.size > 0:
        accounts[WORK_EXTERNAL] = pushed
    if not tree.fixed_base:
        whole_rate(tree, full, space, (R, omega), out)
    set_out(tree, angles, rates, space.twist, scene.wrenches, space.work, space.articulated)
    added_stiffness(world, scene.twists, space.work, space.articulated)
    fold(tree, rates, space.torques, space.twist, space.work, space.articulated, space.accelerations)
    for joint in range(joints):
        out[CENTROIDAL + joint] = rates[joint]
        out[CENTROIDAL + joints + joint] = space.accelerations[6 + joint]


@inner
def whole_rate(tree, full, space, turning, out):
    """Rate of the centroidal motion under the wrenches of a scene; turning = (rotation, angular velocity) of the base."""
    R, omega = turning
    momentum = three(full, MOMENTUM)
    velocity, _ = velocities(space.shape, R, momentum, three(full, ANGULAR_MOMENTUM))
    force, moment = sum_of_wrenches(tree, space.scene, three(full, PLACE))
    moving = rotate(R, velocity)
    if space.shape[ADDED] != 0.0:
        moment = subtract(moment, cross(moving, momentum))
    put_three(out, PLACE, moving)
    rate = quaternion_rate((full[ATTITUDE], full[ATTITUDE + 1], full[ATTITUDE + 2], full[ATTITUDE + 3]), omega)
    for k in range(4):
        out[ATTITUDE + k] = rate[k]
    put_three(out, MOMENTUM, force)
    put_three(out, ANGULAR_MOMENTUM, moment)


@kernel
def driven_rollout(tree, world, lead, state, first, steps, every, step, outside):
    """States (steps / every, numbers) of a tree whose joints are driven by torques, by RK4 at `step` [s].

    lead is an Actuation: motion, drive and feedforward torque. Steps are cut at the motion's knots. outside: wrenches
    that hold all the time, see scene.push_bodies(). Rows are NaN from the step on in which a number of the state
    leaves its range.
    """
    joints = tree.parent.size - 1
    out, space = np.full((steps // every, state.size), np.nan), drive_workspace(tree)
    full, trial, slopes = np.zeros(state.size), np.zeros(state.size), np.zeros((4, state.size))
    open_state(world, tree, state, space, full)
    for k in range(steps):
        time, end, good = (first + k) * step, (first + k + 1) * step, True
        while good and time < end:
            stop = next_stop(lead.motion, time, end, KNOT_TOLERANCE * step)
            segment = motion_segment(lead.motion, 0.5 * (time + stop))
            for stage in range(4):
                reach = 0.0 if stage == 0 else stop - time if stage == 3 else 0.5 * (stop - time)
                for i in range(full.size):
                    trial[i] = full[i] + reach * slopes[max(stage - 1, 0), i]
                angles = trial[CENTROIDAL : CENTROIDAL + joints]
                rates = trial[CENTROIDAL + joints : CENTROIDAL + 2 * joints]
                drive_torques(lead, segment, time + reach, angles, rates, space.torques)
                full_rate(world, tree, outside, trial, space, slopes[stage])
                if stage == 0:
                    good = full_is_sound(tree, trial, space)
            for i in range(full.size):
                change = slopes[0, i] + 2.0 * (slopes[1, i] + slopes[2, i]) + slopes[3, i]
                full[i] += (stop - time) / 6.0 * change
            quaternion = attitude_of(full)
            for i in range(4):
                full[ATTITUDE + i] = quaternion[i]
            time = stop
        if not good:
            break
        if (k + 1) % every == 0:
            sample = out[(k + 1) // every - 1]
            close_state(world, tree, full, space, sample)
            if not state_is_sound(sample, 13 + 2 * joints):
                sample[:] = np.nan
                break
    return out


@inner
def full_is_sound(tree, full, space):
    """Whether the state whose rate full_rate() has just found is finite and within range; see step.LARGEST."""
    joints = tree.parent.size - 1
    position = base_of(tree, space.shape, full)[1]
    return (
        within(position)
        and state_is_sound(space.twist, 6)
        and state_is_sound(full[CENTROIDAL : CENTROIDAL + 2 * joints], 2 * joints)
    )


@kernel
def open_state(world, tree, state, space, full):
    """(centroidal motion, angles, rates, accounts) of a state, the potential energy taken off the world's account."""
    joints = tree.parent.size - 1
    full[CENTROIDAL : CENTROIDAL + joints] = state[7 : 7 + joints]
    full[CENTROIDAL + joints :] = state[13 + joints :]
    shape_of_full(world, tree, full, space)
    gather(tree, space.shape, state, joints, full)
    if full.size > CENTROIDAL + 2 * joints:
        base = base_of(tree, space.shape, full)
        full[CENTROIDAL + 2 * joints + WORK_MEDIUM] -= stored_potential(world, tree, space.work, base, space.scene)


@kernel
def close_state(world, tree, full, space, out):
    """The state of (centroidal motion, angles, rates, accounts), potential energy back on the world's account."""
    joints = tree.parent.size - 1
    out[7 : 7 + joints] = full[CENTROIDAL : CENTROIDAL + joints]
    out[13 + joints :] = full[CENTROIDAL + joints :]
    shape_of_full(world, tree, full, space)
    scatter(tree, space.shape, full, joints, out)
    if full.size > CENTROIDAL + 2 * joints:
        base = base_of(tree, space.shape, full)
        out[13 + 2 * joints + WORK_MEDIUM] += stored_potential(world, tree, space.work, base, space.scene)


@inner
def shape_of_full(world, tree, full, space):
    """Shape of (centroidal motion, angles, rates, ...), into the workspace."""
    joints = tree.parent.size - 1
    angles, rates = full[CENTROIDAL : CENTROIDAL + joints], full[CENTROIDAL + joints : CENTROIDAL + 2 * joints]
    compute_shape(world, tree, angles, rates, space.work, space.extra, space.shape)


@kernel
def driven_accelerations(tree, world, lead, state, outside, out):
    """Joint accelerations (joints,) [rad/s^2] of a state under what leads the joints at time zero."""
    joints = tree.parent.size - 1
    space, full = drive_workspace(tree), np.zeros(CENTROIDAL + 2 * joints)
    open_state(world, tree, state[: 13 + 2 * joints], space, full)
    angles, rates = state[7 : 7 + joints], state[13 + joints : 13 + 2 * joints]
    drive_torques(lead, motion_segment(lead.motion, 0.0), 0.0, angles, rates, space.torques)
    full_rate(world, tree, outside, full, space, np.zeros(full.size))
    out[:] = space.accelerations[6:]
