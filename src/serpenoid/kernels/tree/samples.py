"""What a trajectory of a tree holds, computed from its states and joint accelerations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
from serpenoid.kernels.tree.environment import (
    added_mass_reaction,
    body_rotation,
    external_wrenches,
    make_scene,
    potential_energy,
    set_scene,
)
from serpenoid.kernels.tree.frames import LINEAR, get_rotation, workspace
from serpenoid.kernels.tree.recursion import base_acceleration, joint_torques
from serpenoid.kernels.tree.shape import CENTER, SIZE, base_linear, compute_shape, three, velocities

KINETIC, POTENTIAL, DRIVE_POWER, WORLD_POWER, SCALARS = 0, 1, 2, 3, 4


class Survey(NamedTuple):
    """Quantities of each sample, in SI units."""

    torques: NDArray  # (samples, joints)
    scalars: NDArray  # (samples, SCALARS) kinetic and potential energy, power of the drive and of the world
    center: NDArray  # (samples, 3) centre of mass
    momentum: NDArray  # (samples, 6) linear, and angular about the world's origin, world axes
    shares: NDArray  # (samples, 2) sums over the bodies of the lengths of their shares of both
    links: NDArray  # (samples, bodies, 7) pose of each body's frame
    gyroscope: NDArray  # (samples, bodies, 3) body axes
    accelerometer: NDArray  # (samples, bodies, 3) specific force at the frame's origin, body axes
    base_rate: NDArray  # (samples, 6) rate of the base's twist


@kernel
def make_survey(samples, bodies):
    """A Survey to be filled."""
    return Survey(
        np.zeros((samples, bodies - 1)), np.zeros((samples, SCALARS)), np.zeros((samples, 3)), np.zeros((samples, 6)),
        np.zeros((samples, 2)), np.zeros((samples, bodies, 7)), np.zeros((samples, bodies, 3)),
        np.zeros((samples, bodies, 3)), np.zeros((samples, 6)),
    )  # fmt: skip


@kernel
def survey_states(tree, world, gravity, states, accelerations):
    """A Survey of states (samples, numbers) whose joints have the given accelerations (samples, joints) [rad/s^2].

    gravity (3,) in world axes [m/s^2] is what accelerometers feel at rest.
    """
    bodies = tree.parent.size
    joints = bodies - 1
    survey = make_survey(states.shape[0], bodies)
    work, shape, extra, scene = workspace(tree), np.zeros(SIZE), np.zeros((6, 7)), make_scene(tree)
    for i in range(states.shape[0]):
        state = states[i]
        angles, twist, rates = state[7 : 7 + joints], state[7 + joints : 13 + joints], state[13 + joints :]
        R, position = rotation_of((state[3], state[4], state[5], state[6])), three(state, 0)
        linear, omega = three(twist, 0), three(twist, 3)
        compute_shape(world, tree, angles, rates, work, extra, shape)
        set_scene(tree, work, R, position, linear, omega, scene)
        external_wrenches(world, tree, scene.rotations, scene.positions, scene.twists, scene.wrenches)
        added_mass_reaction(world, tree, (angles, rates, accelerations[i]), twist, scene.wrenches, work)
        put(survey.center, i, 0, add(position, rotate(R, three(shape, CENTER))))
        survey.scalars[i, POTENTIAL] = potential_energy(world, tree, scene.rotations, scene.positions)
        weigh_motion(tree, scene, i, survey)
        rate, turning = base_acceleration(tree, angles, rates, accelerations[i], twist, scene.wrenches, work)
        put(survey.base_rate, i, 0, rate)
        put(survey.base_rate, i, 3, turning)
        joint_torques(tree, add(rate, cross(omega, linear)), turning, work, survey.torques[i])
        survey.scalars[i, DRIVE_POWER] = np.dot(survey.torques[i], rates)
        sense(tree, work, rotate_back(R, (gravity[0], gravity[1], gravity[2])), scene, i, survey)
    return survey


@inner
def weigh_motion(tree, scene, i, survey):
    """Kinetic energy, momenta, power of the wrenches and poses of one sample."""
    for body in range(tree.parent.size):
        R, mass = body_rotation(scene.rotations, body), tree.mass[body]
        center, omega = row(tree.center, body, 0), row(scene.twists, body, 3)
        velocity = add(row(scene.twists, body, 0), cross(omega, center))
        spin = rotate(matrix(tree.inertia[body]), omega)
        survey.scalars[i, KINETIC] += 0.5 * (mass * dot(velocity, velocity) + dot(omega, spin))
        momentum = rotate(R, scale(mass, velocity))
        place = add(row(scene.positions, body, 0), rotate(R, center))
        angular = add(rotate(R, spin), cross(place, momentum))
        put(survey.momentum, i, 0, add(row(survey.momentum, i, 0), momentum))
        put(survey.momentum, i, 3, add(row(survey.momentum, i, 3), angular))
        survey.shares[i, 0] += np.sqrt(dot(momentum, momentum))
        survey.shares[i, 1] += np.sqrt(dot(angular, angular))
        for k in range(6):
            survey.scalars[i, WORLD_POWER] += scene.wrenches[body, k] * scene.twists[body, k]
        quaternion = quaternion_of(R)
        for k in range(3):
            survey.links[i, body, k] = scene.positions[body, k]
        for k in range(4):
            survey.links[i, body, 3 + k] = quaternion[k]


@inner
def sense(tree, work, gravity, scene, i, survey):
    """Gyroscopes and accelerometers of one sample, once joint_torques() has left accelerations in the workspace."""
    for body in range(tree.parent.size):
        force = rotate_back(get_rotation(work, body), subtract(row(work, body, LINEAR), gravity))
        for k in range(3):
            survey.accelerometer[i, body, k] = force[k]
            survey.gyroscope[i, body, k] = scene.twists[body, 3 + k]


@kernel
def resting_twist(tree, world, angles, rates):
    """Twist (6,) of the base at which the whole, its joints moving, has neither linear nor angular momentum."""
    shape, out = np.zeros(SIZE), np.zeros(6)
    compute_shape(world, tree, angles, rates, workspace(tree), np.zeros((6, 7)), shape)
    velocity, omega = velocities(shape, IDENTITY, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    linear = base_linear(shape, velocity, omega)
    for k in range(3):
        out[k], out[3 + k] = linear[k], omega[k]
    return out
