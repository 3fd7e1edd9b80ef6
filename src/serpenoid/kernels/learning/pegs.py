"""Rows of snakes on peg boards: the steps of kernels/pegs, one row after the other.

Readings, in this order:

- angles
- rates and torques of the moving joints
- direction and rate of the head
- centre of mass
- its distance from the start of the episode
- whether the front links are outside the pegs
- time of the episode
"""

from __future__ import annotations

from math import cos, pi, sin, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.laws.fused_loop import has_left
from serpenoid.kernels.laws.fused_run import StopRule
from serpenoid.kernels.learning.episode import begin_tick, finish_tick, observe, start_row
from serpenoid.kernels.linear import copy
from serpenoid.kernels.pegs.fused import Joints, PegSystem, hold, sense, step
from serpenoid.kernels.pegs.records import PegScene, peg_work
from serpenoid.kernels.reference import record_at


class PegPlant(NamedTuple):
    """Snake on one board; its joints are those that move."""

    scene: PegScene
    drive: Any
    joints: Joints
    shift: NDArray  # (pieces,) s_k: the centre of mass is sum_k s_k e_k from the head's front end [m]
    rule: StopRule  # rectangle around the pegs


@kernel
def peg_system(plant, task, state):
    """Return a fresh system for one row."""
    joints, nothing = plant.joints.spread.size, np.zeros((0, 3))
    return PegSystem(
        scene=plant.scene, drive=plant.drive, work=peg_work(plant.scene), wrench=nothing, joints=plant.joints,
        step=task.step, past=state.copy(), own=np.empty(joints), felt=np.empty(joints), accelerometer=nothing,
        gyroscope=nothing,
    )  # fmt: skip


@inner
def center_of(plant, state, out, at):
    """Write x, y of the centre of mass [m]."""
    angle, x, y = 0.0, state[0], state[1]
    for k in range(plant.shift.size):
        angle += state[2 + k]
        x += plant.shift[k] * cos(angle)
        y += plant.shift[k] * sin(angle)
    out[at], out[at + 1] = x, y


@inner
def read_row(plant, system, scratch, task, rows, row):
    """Write the readings of a row; the system has its target."""
    state, out, joints = rows.state[row], rows.readings[row], rows.target.shape[1]
    half, at = joints + 3, 3 * joints
    sense(system, 0, state, scratch)
    for kind in range(3):
        for j in range(joints):
            out[kind * joints + j] = scratch[kind, plant.joints.spread[j]]
    out[at], out[at + 1] = state[2] - pi, state[half + 2]
    center_of(plant, rows.start[row], out, at + 2)
    x, y = out[at + 2], out[at + 3]
    center_of(plant, state, out, at + 2)
    out[at + 4] = sqrt((out[at + 2] - x) ** 2 + (out[at + 3] - y) ** 2)
    out[at + 5] = 1.0 if has_left(system, plant.rule, state) else 0.0
    out[at + 6] = rows.ticks[row] * task.step * task.steps


@inner
def set_target(plant, system, full, rows, row):
    """Hold the targets and torques of a row."""
    for j in range(rows.target.shape[1]):
        full[plant.joints.spread[j]] = rows.target[row, j]
    hold(system, full, rows.state[row])
    copy(rows.push[row], 0, system.work.joints.feedforward, 0, rows.push.shape[1])


@kernel
def peg_row(plant, task, rows, row, full, scratch):
    """Advance one row and read it."""
    state = rows.state[row]
    system = peg_system(plant, task, state)
    set_target(plant, system, full, rows, row)
    for i in range(task.steps):
        rows.good[row] = rows.good[row] and step(system, i, i == 0, -1, state)
    if rows.good[row]:
        read_row(plant, system, scratch, task, rows, row)


@kernel
def peg_start(plant, task, rows, row, full, scratch):
    """Read and observe a row that has just started."""
    system = peg_system(plant, task, rows.state[row])
    set_target(plant, system, full, rows, row)
    read_row(plant, system, scratch, task, rows, row)
    observe(task, rows, row, rows.observation)


@kernel
def peg_steps(reference, addresses, task, rows, first, last):
    """Make one control period of the rows from `first` to below `last`."""
    joints = record_at(reference, addresses[0]).joints.piece.size
    full, scratch = np.zeros(joints), np.zeros((3, joints))
    for row in range(first, last):
        begin_tick(task, rows, row)
        if rows.active[row]:
            peg_row(record_at(reference, addresses[rows.variant[row]]), task, rows, row, full, scratch)
        if finish_tick(task, rows, row):
            peg_start(record_at(reference, addresses[rows.variant[row]]), task, rows, row, full, scratch)


@kernel
def peg_reset(reference, addresses, task, rows, chosen):
    """Begin new episodes in the chosen rows."""
    joints = record_at(reference, addresses[0]).joints.piece.size
    full, scratch = np.zeros(joints), np.zeros((3, joints))
    for row in chosen:
        start_row(task, rows, row)
        peg_start(record_at(reference, addresses[rows.variant[row]]), task, rows, row, full, scratch)
