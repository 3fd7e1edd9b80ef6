"""Rollouts of a tree with joints driven by torques.

The integrated vector is (centroidal motion, joint angles, joint rates, the drives' own state, accounts). A state has
the base's pose and twist instead of the centroidal motion; the entries after the joint rates are the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.accounts import ABSOLUTE, DAMPING, DRIVE, EXTERNAL, MEDIUM, PER_JOINT
from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.laws.drive import drive_slope, motor_numbers
from serpenoid.kernels.laws.hinges import add_hinges
from serpenoid.kernels.lie import rotate
from serpenoid.kernels.linear import copy
from serpenoid.kernels.motion import motion_segment
from serpenoid.kernels.runge_kutta import is_bounded, new_stages, runge_kutta_step, slope, slope_of
from serpenoid.kernels.tree.centroidal import base_of, gather, normalise, put_centroidal_rate, scatter
from serpenoid.kernels.tree.environment import (
    added_gradient,
    added_growth,
    added_stiffness,
    external_wrenches,
    set_time,
)
from serpenoid.kernels.tree.forward import articulated_workspace, fold, set_out
from serpenoid.kernels.tree.frames import workspace
from serpenoid.kernels.tree.ledger import damping_power, stored_potential
from serpenoid.kernels.tree.scene import (
    Scene,
    make_scene,
    power_of_wrenches,
    push_bodies,
    set_scene,
    sum_of_wrenches,
)
from serpenoid.kernels.tree.shape import (
    ANGULAR_MOMENTUM,
    CENTROIDAL,
    MOMENTUM,
    PLACE,
    SIZE,
    compute_shape,
    put_three,
    three,
    velocities,
)
from serpenoid.kernels.tree.step import KNOT_TOLERANCE, is_within, next_stop


class DrivenTree(NamedTuple):
    """Driven tree with its working arrays, so that a stage allocates nothing."""

    tree: Any
    world: Any
    lead: Any  # an Actuation
    outside: NDArray  # wrenches, see scene.push_bodies()
    segment: NDArray  # (1,) int64: segment of the lead's motion, for all stages of a step
    good: NDArray  # (1,) bool: whether the state at the step's start is finite and bounded
    work: NDArray
    extra: NDArray  # (6, 7) for added inertia
    shape: NDArray  # (SIZE,)
    articulated: NDArray
    scene: Scene
    twist: NDArray  # (6,) of the base
    torques: NDArray  # (joints,) [N m]
    accelerations: NDArray  # (6 + joints,) rate of the base's twist, joint accelerations


@kernel
def driven_tree(tree, world, lead, outside):
    """Allocate a DrivenTree."""
    joints = tree.parent.size - 1
    return DrivenTree(
        tree=tree,
        world=world,
        lead=lead,
        outside=outside,
        segment=np.zeros(1, np.int64),
        good=np.ones(1, np.bool_),
        work=workspace(tree),
        extra=np.zeros((6, 7)),
        shape=np.zeros(SIZE),
        articulated=articulated_workspace(tree),
        scene=make_scene(tree),
        twist=np.zeros(6),
        torques=np.zeros(joints),
        accelerations=np.zeros(6 + joints),
    )


@slope_of(DrivenTree)
@inner
def driven_slope(system, stage, time, full, out):
    """Write the rates of centroidal motion, joints, drives and accounts under the drives' torques."""
    tree, world, scene, joints = system.tree, system.world, system.scene, system.torques.size
    rates, motors = CENTROIDAL + joints, CENTROIDAL + 2 * joints
    given, cost, lost = drive_slope(
        system.lead, system.segment[0], time, full, (CENTROIDAL, rates, motors), system.torques, out
    )
    lost += add_hinges(tree.hinges, 1.0, full, CENTROIDAL, rates, system.torques)
    set_time(world, time)
    shape_of_full(system, full)
    base = base_of(world, tree, system.work, system.extra, system.shape, full)
    put_three(system.twist, 0, base[2])
    put_three(system.twist, 3, base[3])
    if stage == 0:
        system.good[0] = (
            is_within(base[1]) and is_bounded(system.twist, 6) and is_bounded(full[CENTROIDAL:], 2 * joints)
        )
    set_scene(tree, system.work, base[0], base[1], base[2], base[3], scene)
    external_wrenches(world, tree, scene.rotations, scene.positions, scene.twists, scene.wrenches)
    medium = power_of_wrenches(tree, scene)
    pushed = push_bodies(tree, system.outside, scene)
    added_gradient(world, tree, scene)
    whole_rate(system, full, base, out)
    added_growth(world, tree, scene)
    accelerate(system, full[CENTROIDAL:rates], full[rates:motors])
    for joint in range(joints):
        out[CENTROIDAL + joint], out[rates + joint] = full[rates + joint], system.accelerations[6 + joint]
    accounts = out[motors + (motor_numbers(system.lead.drive) + PER_JOINT) * joints :]
    accounts[DRIVE], accounts[ABSOLUTE], accounts[MEDIUM], accounts[EXTERNAL] = given, cost, medium, pushed
    accounts[DAMPING] = lost + damping_power(tree, full[rates:motors])


@inner
def accelerate(system, angles, rates):
    """Compute forward dynamics under the torques and the wrenches of the scene, including added inertia."""
    tree, work = system.tree, system.work
    set_out(tree, angles, rates, system.twist, system.scene.wrenches, work, system.articulated)
    added_stiffness(system.world, system.scene.twists, work, system.articulated)
    fold(tree, rates, system.torques, system.twist, work, system.articulated, system.accelerations)


@inner
def whole_rate(system, full, base, out):
    """Write the centroidal rate under the wrenches of the scene; zero for a fixed base."""
    if system.tree.fixed_base:
        for k in range(CENTROIDAL):
            out[k] = 0.0
        return
    R, omega = base[0], base[3]
    velocity, _ = velocities(system.shape, R, three(full, MOMENTUM), three(full, ANGULAR_MOMENTUM))
    wrench = sum_of_wrenches(system.tree, system.scene, three(full, PLACE))
    put_centroidal_rate(system.shape, full, (rotate(R, velocity), omega), wrench, out)


@inner
def shape_of_full(system, full):
    """Compute the shape of (centroidal motion, angles, rates, ...)."""
    joints = system.torques.size
    angles, rates = full[CENTROIDAL : CENTROIDAL + joints], full[CENTROIDAL + joints : CENTROIDAL + 2 * joints]
    compute_shape(system.world, system.tree, angles, rates, system.work, system.extra, system.shape)


@kernel
def driven_rollout(tree, world, lead, state, first, steps, every, step, outside):
    """Return states (steps / every, numbers) of a tree with joints driven by torques, by RK4 at `step` [s].

    `lead` is an Actuation: motion, drive and feedforward torque. Steps are split at the motion's knots. outside:
    constant wrenches, see scene.push_bodies(). Rows are NaN from the step in which a number of the state leaves its
    range.
    """
    out, system = np.full((steps // every, state.size), np.nan), driven_tree(tree, world, lead, outside)
    full, stages = np.zeros(state.size), new_stages(state.size)
    open_driven(system, first * step, state, full)
    for k in range(steps):
        time, end = (first + k) * step, (first + k + 1) * step
        while time < end and system.good[0]:
            stop = next_stop(lead.motion, time, end, KNOT_TOLERANCE * step)
            system.segment[0] = motion_segment(lead.motion, 0.5 * (time + stop))
            runge_kutta_step(system, stages, time, stop - time, full, 4)
            normalise(full)
            time = stop
        if not system.good[0]:
            break
        if (k + 1) % every == 0 and not close_driven(system, end, full, out[(k + 1) // every - 1]):
            break
    return out


@inner
def open_driven(system, time, state, full):
    """Convert a state at a time [s] to the integrated vector.

    Subtract the potential energy from the world's account.
    """
    joints, behind = system.torques.size, 13 + system.torques.size
    copy(state, 7, full, CENTROIDAL, joints)
    copy(state, behind, full, behind, state.size - behind)
    set_time(system.world, time)
    shape_of_full(system, full)
    gather(system.world, system.tree, system.work, system.extra, system.shape, state, joints, full)
    add_potential(system, full, full, -1.0)


@inner
def close_driven(system, time, full, out):
    """Convert the integrated vector to a state at a time [s].

    Return False and write NaN if a number has left its range.
    """
    joints, behind = system.torques.size, 13 + system.torques.size
    copy(full, CENTROIDAL, out, 7, joints)
    copy(full, behind, out, behind, out.size - behind)
    set_time(system.world, time)
    shape_of_full(system, full)
    scatter(system.world, system.tree, system.work, system.extra, system.shape, full, joints, out)
    add_potential(system, full, out, 1.0)
    good = is_bounded(out, 13 + (2 + motor_numbers(system.lead.drive)) * joints)
    if not good:
        out[:] = np.nan
    return good


@inner
def add_potential(system, full, out, sign):
    """Add the potential energy, times `sign`, to the world's account of `out`."""
    accounts = out[13 + (2 + motor_numbers(system.lead.drive) + PER_JOINT) * system.torques.size :]
    base = base_of(system.world, system.tree, system.work, system.extra, system.shape, full)
    accounts[MEDIUM] += sign * stored_potential(system.world, system.tree, system.work, base, system.scene)


@kernel
def driven_accelerations(tree, world, lead, time, state, outside, out):
    """Write the joint accelerations (joints,) [rad/s^2] of a state under the actuation at a time [s]."""
    system, full, rate = driven_tree(tree, world, lead, outside), np.zeros(state.size), np.zeros(state.size)
    system.segment[0] = motion_segment(lead.motion, time)
    open_driven(system, time, state, full)
    slope(system, 1, time, full, rate)
    copy(system.accelerations, 6, out, 0, out.size)
