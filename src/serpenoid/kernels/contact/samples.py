"""Samples of a run: poses, sensor readings, momenta, energies, single contacts.

A MuJoCo step begins with a forward pass. Its results describe the state before the step, so samples of a run need no
extra pass.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.contact import records as at
from serpenoid.kernels.contact.memory import call, call_numbered, read_double, read_int, read_long
from serpenoid.kernels.contact.motions import moving_at, read_imus
from serpenoid.kernels.contact.servos import pull, target_of
from serpenoid.kernels.contact.states import load, set_passes
from serpenoid.kernels.lie import put, rotate_back
from serpenoid.kernels.motion import motion_segment

LINK, PLACE, PUSH, SLIP, TOUCH = 0, 1, 4, 7, 8  # columns of a touch, and their number


class Survey(NamedTuple):
    """Sampled quantities; the leading dimensions are samples, and links, joints or touches."""

    place: NDArray  # (samples, links, 3) [m]
    turn: NDArray  # (samples, links, 4) quaternion w x y z
    felt: NDArray  # (samples, links, 3) specific force at each frame's origin, own axes [m/s^2]
    spin: NDArray  # (samples, links, 3) angular velocity, own axes [rad/s]
    base_velocity: NDArray  # (samples, 3) of link 0, own axes [m/s]
    center: NDArray  # (samples, 3) centre of mass of the whole [m]
    momentum: NDArray  # (samples, 6) velocity of that centre [m/s], angular momentum about it [kg m^2/s]
    energy: NDArray  # (samples, 2) potential, kinetic [J]
    torque: NDArray  # (samples, joints) of the drives [N m]
    force: NDArray  # (samples, links, 3) of all contacts [N]
    touch: NDArray  # (samples, touches, TOUCH) NaN where there is none
    number: NDArray  # (samples,) int64, steps before each; -1 marks an empty row
    state: NDArray  # (samples, numbers) and the state there
    command: NDArray  # (samples, 3, joints) commanded angles [rad], rates [rad/s] and torques [N m], NaN: none


@inner
def read_bodies(physics, i, out):
    """Copy the motion of the links from MuJoCo."""
    for k in range(physics.link_body.size):
        body = physics.link_body[k]
        for c in range(3):
            out.place[i, k, c] = physics.body_place[body, c]
        for c in range(4):
            out.turn[i, k, c] = physics.body_turn[body, c]
    read_imus(physics, out.felt[i], out.spin[i])
    R, _, _, velocity = moving_at(physics, 0)
    put(out.base_velocity, i, 0, rotate_back(R, velocity))
    base = physics.link_body[0]
    for c in range(3):
        out.center[i, c] = physics.center[base, c]
        out.momentum[i, c] = physics.momentum[base, c]
        out.momentum[i, 3 + c] = physics.spin[base, c]
    for j in range(physics.torque.size):
        out.torque[i, j] = physics.torque[j]
    out.energy[i, 0], out.energy[i, 1] = physics.energy[0], physics.energy[1]


@inner
def note_touch(touch, link, point, push, slip):
    """Write a contact to the first free row, or over the weakest one if that is weaker."""
    row, weakest = -1, push[0] ** 2 + push[1] ** 2 + push[2] ** 2
    for n in range(touch.shape[0]):
        if np.isnan(touch[n, LINK]):
            row = n
            break
        size = touch[n, PUSH] ** 2 + touch[n, PUSH + 1] ** 2 + touch[n, PUSH + 2] ** 2
        if size < weakest:
            row, weakest = n, size
    if row >= 0:
        touch[row, LINK], touch[row, SLIP] = link, slip
        for c in range(3):
            touch[row, PLACE + c], touch[row, PUSH + c] = point[c], push[c]


@inner
def velocity_at(physics, link, point):
    """Return the velocity of a link's material at a point, world axes [m/s]; the world (-1) is at rest."""
    if link < 0:
        return 0.0, 0.0, 0.0
    v = physics.body_velocity[physics.link_body[link]]
    center = physics.center[physics.link_body[0]]
    x, y, z = point[0] - center[0], point[1] - center[1], point[2] - center[2]
    return v[3] + v[1] * z - v[2] * y, v[4] + v[2] * x - v[0] * z, v[5] + v[0] * y - v[1] * x


@inner
def read_contacts(physics, i, out):
    """Compute forces of all contacts on the links, and list the contacts."""
    address, wrench = physics.addresses, physics.wrench
    first = read_long(address[at.DATA] + address[at.CONTACTS])
    for n in range(read_int(address[at.DATA] + address[at.COUNT])):
        place = first + n * address[at.STRIDE]
        call_numbered(address[at.FORCE], address[at.MODEL], address[at.DATA], n, wrench.ctypes.data)
        frame = place + address[at.FRAME]
        point = (read_double(place + address[at.POINT]), read_double(place + address[at.POINT] + 8),
                 read_double(place + address[at.POINT] + 16))  # fmt: skip
        normal = (read_double(frame), read_double(frame + 8), read_double(frame + 16))
        push = (
            normal[0] * wrench[0] + read_double(frame + 24) * wrench[1] + read_double(frame + 48) * wrench[2],
            normal[1] * wrench[0] + read_double(frame + 32) * wrench[1] + read_double(frame + 56) * wrench[2],
            normal[2] * wrench[0] + read_double(frame + 40) * wrench[1] + read_double(frame + 64) * wrench[2],
        )
        one = physics.geom_link[read_int(place + address[at.SHAPES])]
        other = physics.geom_link[read_int(place + address[at.SHAPES] + 4)]
        v, w = velocity_at(physics, other, point), velocity_at(physics, one, point)
        moving = (v[0] - w[0], v[1] - w[1], v[2] - w[2])
        apart = moving[0] * normal[0] + moving[1] * normal[1] + moving[2] * normal[2]
        square = moving[0] ** 2 + moving[1] ** 2 + moving[2] ** 2 - apart**2
        slip = sqrt(max(square, 0.0))
        # MuJoCo's force acts on the second of the two geoms.
        if other >= 0:
            note_touch(out.touch[i], other, point, push, slip)
            for c in range(3):
                out.force[i, other, c] += push[c]
        if one >= 0:
            note_touch(out.touch[i], one, point, (-push[0], -push[1], -push[2]), slip)
            for c in range(3):
                out.force[i, one, c] -= push[c]


@inner
def clear(i, out):
    """Clear the contacts of a row."""
    for n in range(out.touch.shape[1]):
        for c in range(TOUCH):
            out.touch[i, n, c] = np.nan
    for k in range(out.force.shape[1]):
        for c in range(3):
            out.force[i, k, c] = 0.0


@inner
def tell(physics, i, out):
    """Fill row i from the forward pass at a state; qvel must contain the velocities of that state."""
    address = physics.addresses
    for function in (at.ACCELERATIONS, at.POTENTIAL, at.KINETIC, at.MOMENTUM):
        call(address[function], address[at.MODEL], address[at.DATA])
    clear(i, out)
    read_bodies(physics, i, out)
    read_contacts(physics, i, out)


@inner
def note_lead(lead, segment, time, i, out):
    """Write the command of the joints at a time to row i."""
    for j in range(lead.torque.size):
        angle, rate, torque = target_of(lead, segment, time, j)
        out.command[i, 0, j], out.command[i, 1, j], out.command[i, 2, j] = angle, rate, torque


@inner
def tell_start(physics, lead, segment, number, state, i, out):
    """Fill row i after a step with the state before it, which began after `number` steps and is still in `state`."""
    for d in range(physics.qvel.size):
        physics.after[d], physics.qvel[d] = physics.qvel[d], physics.before[d]
    tell(physics, i, out)
    for d in range(physics.qvel.size):
        physics.qvel[d] = physics.after[d]
    out.number[i] = number
    for n in range(state.size):
        out.state[i, n] = state[n]
    note_lead(lead, segment, number * physics.step, i, out)


@kernel
def contact_survey(physics, servos, lead, places, states, times, commands, wrenches, out):
    """Fill a Survey: states (samples, numbers), commands (3, samples, joints), wrenches (samples or 0, links, 6)."""
    address = physics.addresses
    for i in range(times.size):
        load(physics, places, states[i])
        for j in range(physics.joint_dof.size):
            lead.position[j], lead.velocity[j] = commands[0, i, j], commands[1, i, j]
            lead.torque[j] = commands[2, i, j]
        for k in range(physics.link_body.size):
            for c in range(6):
                physics.outside[physics.link_body[k], c] = wrenches[i, k, c] if wrenches.shape[0] > 0 else 0.0
        segment = motion_segment(lead.motion, times[i])
        pull(physics, servos, lead, segment, times[i], places, states[i])
        set_passes(physics)
        call(address[at.FORWARD], address[at.MODEL], address[at.DATA])
        tell(physics, i, out)
