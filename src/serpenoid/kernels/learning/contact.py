"""Rows of robots among solids: MuJoCo's steps by kernels/contact, one row after the other.

Readings, in this order:

- joint angles
- rates and torques
- direction of gravity and angular velocity in the head's axes
- pose and velocity of the head, its mean accelerometer
- force of the contacts on each link in the last step, in its own axes
- mean position of the links
- time of the episode

A thread has its own MuJoCo model and data.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.contact.fused import ContactSystem, SampleRows, place_links, sense, step
from serpenoid.kernels.contact.motions import Earlier
from serpenoid.kernels.contact.records import Lead, Physics, Places, Servos
from serpenoid.kernels.contact.samples import Survey, read_contacts
from serpenoid.kernels.contact.states import load
from serpenoid.kernels.learning.episode import begin_tick, finish_tick, observe, start_row
from serpenoid.kernels.learning.space import BASE_READINGS, read_accelerometer, read_base
from serpenoid.kernels.lie import put, rotate_back, rotation_of
from serpenoid.kernels.linear import copy
from serpenoid.kernels.reference import record_at


class Pushes(NamedTuple):
    """Forces on the links, in the layout of a Survey with one row."""

    force: NDArray  # (1, links, 3) [N]
    touch: NDArray  # (1, 0, TOUCH)


class ContactPlant(NamedTuple):
    """Robot in a world of solids, in one MuJoCo model."""

    physics: Physics
    servos: Servos
    lead: Lead  # its targets and torques are overwritten
    places: Places
    survey: Survey  # without rows
    pushes: Pushes


@kernel
def contact_system(plant, task, rows, row):
    """Load a row into MuJoCo and return its system."""
    nothing = np.zeros((0, 3))
    earlier = Earlier(np.zeros((0, 4)), nothing, np.zeros(3), task.step * task.steps)
    for j in range(rows.target.shape[1]):
        plant.lead.position[j], plant.lead.torque[j] = rows.target[row, j], rows.push[row, j]
    state = rows.state[row]
    load(plant.physics, plant.places, state)
    return ContactSystem(
        physics=plant.physics, servos=plant.servos, lead=plant.lead, places=plant.places, imu=False, earlier=earlier,
        before=state.copy(), rows=SampleRows(plant.survey, 0), accelerometer=nothing, gyroscope=nothing,
    )  # fmt: skip


@inner
def write_pushes(plant, out, at, moved):
    """Write the forces of all contacts in the last step on the links, in their own axes [N]; 0 if none was made."""
    physics, force = plant.physics, plant.pushes.force
    links = physics.link_body.size
    for i in range(3 * links):
        out[at + i] = 0.0
    if not moved:
        return
    for k in range(links):
        put(force[0], k, 0, (0.0, 0.0, 0.0))
    read_contacts(physics, 0, plant.pushes)
    for k in range(links):
        turn = physics.body_turn[physics.link_body[k]]
        R = rotation_of((turn[0], turn[1], turn[2], turn[3]))
        found = rotate_back(R, (force[0, k, 0], force[0, k, 1], force[0, k, 2]))
        for c in range(3):
            out[at + 3 * k + c] = found[c]


@inner
def read_row(plant, system, scratch, task, rows, row):
    """Write the readings of a row whose state is in MuJoCo's memory."""
    state, out, joints = rows.state[row], rows.readings[row], rows.target.shape[1]
    sense(system, 0, state, scratch)
    for kind in range(3):
        copy(scratch[kind], 0, out, kind * joints, joints)
    velocity = plant.places.velocity
    place_links(system, state)
    at = read_base(state, velocity, velocity + 3, out, 3 * joints)
    read_accelerometer(rows, row, 3 * joints, task.step * task.steps, False)
    links = plant.physics.link_body.size
    at += 3 * links
    for c in range(3):
        mean = 0.0
        for k in range(links):
            mean += plant.physics.body_place[plant.physics.link_body[k], c]
        out[at + c] = mean / links
    out[at + 3] = rows.ticks[row] * task.step * task.steps


@kernel
def contact_row(plant, task, rows, row, scratch):
    """Advance one row and read it."""
    state = rows.state[row]
    system = contact_system(plant, task, rows, row)
    for i in range(task.steps):
        rows.good[row] = rows.good[row] and step(system, i, i == 0, -1, state)
    if rows.good[row]:
        write_pushes(plant, rows.readings[row], 3 * rows.target.shape[1] + BASE_READINGS, True)
        read_row(plant, system, scratch, task, rows, row)


@kernel
def contact_start(plant, task, rows, row, scratch):
    """Read and observe a row that has just started."""
    write_pushes(plant, rows.readings[row], 3 * rows.target.shape[1] + BASE_READINGS, False)
    read_row(plant, contact_system(plant, task, rows, row), scratch, task, rows, row)
    observe(task, rows, row, rows.observation)


@kernel
def contact_steps(reference, addresses, task, rows, first, last):
    """Make one control period of the rows from `first` to below `last`."""
    scratch = np.zeros((3, rows.target.shape[1]))
    for row in range(first, last):
        begin_tick(task, rows, row)
        if rows.active[row]:
            contact_row(record_at(reference, addresses[rows.variant[row]]), task, rows, row, scratch)
        if finish_tick(task, rows, row):
            contact_start(record_at(reference, addresses[rows.variant[row]]), task, rows, row, scratch)


@kernel
def contact_reset(reference, addresses, task, rows, chosen):
    """Begin new episodes in the chosen rows."""
    scratch = np.zeros((3, rows.target.shape[1]))
    for row in chosen:
        start_row(task, rows, row)
        contact_start(record_at(reference, addresses[rows.variant[row]]), task, rows, row, scratch)
