"""How links move and what their IMUs show, from what a forward pass of MuJoCo left."""

from __future__ import annotations

from serpenoid.kernels.compile import inner
from serpenoid.kernels.contact.memory import call
from serpenoid.kernels.contact.records import ACCELERATIONS, DATA, FORWARD, MODEL
from serpenoid.kernels.contact.states import find_near_posts, set_passes
from serpenoid.kernels.lie import add, cross, put, rotate_back, rotation_of, row, subtract


@inner
def moving_at(physics, link):
    """Rotation of a link, where its frame is from the centre of mass, its spin and its velocity there, world axes."""
    body = physics.link_body[link]
    turn = physics.body_turn[body]
    arm = subtract(row(physics.body_place, body, 0), row(physics.center, physics.link_body[0], 0))
    spin = row(physics.body_velocity, body, 0)
    velocity = add(row(physics.body_velocity, body, 3), cross(spin, arm))
    return rotation_of((turn[0], turn[1], turn[2], turn[3])), arm, spin, velocity


@inner
def read_imus(physics, felt, turning):
    """Write what accelerometers [m/s^2] and gyroscopes [rad/s] of all links show, (links, 3), own axes.

    The specific force is that at each frame's origin; MuJoCo's accelerations must be there.
    """
    for k in range(physics.link_body.size):
        R, arm, spin, velocity = moving_at(physics, k)
        body = physics.link_body[k]
        gained = add(row(physics.body_acceleration, body, 3), cross(row(physics.body_acceleration, body, 0), arm))
        put(felt, k, 0, rotate_back(R, add(gained, cross(spin, velocity))))
        put(turning, k, 0, rotate_back(R, spin))


@inner
def sense_imus(physics, places, state, felt, turning):
    """As read_imus, by a forward pass at a state that stands in MuJoCo's memory, under the drives' torques there.

    A step from there need not make that pass again: see one_step.
    """
    address = physics.addresses
    find_near_posts(physics)
    set_passes(physics)
    call(address[FORWARD], address[MODEL], address[DATA])
    call(address[ACCELERATIONS], address[MODEL], address[DATA])
    read_imus(physics, felt, turning)
    for i in range(physics.warm.size):  # a step begins where the state says, asked or not
        physics.warm[i] = state[places.warm + i]
