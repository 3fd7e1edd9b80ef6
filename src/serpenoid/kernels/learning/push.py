"""Rows of planar chains that push an object: the events and steps of kernels/push, one row after the other.

Readings, in this order:

- joint angles
- rates and torques
- direction and rate of the head
- centre of mass and its velocity
- position and velocity of the object
- time of the episode
"""

from __future__ import annotations

from math import pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.learning.episode import begin_tick, finish_tick, observe, start_row
from serpenoid.kernels.linear import copy
from serpenoid.kernels.push.records import PushScene
from serpenoid.kernels.push.step import push_rollout, torque_at
from serpenoid.kernels.records import Actuation
from serpenoid.kernels.reference import record_at


class PushPlant(NamedTuple):
    """Chain on a floor with an object."""

    scene: PushScene
    lead: Actuation  # its targets and torques are overwritten
    wrench: NDArray  # (0, 3)


@inner
def set_lead(plant, rows, row):
    """Hold the targets and torques of a row."""
    joints = rows.target.shape[1]
    copy(rows.target[row], 0, plant.lead.motion.offset, 0, joints)
    copy(rows.push[row], 0, plant.lead.feedforward, 0, joints)


@inner
def read_row(plant, task, rows, row):
    """Write the readings of a row, whose targets and torques are held."""
    state, out, joints = rows.state[row], rows.readings[row], rows.target.shape[1]
    half, at = joints + 3, 3 * joints
    torque = torque_at(plant.lead, 0.0, task.step, state)
    for j in range(joints):
        out[j], out[joints + j], out[2 * joints + j] = state[3 + j], state[half + 3 + j], torque[j]
    out[at], out[at + 1] = state[2] - pi, state[half + 2]
    for c in range(2):
        out[at + 2 + c], out[at + 4 + c] = state[c], state[half + c]
        out[at + 6 + c], out[at + 8 + c] = state[2 * half + c], state[2 * half + 2 + c]
    out[at + 10] = rows.ticks[row] * task.step * task.steps


@kernel
def push_row(plant, task, rows, row):
    """Advance one row and read it."""
    set_lead(plant, rows, row)
    state, clock = rows.state[row], np.zeros(5)
    clock[1], clock[2] = task.step, task.steps
    states = np.empty((1, state.size))
    good = push_rollout(plant.scene, plant.lead, plant.wrench, clock, state, states, task.steps)
    for i in range(rows.state.shape[1]):
        good = good and abs(rows.state[row, i]) < np.inf
    rows.good[row] = good
    if good:
        read_row(plant, task, rows, row)


@kernel
def push_steps(reference, addresses, task, rows, first, last):
    """Make one control period of the rows from `first` to below `last`."""
    for row in range(first, last):
        begin_tick(task, rows, row)
        if rows.active[row]:
            push_row(record_at(reference, addresses[rows.variant[row]]), task, rows, row)
        if finish_tick(task, rows, row):
            plant = record_at(reference, addresses[rows.variant[row]])
            set_lead(plant, rows, row)
            read_row(plant, task, rows, row)
            observe(task, rows, row, rows.observation)


@kernel
def push_reset(reference, addresses, task, rows, chosen):
    """Begin new episodes in the chosen rows."""
    for row in chosen:
        start_row(task, rows, row)
        plant = record_at(reference, addresses[rows.variant[row]])
        set_lead(plant, rows, row)
        read_row(plant, task, rows, row)
        observe(task, rows, row, rows.observation)
