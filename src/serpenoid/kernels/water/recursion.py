"""Base acceleration and joint torques of a floating tree with prescribed joints: the recursion including water."""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.lie import add, compose, cross, put, rotate, rotate_back, rotation_of, row
from serpenoid.kernels.tree.frames import ANGULAR, ARM, LINEAR, POSITION, get_rotation, move, place, workspace
from serpenoid.kernels.tree.recursion import inverse_dynamics, inward, outward
from serpenoid.kernels.water.added_mass import (
    known_accelerations,
    reaction_space,
    solve_with_added_mass,
    strip_loads,
)
from serpenoid.kernels.water.wrenches import water_wrenches


@kernel
def afloat_wrenches(tree, water, state, joints, work):
    """Return (bodies, 6) weight, buoyancy and drag on every body in body axes, for a flat state of base and joints."""
    bodies = tree.parent.size
    count = bodies - 1
    rotations, positions, twists = np.empty((bodies, 3, 3)), np.empty((bodies, 3)), np.empty((bodies, 6))
    R, base = rotation_of((state[3], state[4], state[5], state[6])), (state[0], state[1], state[2])
    place(tree, joints[0], work)
    linear, angular = three_of(state, 7 + count), three_of(state, 10 + count)
    move(tree, linear, angular, joints[1], work)
    for body in range(bodies):
        own = get_rotation(work, body)
        full = compose(R, own)
        for k in range(9):
            rotations[body, k // 3, k % 3] = full[k]
        put(positions, body, 0, add(base, rotate(R, row(work, body, POSITION))))
        put(twists, body, 0, rotate_back(own, row(work, body, LINEAR)))
        put(twists, body, 3, rotate_back(own, row(work, body, ANGULAR)))
    wrenches = np.empty((bodies, 6))
    water_wrenches(water, tree, rotations, positions, twists, wrenches)
    return wrenches


@kernel
def three_of(state, start):
    """Return three neighbouring numbers of a flat state."""
    return (state[start], state[start + 1], state[start + 2])


@kernel
def afloat_dynamics(tree, water, state, accelerations, base, torques):
    """Run (12), (13) and the third loop in water.

    `base` (6,) receives the rate of the base's twist, torques (joints,) the joint torques [N m]. The flat state has
    base pose, joint angles, base twist and joint rates; accelerations (joints,) [rad/s^2].
    """
    count = accelerations.size
    angles, rates, twist = state[7 : 7 + count], state[13 + count : 13 + 2 * count], state[7 + count : 13 + count]
    work = workspace(tree)
    wrenches = afloat_wrenches(tree, water, state, (angles, rates), work)
    joints = (angles, rates, accelerations)
    water_reaction(water, tree, joints, twist, wrenches, work, reaction_space(tree))
    inverse_dynamics(tree, angles, rates, accelerations, twist, wrenches, base, torques)


@inner
def water_reaction(water, tree, joints, twist, wrenches, work, space):
    """Add to the wrenches (bodies, 6) the reaction of added mass to the resulting accelerations.

    joints = (angles, rates, accelerations), twist (6,) of the base, space from reaction_space().
    """
    if not water.flow.adds:
        return
    outward(tree, joints[0], joints[1], joints[2], twist, wrenches, work)
    known, loads = space.known, space.loads
    origin_velocities(tree, twist, work, space.velocities)
    known_accelerations(tree, work, known)
    inward(tree, work)
    linear, angular = solve_with_added_mass(tree, water, space, work)
    for body in range(tree.parent.size):
        shift = add(linear, cross(angular, row(work, body, POSITION)))
        put(known, body, 0, add(row(known, body, 0), shift))
        put(known, body, 3, add(row(known, body, 3), angular))
    strip_loads(water, space.velocities, known, work, loads)
    for body in range(tree.parent.size):
        R = get_rotation(work, body)
        put(wrenches, body, 0, add(row(wrenches, body, 0), rotate_back(R, row(loads, body, 0))))
        put(wrenches, body, 3, add(row(wrenches, body, 3), rotate_back(R, row(loads, body, 3))))


@inner
def origin_velocities(tree, twist, work, velocities):
    """Compute velocities (bodies, 3) of body origins, base axes, from a workspace's arms and angular velocities."""
    put(velocities, 0, 0, (twist[0], twist[1], twist[2]))
    for body in range(1, tree.parent.size):
        parent = tree.parent[body]
        swing = cross(row(work, parent, ANGULAR), row(work, body, ARM))
        put(velocities, body, 0, add(row(velocities, parent, 0), swing))
