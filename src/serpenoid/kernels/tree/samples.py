"""Trajectory variables of a tree, computed from its states and joint accelerations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.accounts import ACCOUNTS
from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.lie import (
    IDENTITY,
    add,
    cross,
    dot,
    matrix,
    put,
    quaternion_of,
    rotate,
    rotate_back,
    rotation_of,
    row,
    scale,
    subtract,
)
from serpenoid.kernels.linear import copy
from serpenoid.kernels.tree.environment import added_energy, potential_energy, set_time
from serpenoid.kernels.tree.frames import LINEAR, get_rotation, workspace
from serpenoid.kernels.tree.ledger import balance, open_books
from serpenoid.kernels.tree.scene import body_rotation, kinetic_energy
from serpenoid.kernels.tree.shape import CENTER, SIZE, base_linear, compute_shape, three, velocities

KINETIC, POTENTIAL, ADDED, ENERGIES = range(4)


class Survey(NamedTuple):
    """Quantities of each sample, in SI units."""

    torques: NDArray  # (samples, joints)
    energies: NDArray  # (samples, ENERGIES) kinetic, potential, of the added mass
    powers: NDArray  # (samples, ACCOUNTS) rates of the accounts of ledger.py
    center: NDArray  # (samples, 3) centre of mass
    momentum: NDArray  # (samples, 6) linear, and angular about the world's origin, world axes
    shares: NDArray  # (samples, 2) sums over the bodies of the magnitudes of their parts of both
    links: NDArray  # (samples, bodies, 7) pose of each body's frame
    gyroscope: NDArray  # (samples, bodies, 3) body axes
    accelerometer: NDArray  # (samples, bodies, 3) specific force at the frame's origin, body axes
    base_rate: NDArray  # (samples, 6) rate of the base's twist


@kernel
def make_survey(samples, bodies):
    """Allocate a Survey."""
    return Survey(
        torques=np.zeros((samples, bodies - 1)),
        energies=np.zeros((samples, ENERGIES)),
        powers=np.zeros((samples, ACCOUNTS)),
        center=np.zeros((samples, 3)),
        momentum=np.zeros((samples, 6)),
        shares=np.zeros((samples, 2)),
        links=np.zeros((samples, bodies, 7)),
        gyroscope=np.zeros((samples, bodies, 3)),
        accelerometer=np.zeros((samples, bodies, 3)),
        base_rate=np.zeros((samples, 6)),
    )


@kernel
def survey_states(tree, world, gravity, times, states, accelerations, outside):
    """Return a Survey of states (samples, numbers) at times [s] with joint accelerations (samples, joints) [rad/s^2].

    gravity (3,) in world axes [m/s^2] defines the accelerometers' reading at rest. outside (samples, bodies, 6):
    wrenches, see scene.push_bodies(), or (0, 0, 6) without any.
    """
    bodies = tree.parent.size
    joints = bodies - 1
    survey = make_survey(states.shape[0], bodies)
    work, shape, extra, books = workspace(tree), np.zeros(SIZE), np.zeros((6, 7)), open_books(tree)
    nothing = np.zeros((0, 6))
    for i in range(states.shape[0]):
        state, pushes = states[i], outside[i] if outside.shape[0] > 0 else nothing
        angles, rates = state[7 : 7 + joints], state[13 + joints : 13 + 2 * joints]
        set_time(world, times[i])
        R, position = rotation_of((state[3], state[4], state[5], state[6])), three(state, 0)
        base = (R, position, three(state, 7 + joints), three(state, 10 + joints))
        compute_shape(world, tree, angles, rates, work, extra, shape)
        balance(world, tree, pushes, (angles, rates, accelerations[i]), work, base, books, survey.powers[i])
        put(survey.center, i, 0, add(position, rotate(R, three(shape, CENTER))))
        copy(books.torques, 0, survey.torques[i], 0, joints)
        copy(books.base_rate, 0, survey.base_rate[i], 0, books.base_rate.size)
        survey.energies[i, KINETIC] = kinetic_energy(tree, books.scene, rates)
        survey.energies[i, POTENTIAL] = potential_energy(world, tree, books.scene.rotations, books.scene.positions)
        survey.energies[i, ADDED] = added_energy(world, books.scene.twists)
        weigh_motion(tree, books.scene, i, survey)
        sense(tree, books.work, rotate_back(R, (gravity[0], gravity[1], gravity[2])), books.scene, i, survey)
    return survey


@inner
def weigh_motion(tree, scene, i, survey):
    """Compute momenta and poses of one sample."""
    for body in range(tree.parent.size):
        R, mass = body_rotation(scene.rotations, body), tree.mass[body]
        center, omega = row(tree.center, body, 0), row(scene.twists, body, 3)
        momentum = rotate(R, scale(mass, add(row(scene.twists, body, 0), cross(omega, center))))
        place = add(row(scene.positions, body, 0), rotate(R, center))
        angular = add(rotate(R, rotate(matrix(tree.inertia[body]), omega)), cross(place, momentum))
        put(survey.momentum, i, 0, add(row(survey.momentum, i, 0), momentum))
        put(survey.momentum, i, 3, add(row(survey.momentum, i, 3), angular))
        survey.shares[i, 0] += np.sqrt(dot(momentum, momentum))
        survey.shares[i, 1] += np.sqrt(dot(angular, angular))
        quaternion = quaternion_of(R)
        for k in range(3):
            survey.links[i, body, k] = scene.positions[body, k]
        for k in range(4):
            survey.links[i, body, 3 + k] = quaternion[k]


@inner
def sense(tree, work, gravity, scene, i, survey):
    """Compute gyroscopes and accelerometers of one sample.

    joint_torques() must have left accelerations in the workspace.
    """
    for body in range(tree.parent.size):
        force = rotate_back(get_rotation(work, body), subtract(row(work, body, LINEAR), gravity))
        for k in range(3):
            survey.accelerometer[i, body, k] = force[k]
            survey.gyroscope[i, body, k] = scene.twists[body, 3 + k]


@kernel
def resting_twist(tree, world, angles, rates):
    """Return the base twist (6,) at which the whole tree has zero linear and angular momentum as its joints move."""
    shape, out = np.zeros(SIZE), np.zeros(6)
    compute_shape(world, tree, angles, rates, workspace(tree), np.zeros((6, 7)), shape)
    velocity, omega = velocities(shape, IDENTITY, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    linear = base_linear(shape, velocity, omega)
    for k in range(3):
        out[k], out[3 + k] = linear[k], omega[k]
    return out
