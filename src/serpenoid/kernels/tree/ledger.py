"""Accounts of work of a tree: work of the drive, the world, friction and external pushes [J].

Work done on the robot is positive. The accounts of joints and of work are at the end of a state; they are optional.
Between samples the world's account contains all of its work. A sample excludes the conservative part:

    work_medium(t) = work of all its wrenches + V(t) - V(0)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.accounts import ABSOLUTE, ACCOUNTS, DAMPING, DRIVE, EXTERNAL, MEDIUM, PER_JOINT
from serpenoid.kernels.compile import bare_kernel, inner, kernel
from serpenoid.kernels.laws.hinges import COLUMNS, hinge_torque
from serpenoid.kernels.lie import add, cross
from serpenoid.kernels.records import DAMPING as FRICTION
from serpenoid.kernels.tree.environment import (
    added_energy,
    added_gradient,
    added_growth,
    added_mass_reaction,
    external_wrenches,
    potential_energy,
)
from serpenoid.kernels.tree.frames import workspace
from serpenoid.kernels.tree.recursion import base_acceleration, joint_torques
from serpenoid.kernels.tree.scene import Scene, kinetic_energy, make_scene, power_of_wrenches, push_bodies, set_scene
from serpenoid.kernels.water.added_mass import ReactionSpace, reaction_space


class Books(NamedTuple):
    """Working arrays of the accounts, so that a step allocates nothing."""

    work: NDArray  # workspace of the recursion
    scene: Scene
    twist: NDArray  # (6,) of the base, base axes
    torques: NDArray  # (joints,) of the drive [N m]
    base_rate: NDArray  # (6,) rate of the base's twist
    rates: NDArray  # (3, PER_JOINT x joints + ACCOUNTS) of all accounts at a step's start, middle and end [N m, W]
    reaction: ReactionSpace


@kernel
def open_books(tree):
    """Allocate the accounts of one tree."""
    joints = tree.parent.size - 1
    return Books(
        workspace(tree), make_scene(tree), np.zeros(6), np.zeros(joints), np.zeros(6),
        np.zeros((3, PER_JOINT * joints + ACCOUNTS)), reaction_space(tree),
    )  # fmt: skip


@inner
def joint_powers(tree, torques, rates, powers):
    """Write the powers of drive and hinge friction, and the sum of |torque x rate| [W]."""
    powers[DRIVE] = powers[ABSOLUTE] = 0.0
    for joint in range(rates.size):
        power = torques[joint] * rates[joint]
        powers[DRIVE] += power
        powers[ABSOLUTE] += abs(power)
    powers[DAMPING] = damping_power(tree, rates)


@inner
def take_hinges(hinges, angles, rates, torques):
    """Subtract the hinges' own torques from those of the drives; return the hinges' power [W]."""
    power = 0.0
    if hinges.shape[1] < COLUMNS:
        return power
    for joint in range(rates.size):
        own = hinge_torque(hinges, joint, angles[joint], rates[joint])
        torques[joint] -= own
        power += own * rates[joint]
    return power


@inner
def damping_power(tree, rates):
    """Return the power of the hinges' viscous friction [W]."""
    power = 0.0
    for joint in range(rates.size):
        power -= tree.hinges[joint, FRICTION] * rates[joint] * rates[joint]
    return power


@bare_kernel
def balance(world, tree, outside, joints, work, base, books, powers):
    """Compute torques and powers of joints with known motion; writes `books` and powers (ACCOUNTS,) [W].

    joints = (angles, rates, accelerations), each (joints,); base = (rotation, position, linear and angular velocity in
    base axes). `work` is placed and moved with the base at rest, and is preserved. outside: wrenches, see
    push_bodies().
    """
    angles, rates, accelerations = joints
    R, position, linear, omega = base
    scene, twist = books.scene, books.twist
    for k in range(3):
        twist[k], twist[3 + k] = linear[k], omega[k]
    set_scene(tree, work, R, position, linear, omega, scene)
    external_wrenches(world, tree, scene.rotations, scene.positions, scene.twists, scene.wrenches)
    powers[MEDIUM] = power_of_wrenches(tree, scene)
    powers[EXTERNAL] = push_bodies(tree, outside, scene)
    added_gradient(world, tree, scene)
    added_growth(world, tree, scene)
    added_mass_reaction(world, tree, joints, twist, scene.wrenches, books.work, books.reaction)
    rate, turning = base_acceleration(tree, angles, rates, accelerations, twist, scene.wrenches, books.work)
    for k in range(3):
        books.base_rate[k], books.base_rate[3 + k] = rate[k], turning[k]
    moving = add(rate, cross(omega, linear))
    joint_torques(tree, rates, accelerations, moving, turning, books.work, books.torques)
    rubbed = take_hinges(tree.hinges, angles, rates, books.torques)
    joint_powers(tree, books.torques, rates, powers)
    powers[DAMPING] += rubbed


@bare_kernel
def energy_of_motion(world, tree, rates, work, base, scene):
    """Return the kinetic energy [J] of bodies and added mass; `work` is placed and moved with the base at rest."""
    set_scene(tree, work, base[0], base[1], base[2], base[3], scene)
    return kinetic_energy(tree, scene, rates) + added_energy(world, scene.twists)


@bare_kernel
def stored_potential(world, tree, work, base, scene):
    """Return the potential energy [J] of a placed tree in the world."""
    set_scene(tree, work, base[0], base[1], base[2], base[3], scene)
    return potential_energy(world, tree, scene.rotations, scene.positions)
