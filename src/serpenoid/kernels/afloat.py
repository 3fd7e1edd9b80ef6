"""Base acceleration and joint torques of a tree afloat, its joints prescribed: the recursion with water in it."""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.added_mass import known_accelerations, solve_with_added_mass, strip_loads
from serpenoid.kernels.compile import kernel
from serpenoid.kernels.lie import add, cross, put, row, scale, subtract
from serpenoid.kernels.tree import inward, joint_torques, no_wrenches, outward, solve_base
from serpenoid.kernels.tree_frames import FORCE, MOMENT, POSITION
from serpenoid.kernels.water import immerse_tree, load_buoyancy, load_drag, origin_velocities


@kernel
def load_water(tree, water, up, height, twist, work):
    """Put buoyancy and drag into beta of the bodies of a tree whose workspace outward() has filled."""
    integrals = immerse_tree(water, up, height, work)
    load_buoyancy(water, up, integrals, work)
    if water.flow.moves:
        load_drag(water, up, integrals, origin_velocities(tree, twist, work), work)


@kernel
def afloat_origin_acceleration(tree, water, up, height, joints, twist, work):
    """Acceleration of the base's origin [m/s^2] and angular acceleration [rad/s^2], in base axes.

    up: the world's vertical in base axes; height: of the base's origin [m]; joints = (angles, rates, accelerations).
    """
    outward(tree, joints[0], joints[1], joints[2], twist, no_wrenches(), work)
    load_water(tree, water, up, height, twist, work)
    inward(tree, work)
    weight = scale(water.gravity, up)
    if water.flow.adds:
        return solve_with_added_mass(tree, water, origin_velocities(tree, twist, work), weight, work)
    linear, angular = solve_base(work)
    return subtract(linear, weight), angular


@kernel
def afloat_acceleration(tree, water, up, height, joints, twist, work):
    """Rate of the base's twist, its linear and its angular part: (13) with buoyancy, weight, drag and added mass."""
    linear, angular = afloat_origin_acceleration(tree, water, up, height, joints, twist, work)
    velocity, omega = (twist[0], twist[1], twist[2]), (twist[3], twist[4], twist[5])
    return subtract(linear, cross(omega, velocity)), angular


@kernel
def afloat_torques(tree, water, up, height, joints, twist, work, torques):
    """Third loop afloat: torque of every hinge (joints,) [N m]; returns what afloat_acceleration() returns."""
    linear, angular = afloat_origin_acceleration(tree, water, up, height, joints, twist, work)
    if water.flow.adds:
        load_added_mass(tree, water, up, height, joints, twist, (linear, angular), work)
    joint_torques(tree, add(linear, scale(water.gravity, up)), angular, work, torques)
    velocity, omega = (twist[0], twist[1], twist[2]), (twist[3], twist[4], twist[5])
    return subtract(linear, cross(omega, velocity)), angular


@kernel
def load_added_mass(tree, water, up, height, joints, twist, base, work):
    """The workspace once more, with the water's answer to the now known accelerations in beta."""
    outward(tree, joints[0], joints[1], joints[2], twist, no_wrenches(), work)
    load_water(tree, water, up, height, twist, work)
    accelerations = known_accelerations(tree, work)
    for body in range(tree.parent.size):
        shift = add(base[0], cross(base[1], row(work, body, POSITION)))
        put(accelerations, body, 0, add(row(accelerations, body, 0), shift))
        put(accelerations, body, 3, add(row(accelerations, body, 3), base[1]))
    loads = np.zeros((tree.parent.size, 6))
    strip_loads(water, origin_velocities(tree, twist, work), accelerations, work, loads)
    for body in range(tree.parent.size):
        put(work, body, FORCE, subtract(row(work, body, FORCE), row(loads, body, 0)))
        put(work, body, MOMENT, subtract(row(work, body, MOMENT), row(loads, body, 3)))
    inward(tree, work)
