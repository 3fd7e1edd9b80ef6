"""A law and MuJoCo in one compiled call, until a rule stops the run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.contact.memory import call
from serpenoid.kernels.contact.motions import Earlier, keep_motion, pass_forward, sense_imus
from serpenoid.kernels.contact.records import DATA, KINEMATICS, MODEL, Lead, Physics, Places, Servos
from serpenoid.kernels.contact.rollout import one_step
from serpenoid.kernels.contact.samples import Survey
from serpenoid.kernels.contact.servos import pull
from serpenoid.kernels.contact.states import load
from serpenoid.kernels.laws.cascade import clipped
from serpenoid.kernels.laws.fused_loop import ENGINES, EngineFunctions, fused_run, new_record, run_ticks
from serpenoid.kernels.motion import motion_segment


class ContactSystem(NamedTuple):
    """A run in MuJoCo as fused_loop takes it."""

    physics: Physics
    servos: Servos
    lead: Lead  # its position is the law's target
    places: Places
    imu: bool  # whether the law reads IMUs
    earlier: Earlier
    before: NDArray  # (numbers,) the state one tick before
    told: Survey  # rows for samples
    row: int  # of the first sample
    accelerometer: NDArray  # (links, 3), none where the law does not read it
    gyroscope: NDArray  # (links, 3)


@inner
def sense(system, number, state, readings):
    """Write angles, rates, and torques of the command held so far; and what IMUs show."""
    physics, places, time = system.physics, system.places, number * system.physics.step
    pull(physics, system.servos, system.lead, motion_segment(system.lead.motion, time), time, places, state)
    for j in range(physics.joint_dof.size):
        angle, rate, bias = state[places.joints + j], state[places.rates + j], physics.bias[j]
        torque = bias[0] + bias[1] * angle + bias[2] * rate
        readings[0, j], readings[1, j] = angle, rate
        readings[2, j] = clipped(torque, physics.range[j, 0], physics.range[j, 1])
    if system.imu:
        sense_imus(physics, places, state, system.earlier, system.accelerometer, system.gyroscope)


@inner
def hold(system, target, state):
    """Keep the state of this tick for the next reading; the targets stand in the lead."""
    for i in range(state.size):
        system.before[i] = state[i]


@inner
def step(system, number, first, sample, state):
    """One step in place; whether the state is sound."""
    rows = system.told.number.size
    here = (system.row + sample) % rows if sample >= 0 and rows > 0 else -1
    passed = system.imu and first and system.physics.splits
    return one_step(
        system.physics, system.servos, system.lead, number, system.places, state, here, system.told, passed
    )  # fmt: skip


@inner
def place_links(system, state):
    """Let MuJoCo put the links where the state in its memory has them."""
    address = system.physics.addresses
    call(address[KINEMATICS], address[MODEL], address[DATA])


@inner
def link_position(system, state, link):
    """x, y of a link's frame [m]."""
    body = system.physics.link_body[link]
    return system.physics.body_place[body, 0], system.physics.body_place[body, 1]


ENGINES[ContactSystem] = EngineFunctions(sense, hold, step, place_links, link_position)


@kernel
def contact_law_rollout(
    physics, servos, lead, places, law, memory, rule, imu, gravity, errors, before, start, course, told, row
):
    """Run a law for some ticks; its memory, and its target in lead.position (joints,), change in place. See FusedRun.

    A tick senses the joints, and if the law reads IMUs (imu) those, asks the law, and holds its targets for `per_tick`
    steps; then the rule is asked. Samples are told of in the rows of the Survey `told` from `row` on, as by
    contact_rollout. errors: of the sensors, see Errors. before: the state one tick before the start, NaN where there is
    none, and in the end that before the end.
    """
    state, links = start.copy(), physics.link_body.size if imu else 0
    record = new_record(course, state.size, lead.position.size, memory.size)
    earlier = Earlier(np.full((links, 4), np.nan), np.zeros((links, 3)), gravity, course.per_tick * course.step)
    system = ContactSystem(
        physics, servos, lead, places, imu, earlier, before, told, row, np.zeros((links, 3)), np.zeros((links, 3))
    )  # fmt: skip
    if imu and not np.isnan(before[0]):
        load(physics, places, before)
        pass_forward(physics)
        keep_motion(physics, earlier)
    load(physics, places, state)
    ended = run_ticks(system, law, memory, lead.position, rule, errors, course, state, record)
    return fused_run(record, errors.joints, state, ended)
