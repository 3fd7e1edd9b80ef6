"""Rows of planar chains, sixteen in lock step: RK4 with held targets or torques.

Readings, in this order:

- joint angles
- rates and torques
- direction and rate of the head
- centre of mass and its velocity
- position and velocity of the state's base point
- time of the episode

A state is that of chain.py without accounts, its base on the rails if the chain has any.
"""

from __future__ import annotations

from math import pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import bare_kernel, inner, kernel
from serpenoid.kernels.laws.drive import pd_torque
from serpenoid.kernels.laws.hinges import SOFT_COLUMNS
from serpenoid.kernels.learning.episode import begin_tick, finish_tick, observe, start_row
from serpenoid.kernels.planar.chain import (
    PlanarModel,
    PlanarWork,
    add_armature,
    assemble,
    planar_work,
    solve_accelerations,
    write_accelerations,
)
from serpenoid.kernels.planar.rails import base_accelerations, move_base
from serpenoid.kernels.planar.soft_stops import SoftStops, push_back
from serpenoid.kernels.records import StiffDrive
from serpenoid.kernels.reference import record_at
from serpenoid.kernels.runge_kutta import LARGEST, Stages, runge_kutta_step, slope_of
from serpenoid.kernels.simd import WIDE
from serpenoid.kernels.stack import slots, stack_vectors


class PlanarPlant(NamedTuple):
    """Chain with its drives: those of targets or, with gains of 0, of torques."""

    model: PlanarModel
    drive: StiffDrive


class LaneChains(NamedTuple):
    """Sixteen chains with held commands; arrays contain wide vectors."""

    model: PlanarModel
    work: PlanarWork
    drive: StiffDrive
    target: NDArray  # (joints,) [rad]
    push: NDArray  # (joints,) [N m]
    torque: NDArray  # (joints,) [N m]
    stops: SoftStops


@slope_of(LaneChains)
@inner
def lane_slope(system, stage, time, state, out):
    """Write the rates of the chains."""
    model, work, half = system.model, system.work, system.work.rate.size + 2
    for j in range(half - 3):
        reference = (system.target[j], 0.0)
        system.torque[j] = pd_torque(system.drive, j, reference, system.push[j], state[3 + j], state[half + 3 + j])
    for i in range(half):
        out[i] = state[half + i]
    move_base(model, work, state, 1.0)
    assemble(model, work, state, system.torque)
    add_armature(model, work)
    solve_accelerations(model, work)
    push_back(model, work, system.stops, state)
    write_accelerations(work, out[half : 2 * half])
    base_accelerations(model, work, out, half)


@bare_kernel
def advance_lanes(plant, rows, members, count, step, steps):
    """Advance the rows members[:count] by `steps` RK4 steps; slots beyond the last row repeat it."""
    model = plant.model
    links = model.shift.size
    n, j, size = (links,), (links - 1,), (2 * links + 4,)
    soft = links - 1 if model.hinges.shape[1] == SOFT_COLUMNS else 0
    work = PlanarWork(
        cosine=stack_vectors(n), sine=stack_vectors(n), rate=stack_vectors(n), square=stack_vectors(n),
        velocity=stack_vectors((links, 2)), bias=stack_vectors((links, 2)), row=stack_vectors(n),
        force=stack_vectors((links, 3)), matrix=stack_vectors((links + 2, links + 2)),
        right=stack_vectors((links + 2,)), base=stack_vectors((4, 3)),
    )  # fmt: skip
    stops = SoftStops(
        column=stack_vectors((soft, links + 2)), over=stack_vectors((soft,)), side=stack_vectors((soft,)),
        wanted=stack_vectors((soft,)), slack=stack_vectors((soft,)), push=stack_vectors((soft,)),
        wait=stack_vectors((1,)),
    )  # fmt: skip
    system = LaneChains(
        model=model, work=work, drive=plant.drive, target=stack_vectors(j), push=stack_vectors(j),
        torque=stack_vectors(j), stops=stops,
    )  # fmt: skip
    stages = Stages(stack_vectors(size), stack_vectors(size), stack_vectors(size), stack_vectors(size))
    state = stack_vectors(size)
    for first in range(0, count, WIDE):
        for slot in range(WIDE):
            row = members[min(first + slot, count - 1)]
            for i in range(state.size):
                slots(state)[i, slot] = rows.state[row, i]
            for i in range(links - 1):
                slots(system.target)[i, slot] = rows.target[row, i]
                slots(system.push)[i, slot] = rows.push[row, i]
        for i in range(state.size):
            stages.carry[i] = 0.0
        for k in range(steps):
            runge_kutta_step(system, stages, k * step, step, state, 4)
        for slot in range(min(WIDE, count - first)):
            row = members[first + slot]
            good = True
            for i in range(state.size):
                rows.state[row, i] = slots(state)[i, slot]
                good = good and abs(rows.state[row, i]) < LARGEST
            rows.good[row] = good


@inner
def read_row(plant, work, center, task, rows, row):
    """Write the readings of a row; `center` (numbers,) is scratch."""
    state, out, joints = rows.state[row], rows.readings[row], rows.target.shape[1]
    half = joints + 3
    for i in range(2 * half):
        center[i] = state[i]
    move_base(plant.model, work, center, 1.0)
    for j in range(joints):
        angle, rate = state[3 + j], state[half + 3 + j]
        reference = (rows.target[row, j], 0.0)
        out[j], out[joints + j] = angle, rate
        out[2 * joints + j] = pd_torque(plant.drive, j, reference, rows.push[row, j], angle, rate)
    at = 3 * joints
    out[at], out[at + 1] = state[2] - pi, state[half + 2]
    for c in range(2):
        out[at + 2 + c], out[at + 4 + c] = center[c], center[half + c]
        out[at + 6 + c], out[at + 8 + c] = state[c], state[half + c]
    out[at + 10] = rows.ticks[row] * task.step * task.steps


@kernel
def planar_steps(reference, addresses, task, rows, first, last):
    """Make one control period of the rows from `first` to below `last`."""
    plant = record_at(reference, addresses[0])
    work, center = planar_work(plant.model.shift.size), np.empty(rows.state.shape[1])
    members = np.empty(last - first, np.int64)
    for row in range(first, last):
        begin_tick(task, rows, row)
    for variant in range(addresses.size):
        count = 0
        for row in range(first, last):
            if rows.active[row] and rows.variant[row] == variant:
                members[count] = row
                count += 1
        advance_lanes(record_at(reference, addresses[variant]), rows, members, count, task.step, task.steps)
    for row in range(first, last):
        plant = record_at(reference, addresses[rows.variant[row]])
        if rows.good[row]:
            read_row(plant, work, center, task, rows, row)
        if finish_tick(task, rows, row):
            read_row(record_at(reference, addresses[rows.variant[row]]), work, center, task, rows, row)
            observe(task, rows, row, rows.observation)


@kernel
def planar_reset(reference, addresses, task, rows, chosen):
    """Begin new episodes in the chosen rows."""
    plant = record_at(reference, addresses[0])
    work, center = planar_work(plant.model.shift.size), np.empty(rows.state.shape[1])
    for row in chosen:
        start_row(task, rows, row)
        read_row(record_at(reference, addresses[rows.variant[row]]), work, center, task, rows, row)
        observe(task, rows, row, rows.observation)
