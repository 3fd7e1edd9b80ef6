"""Motion of the links and readings of their IMUs, from the results of a MuJoCo forward pass."""

from __future__ import annotations

from math import isnan
from typing import NamedTuple

from numpy.typing import NDArray

from serpenoid.kernels.compile import inner
from serpenoid.kernels.contact.memory import call
from serpenoid.kernels.contact.records import ACCELERATIONS, DATA, FORWARD, MODEL
from serpenoid.kernels.contact.states import find_near_posts, set_passes
from serpenoid.kernels.lie import (
    add,
    cross,
    normalised,
    put,
    rotate_back,
    rotation_of,
    row,
    scale,
    subtract,
    turn_between,
)


class Earlier(NamedTuple):
    """Motion of the links at the previous IMU reading; NaN if there was none."""

    turn: NDArray  # (links, 4) quaternion w x y z
    velocity: NDArray  # (links, 3) of each frame's origin, world axes [m/s]
    gravity: NDArray  # (3,) world axes [m/s^2]
    time: float  # from one reading to the next [s]


@inner
def moving_at(physics, link):
    """Return a link's rotation, its frame's position from the centre of mass, its spin and its velocity, world axes."""
    body = physics.link_body[link]
    turn = physics.body_turn[body]
    arm = subtract(row(physics.body_place, body, 0), row(physics.center, physics.link_body[0], 0))
    spin = row(physics.body_velocity, body, 0)
    velocity = add(row(physics.body_velocity, body, 3), cross(spin, arm))
    return rotation_of((turn[0], turn[1], turn[2], turn[3])), arm, spin, velocity


@inner
def read_imus(physics, felt, turning):
    """Write readings of accelerometers [m/s^2] and gyroscopes [rad/s] of all links, (links, 3), own axes.

    The specific force is that at each frame's origin; MuJoCo's accelerations must be up to date.
    """
    for k in range(physics.link_body.size):
        R, arm, spin, velocity = moving_at(physics, k)
        body = physics.link_body[k]
        gained = add(row(physics.body_acceleration, body, 3), cross(row(physics.body_acceleration, body, 0), arm))
        put(felt, k, 0, rotate_back(R, add(gained, cross(spin, velocity))))
        put(turning, k, 0, rotate_back(R, spin))


@inner
def keep_motion(physics, earlier):
    """Store the current motion of the links."""
    for k in range(physics.link_body.size):
        _, _, _, velocity = moving_at(physics, k)
        turn = physics.body_turn[physics.link_body[k]]
        for c in range(4):
            earlier.turn[k, c] = turn[c]
        put(earlier.velocity, k, 0, velocity)


@inner
def read_means(physics, earlier, felt, turning):
    """Write IMU readings (links, 3), own axes, as means since the previous reading; see robots/imus.py."""
    for k in range(physics.link_body.size):
        _, _, _, velocity = moving_at(physics, k)
        b, n = earlier.turn[k], physics.body_turn[physics.link_body[k]]
        before, now = (b[0], b[1], b[2], b[3]), (n[0], n[1], n[2], n[3])
        alike = -1.0 if b[0] * n[0] + b[1] * n[1] + b[2] * n[2] + b[3] * n[3] < 0.0 else 1.0
        midway = (b[0] + alike * n[0], b[1] + alike * n[1], b[2] + alike * n[2], b[3] + alike * n[3])
        gained = scale(1.0 / earlier.time, subtract(velocity, row(earlier.velocity, k, 0)))
        gained = subtract(gained, (earlier.gravity[0], earlier.gravity[1], earlier.gravity[2]))
        put(felt, k, 0, rotate_back(rotation_of(normalised(midway)), gained))
        put(turning, k, 0, scale(1.0 / earlier.time, turn_between(before, now)))


@inner
def pass_forward(physics):
    """Run a forward pass at the state in MuJoCo's memory."""
    find_near_posts(physics)
    set_passes(physics)
    call(physics.addresses[FORWARD], physics.addresses[MODEL], physics.addresses[DATA])


@inner
def sense_imus(physics, places, state, earlier, felt, turning):
    """Write IMU readings at the state in MuJoCo's memory, and store its motion for the next reading.

    A forward pass runs under the drives' torques; a step need not repeat it, see one_step.
    """
    pass_forward(physics)
    if isnan(earlier.turn[0, 0]):
        call(physics.addresses[ACCELERATIONS], physics.addresses[MODEL], physics.addresses[DATA])
        read_imus(physics, felt, turning)
    else:
        read_means(physics, earlier, felt, turning)
    keep_motion(physics, earlier)
    for i in range(physics.warm.size):  # a step starts from the state's value, with or without this reading
        physics.warm[i] = state[places.warm + i]
