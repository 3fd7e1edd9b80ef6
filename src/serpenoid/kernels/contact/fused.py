"""Fused rollout of a law and MuJoCo in one compiled call, until a rule stops the run."""

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
from serpenoid.kernels.laws.cascade import clip_value
from serpenoid.kernels.laws.fused_loop import ENGINES, EngineFunctions, fused_run, new_record, run_ticks
from serpenoid.kernels.motion import motion_segment


class SampleRows(NamedTuple):
    """Rows for samples."""

    survey: Survey
    row: int  # of the first sample


class ContactSystem(NamedTuple):
    """Run in MuJoCo, as used by fused_loop."""

    physics: Physics
    servos: Servos
    lead: Lead  # its position is the law's target
    places: Places
    imu: bool  # whether the law reads IMUs
    earlier: Earlier
    before: NDArray  # (numbers,) state one tick earlier
    rows: SampleRows
    accelerometer: NDArray  # (links, 3), empty if the law does not read it
    gyroscope: NDArray  # (links, 3)


@inner
def sense(system, number, state, readings):
    """Write angles, rates, torques of the current command, and IMU readings."""
    physics, places, time = system.physics, system.places, number * system.physics.step
    pull(physics, system.servos, system.lead, motion_segment(system.lead.motion, time), time, places, state)
    for j in range(physics.joint_dof.size):
        angle, rate, bias = state[places.joints + j], state[places.rates + j], physics.bias[j]
        torque = bias[0] + bias[1] * angle + bias[2] * rate
        readings[0, j], readings[1, j] = angle, rate
        readings[2, j] = clip_value(torque, physics.range[j, 0], physics.range[j, 1])
    if system.imu:
        sense_imus(physics, places, state, system.earlier, system.accelerometer, system.gyroscope)


@inner
def hold(system, target, state):
    """Store the state of this tick for the next reading; the lead already has the targets."""
    for i in range(state.size):
        system.before[i] = state[i]


@inner
def step(system, number, first, sample, state):
    """Advance by one step in place; return whether the state is finite and bounded."""
    count = system.rows.survey.number.size
    here = (system.rows.row + sample) % count if sample >= 0 and count > 0 else -1
    passed = system.imu and first and system.physics.splits
    return one_step(
        system.physics, system.servos, system.lead, number, system.places, state, here, system.rows.survey, passed
    )  # fmt: skip


@inner
def place_links(system, state):
    """Make MuJoCo compute link poses from the state in its memory."""
    address = system.physics.addresses
    call(address[KINEMATICS], address[MODEL], address[DATA])


@inner
def link_position(system, state, link):
    """Return x, y of a link's frame [m]."""
    body = system.physics.link_body[link]
    return system.physics.body_place[body, 0], system.physics.body_place[body, 1]


ENGINES[ContactSystem] = EngineFunctions(sense, hold, step, place_links, link_position)


@kernel
def contact_law_rollout(physics, servos, lead, places, task, gravity, before, start, rows):
    """Run the law of a FusedTask, whose target is lead.position; see FusedRun.

    A tick reads the joints, and IMUs if task.imu, evaluates the law, and applies its targets for `per_tick` steps. Then
    the stop rule is evaluated. Samples are written to `rows`, as by contact_rollout. `before` is the state one tick
    before the start, NaN if unknown. It is overwritten with the state one tick before the end.
    """
    state, links = start.copy(), physics.link_body.size if task.imu else 0
    period = task.course.per_tick * task.course.step
    record = new_record(task, state.size)
    earlier = Earlier(np.full((links, 4), np.nan), np.zeros((links, 3)), gravity, period)
    system = ContactSystem(
        physics=physics,
        servos=servos,
        lead=lead,
        places=places,
        imu=task.imu,
        earlier=earlier,
        before=before,
        rows=rows,
        accelerometer=np.zeros((links, 3)),
        gyroscope=np.zeros((links, 3)),
    )
    if task.imu and not np.isnan(before[0]):
        load(physics, places, before)
        pass_forward(physics)
        keep_motion(physics, earlier)
    load(physics, places, state)
    ended = run_ticks(system, task, state, record)
    return fused_run(record, task.errors.joints, state, ended)
