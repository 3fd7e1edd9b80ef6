"""Rows of snakes on peg boards: the steps of kernels/pegs, one row after the other.

Readings, in this order:

- angles
- rates and torques of the moving joints
- direction and rate of the head
- centre of mass
- its distance from the start of the episode
- whether the front links are outside the pegs
- force of pegs and walls on each rigid piece in the last step, along and across it
- time of the episode

A row keeps its neighbour lists from tick to tick, because a search takes as long as a step.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import glue, inner, kernel
from serpenoid.kernels.laws.fused_loop import has_left
from serpenoid.kernels.laws.fused_run import StopRule
from serpenoid.kernels.learning.episode import begin_tick, finish_tick, observe, start_row
from serpenoid.kernels.linear import copy
from serpenoid.kernels.pegs.contacts import LOAD, NORMAL, SLOPE, SPRING, contact_drag, contact_speeds
from serpenoid.kernels.pegs.fused import Joints, PegSystem, hold, place_links, sense, step
from serpenoid.kernels.pegs.records import ContactWork, PegScene, PegWork
from serpenoid.kernels.pegs.working_arrays import (
    COLUMNS,
    fill,
    floor_work_arrays,
    joint_work,
    link_work,
    pad_count,
    sweep_work,
)
from serpenoid.kernels.reference import record_at


class PegPlant(NamedTuple):
    """Snake on one board; its joints are those that move."""

    scene: PegScene
    drive: Any
    joints: Joints
    shift: NDArray  # (pieces,) s_k: the centre of mass is sum_k s_k e_k from the head's front end [m]
    rule: StopRule  # rectangle around the pegs


class PegSpace(NamedTuple):
    """Arrays that all rows of a thread use in turn."""

    past: NDArray  # (numbers,) state
    own: NDArray  # (moving joints,) targets
    felt: NDArray  # (moving joints,) torques
    nothing: NDArray  # (0, 3)
    link: NDArray  # (contacts,) int64
    contact: NDArray  # (contacts, COLUMNS)
    full: NDArray  # (joints,) targets
    readings: NDArray  # (3, joints)


@kernel
def peg_space(rows, joints, most):
    """Allocate the arrays for robots with this number of joints and at most `most` contacts."""
    own = rows.target.shape[1]
    return PegSpace(
        past=np.empty(rows.state.shape[1]), own=np.empty(own), felt=np.empty(own), nothing=np.zeros((0, 3)),
        link=np.empty(most, np.int64), contact=np.empty((most, COLUMNS)), full=np.zeros(joints),
        readings=np.zeros((3, joints)),
    )  # fmt: skip


@glue
def lists_of(rows, row, space, nodes):
    """Return the neighbour lists of a row."""
    lists = rows.near.shape[1] - nodes
    return ContactWork(
        near=rows.near[row, :lists], count=rows.near[row, lists:], seen_x=rows.seen[row, :nodes],
        seen_y=rows.seen[row, nodes:], link=space.link, row=space.contact,
    )  # fmt: skip


@glue
def peg_system(plant, task, space, work):
    """Return the system of a row with its working arrays."""
    return PegSystem(
        scene=plant.scene, drive=plant.drive, work=work, wrench=space.nothing, joints=plant.joints, step=task.step,
        past=space.past, own=space.own, felt=space.felt, accelerometer=space.nothing, gyroscope=space.nothing,
    )  # fmt: skip


@inner
def write_pushes(work, out, at):
    """Write the forces of pegs and walls in the last step on the pieces [N], along and across each of them."""
    contacts, links, row = work.contacts, work.links, work.contacts.row
    n = contacts.count.size - 1
    for i in range(2 * n):
        out[at + i] = 0.0
    for i in range(contacts.count[n]):
        if row[i, LOAD] > 0.0:
            k = contacts.link[i]
            normal, tangent = contact_speeds(contacts, i, links.next_rate, links.next_u, links.next_v)
            push = row[i, SPRING] - row[i, SLOPE] * normal
            drag = -contact_drag(row, i, tangent, push)
            nx, ny = row[i, NORMAL + 1], row[i, NORMAL + 2]
            fx, fy = push * nx - drag * ny, push * ny + drag * nx  # the tangent is (-ny, nx)
            out[at + 2 * k] += links.cosine[k] * fx + links.sine[k] * fy
            out[at + 2 * k + 1] += links.cosine[k] * fy - links.sine[k] * fx


@inner
def read_row(plant, system, space, task, rows, row):
    """Write the readings of a row except for the pushes; the system has its target."""
    state, out, joints = rows.state[row], rows.readings[row], rows.target.shape[1]
    half, at = joints + 3, 3 * joints
    sense(system, 0, state, space.readings)
    for kind in range(3):
        for j in range(joints):
            out[kind * joints + j] = space.readings[kind, plant.joints.spread[j]]
    out[at], out[at + 1] = state[2] - pi, state[half + 2]
    place_links(system, state)
    links, x, y = system.work.links, state[0], state[1]
    for k in range(plant.shift.size):
        x += plant.shift[k] * links.cosine[k]
        y += plant.shift[k] * links.sine[k]
    if rows.ticks[row] == 0:
        rows.origin[row, 0], rows.origin[row, 1] = x, y
    out[at + 2], out[at + 3] = x, y
    out[at + 4] = sqrt((x - rows.origin[row, 0]) ** 2 + (y - rows.origin[row, 1]) ** 2)
    out[at + 5] = 1.0 if has_left(system, plant.rule, state) else 0.0
    out[at + 6 + 2 * (joints + 1)] = rows.ticks[row] * task.step * task.steps


@inner
def set_target(plant, system, full, rows, row):
    """Hold the targets and torques of a row."""
    for j in range(rows.target.shape[1]):
        full[plant.joints.spread[j]] = rows.target[row, j]
    hold(system, full, rows.state[row])
    copy(rows.push[row], 0, system.work.joints.feedforward, 0, rows.push.shape[1])


@kernel
def peg_row(reference, address, task, rows, row, space, steps):
    """Advance one row by some steps and read it."""
    plant, state = record_at(reference, address), rows.state[row]
    n = plant.scene.chain.mass.size
    links, floor = link_work(n), floor_work_arrays(plant.scene.floor.place.size // n * pad_count(n))
    joints = joint_work(n - 1)
    fill(plant.scene, links, floor, joints)
    work = PegWork(links, sweep_work(pad_count(n)), floor, joints, lists_of(rows, row, space, n + 1))
    system = peg_system(plant, task, space, work)
    set_target(plant, system, space.full, rows, row)
    work.contacts.count[n] = 0
    for i in range(steps):
        rows.good[row] = rows.good[row] and step(system, i, i == 0, -1, state)
    if rows.good[row]:
        write_pushes(work, rows.readings[row], 3 * (n - 1) + 6)
        read_row(plant, system, space, task, rows, row)


@kernel
def peg_steps(reference, addresses, task, rows, first, last):
    """Make one control period of the rows from `first` to below `last`."""
    joints = record_at(reference, addresses[0]).joints.piece.size
    space = peg_space(rows, joints, rows.near.shape[1])
    for row in range(first, last):
        begin_tick(task, rows, row)
        if rows.active[row]:
            peg_row(reference, addresses[rows.variant[row]], task, rows, row, space, task.steps)
        if finish_tick(task, rows, row):
            peg_row(reference, addresses[rows.variant[row]], task, rows, row, space, 0)
            observe(task, rows, row, rows.observation)


@kernel
def peg_reset(reference, addresses, task, rows, chosen):
    """Begin new episodes in the chosen rows."""
    joints = record_at(reference, addresses[0]).joints.piece.size
    space = peg_space(rows, joints, rows.near.shape[1])
    for row in chosen:
        start_row(task, rows, row)
        peg_row(reference, addresses[rows.variant[row]], task, rows, row, space, 0)
        observe(task, rows, row, rows.observation)
