"""Rows of floating trees, such as NATRIX in water: the rollouts of kernels/tree, one row after the other.

Readings, in this order:

- joint angles
- rates and torques
- direction of gravity and angular velocity in the head's axes
- pose and velocity of the head in its own axes, its mean accelerometer
- time of the episode
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.laws.drive import drive_joint, motor_numbers
from serpenoid.kernels.learning.episode import begin_tick, finish_tick, observe, start_row
from serpenoid.kernels.learning.space import read_accelerometer, read_base
from serpenoid.kernels.linear import copy
from serpenoid.kernels.records import Actuation, Tree
from serpenoid.kernels.reference import record_at
from serpenoid.kernels.tree.drive import driven_rollout


class TreePlant(NamedTuple):
    """Tree in an environment that serves one thread."""

    tree: Tree
    world: Any
    lead: Actuation  # its targets and torques are overwritten
    outside: NDArray  # no wrenches


@inner
def set_lead(plant, rows, row):
    """Hold the targets and torques of a row."""
    joints = rows.target.shape[1]
    copy(rows.target[row], 0, plant.lead.motion.offset, 0, joints)
    copy(rows.push[row], 0, plant.lead.feedforward, 0, joints)


@inner
def read_row(plant, task, rows, row):
    """Write the readings of a row."""
    state, out, joints = rows.state[row], rows.readings[row], rows.target.shape[1]
    rates = 13 + joints
    motors = rates + joints
    for j in range(joints):
        angle, rate = state[7 + j], state[rates + j]
        motor = (angle, rate)
        if motor_numbers(plant.lead.drive) > 0:
            motor = (state[motors + j], state[motors + joints + j])
        reference = (rows.target[row, j], 0.0)
        out[j], out[joints + j] = angle, rate
        out[2 * joints + j] = drive_joint(plant.lead.drive, j, reference, rows.push[row, j], (angle, rate), motor)[0]
    at = read_base(state, 7 + joints, 10 + joints, out, 3 * joints)
    read_accelerometer(rows, row, 3 * joints, task.step * task.steps, True)
    out[at] = rows.ticks[row] * task.step * task.steps


@kernel
def tree_row(plant, task, rows, row):
    """Advance one row and read it."""
    set_lead(plant, rows, row)
    end = driven_rollout(
        plant.tree, plant.world, plant.lead, rows.state[row].copy(), 0, task.steps, task.steps, task.step, plant.outside
    )  # fmt: skip
    rows.good[row] = not np.isnan(end[0, 0])
    if rows.good[row]:
        copy(end[0], 0, rows.state[row], 0, end.shape[1])
        read_row(plant, task, rows, row)


@kernel
def tree_steps(reference, addresses, task, rows, first, last):
    """Make one control period of the rows from `first` to below `last`."""
    for row in range(first, last):
        begin_tick(task, rows, row)
        if rows.active[row]:
            tree_row(record_at(reference, addresses[rows.variant[row]]), task, rows, row)
        if finish_tick(task, rows, row):
            read_row(record_at(reference, addresses[rows.variant[row]]), task, rows, row)
            observe(task, rows, row, rows.observation)


@kernel
def tree_reset(reference, addresses, task, rows, chosen):
    """Begin new episodes in the chosen rows."""
    for row in chosen:
        start_row(task, rows, row)
        read_row(record_at(reference, addresses[rows.variant[row]]), task, rows, row)
        observe(task, rows, row, rows.observation)
