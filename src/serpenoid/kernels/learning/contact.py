"""Rows of robots among solids: MuJoCo's steps by kernels/contact, one row after the other.

Readings, in this order:

- joint angles
- rates and torques
- direction of gravity and angular velocity in the head's axes
- pose and velocity of the head
- mean position of the links
- time of the episode A thread has its own MuJoCo model and data.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.contact.fused import ContactSystem, place_links, sense, step
from serpenoid.kernels.contact.motions import Earlier
from serpenoid.kernels.contact.records import Lead, Physics, Places, Servos
from serpenoid.kernels.contact.samples import Survey
from serpenoid.kernels.contact.states import load
from serpenoid.kernels.learning.episode import begin_tick, finish_tick, observe, start_row
from serpenoid.kernels.learning.space import read_base
from serpenoid.kernels.linear import copy
from serpenoid.kernels.reference import record_at


class ContactPlant(NamedTuple):
    """Robot in a world of solids, in one MuJoCo model."""

    physics: Physics
    servos: Servos
    lead: Lead  # its targets and torques are overwritten
    places: Places
    survey: Survey  # without rows


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
        before=state.copy(), survey=plant.survey, row=0, accelerometer=nothing, gyroscope=nothing,
    )  # fmt: skip


@inner
def read_row(plant, system, scratch, task, rows, row):
    """Write the readings of a row whose state is in MuJoCo's memory."""
    state, out, joints = rows.state[row], rows.readings[row], rows.target.shape[1]
    sense(system, 0, state, scratch)
    for kind in range(3):
        copy(scratch[kind], 0, out, kind * joints, joints)
    velocity = plant.places.velocity
    at = read_base(state, velocity, velocity + 3, out, 3 * joints)
    place_links(system, state)
    links = plant.physics.link_body.size
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
        read_row(plant, system, scratch, task, rows, row)


@kernel
def contact_start(plant, task, rows, row, scratch):
    """Read and observe a row that has just started."""
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
