"""World poses and twists of the bodies of a tree, the wrenches on them, and their sums."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.lie import add, compose, cross, dot, matrix, put, rotate, rotate_back, row, subtract
from serpenoid.kernels.records import ARMATURE
from serpenoid.kernels.tree.frames import ANGULAR, LINEAR, POSITION, get_rotation

NO_WRENCHES = np.zeros((0, 6))  # no external wrenches


class Scene(NamedTuple):
    """World poses of the bodies, and the wrenches on them."""

    rotations: NDArray  # (bodies, 3, 3)
    positions: NDArray  # (bodies, 3) [m]
    twists: NDArray  # (bodies, 6) body axes [m/s, rad/s]
    wrenches: NDArray  # (bodies, 6) force, moment about the body's origin, body axes [N, N m]


@kernel
def make_scene(tree):
    """Allocate a Scene."""
    bodies = tree.parent.size
    return Scene(np.zeros((bodies, 3, 3)), np.zeros((bodies, 3)), np.zeros((bodies, 6)), np.zeros((bodies, 6)))


@inner
def set_scene(tree, work, R, position, linear, omega, scene):
    """Compute world poses and twists of all bodies of a shape, from the base's pose and its twist in base axes."""
    for body in range(tree.parent.size):
        own, place = get_rotation(work, body), row(work, body, POSITION)
        full = compose(R, own)
        for k in range(9):
            scene.rotations[body, k // 3, k % 3] = full[k]
        put(scene.positions, body, 0, add(position, rotate(R, place)))
        velocity = add(add(linear, cross(omega, place)), row(work, body, LINEAR))
        put(scene.twists, body, 0, rotate_back(own, velocity))
        put(scene.twists, body, 3, rotate_back(own, add(omega, row(work, body, ANGULAR))))


@inner
def body_rotation(rotations, body):
    """Return one of an array of (3, 3) rotations as a 9-tuple."""
    return (
        rotations[body, 0, 0], rotations[body, 0, 1], rotations[body, 0, 2],
        rotations[body, 1, 0], rotations[body, 1, 1], rotations[body, 1, 2],
        rotations[body, 2, 0], rotations[body, 2, 1], rotations[body, 2, 2],
    )  # fmt: skip


@inner
def sum_of_wrenches(tree, scene, center):
    """Return the force and the moment about a point of the wrenches in a scene, in world axes."""
    force, moment = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for body in range(tree.parent.size):
        R = body_rotation(scene.rotations, body)
        own = rotate(R, row(scene.wrenches, body, 0))
        arm = subtract(row(scene.positions, body, 0), center)
        force = add(force, own)
        moment = add(moment, add(rotate(R, row(scene.wrenches, body, 3)), cross(arm, own)))
    return force, moment


@inner
def power_of_wrenches(tree, scene):
    """Return the power of the wrenches in a scene [W]."""
    power = 0.0
    for body in range(tree.parent.size):
        for k in range(6):
            power += scene.wrenches[body, k] * scene.twists[body, k]
    return power


@inner
def push_bodies(tree, outside, scene):
    """Add external wrenches to a scene; return their power [W].

    outside (bodies, 6), or (0, 6) without any: force at each body's centre of mass [N] and moment [N m], in world axes.
    """
    power = 0.0
    for body in range(outside.shape[0]):
        R = body_rotation(scene.rotations, body)
        force, moment = rotate_back(R, row(outside, body, 0)), rotate_back(R, row(outside, body, 3))
        moment = add(moment, cross(row(tree.center, body, 0), force))
        power += dot(force, row(scene.twists, body, 0)) + dot(moment, row(scene.twists, body, 3))
        put(scene.wrenches, body, 0, add(row(scene.wrenches, body, 0), force))
        put(scene.wrenches, body, 3, add(row(scene.wrenches, body, 3), moment))
    return power


@inner
def push_whole(tree, outside, work, base, center, force, moment):
    """Add external wrenches to the total force and to its moment about the point `center`, world axes."""
    for body in range(outside.shape[0]):
        own = rotate(get_rotation(work, body), row(tree.center, body, 0))
        arm = subtract(add(base[1], rotate(base[0], add(row(work, body, POSITION), own))), center)
        push = row(outside, body, 0)
        force = add(force, push)
        moment = add(moment, add(row(outside, body, 3), cross(arm, push)))
    return force, moment


@inner
def kinetic_energy(tree, scene, rates):
    """Return sum (m v_c^2 + omega . I omega) / 2 over the bodies plus armature dq^2 / 2 over the hinges [J]."""
    energy = 0.0
    for body in range(tree.parent.size):
        omega = row(scene.twists, body, 3)
        velocity = add(row(scene.twists, body, 0), cross(omega, row(tree.center, body, 0)))
        spin = rotate(matrix(tree.inertia[body]), omega)
        energy += 0.5 * (tree.mass[body] * dot(velocity, velocity) + dot(omega, spin))
    for joint in range(rates.size):
        energy += 0.5 * tree.hinges[joint, ARMATURE] * rates[joint] * rates[joint]
    return energy
