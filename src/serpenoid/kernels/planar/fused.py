"""Fused rollout of a law and a planar chain with driven joints in one compiled call, until a rule stops the run."""

from __future__ import annotations

from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.accounts import ACCOUNTS, PER_JOINT
from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.laws.drive import drive_joint, motor_numbers
from serpenoid.kernels.laws.fused_loop import ENGINES, EngineFunctions, fused_run, new_record, run_ticks
from serpenoid.kernels.motion import motion_segment
from serpenoid.kernels.planar.chain import PlanarModel, planar_work
from serpenoid.kernels.planar.inverse import link_poses
from serpenoid.kernels.planar.rails import move_base
from serpenoid.kernels.planar.soft_stops import soft_stops
from serpenoid.kernels.planar.step import DrivenChain
from serpenoid.kernels.runge_kutta import Stages, is_bounded, new_stages, runge_kutta_step


class PlanarSystem(NamedTuple):
    """Run of a chain, as used by fused_loop."""

    model: PlanarModel
    chain: DrivenChain  # its lead has arrays of its own, which follow the law
    drive: Any  # the drives' gains
    torques: bool  # whether the law commands torques instead of angles
    stages: Stages
    fine: int  # Runge-Kutta steps per step
    step: float  # [s] of them
    poses: NDArray  # (links, 3)
    accelerometer: NDArray  # (0, 3): no IMU
    gyroscope: NDArray  # (0, 3)


@inner
def sense(system, number, state, readings):
    """Write angles, rates and drive torques of the current command."""
    joints, lead = system.chain.torque.size, system.chain.lead
    half = joints + 3
    for j in range(joints):
        angle, rate = state[3 + j], state[half + 3 + j]
        motor = (0.0, 0.0)
        if motor_numbers(lead.drive) > 0:
            motor = (state[2 * half + j], state[2 * half + joints + j])
        torque, _, _, _ = drive_joint(
            lead.drive, j, (lead.motion.offset[j], 0.0), lead.feedforward[j], (angle, rate), motor
        )
        readings[0, j], readings[1, j], readings[2, j] = angle, rate, torque


@inner
def hold(system, target, state):
    """Set torques or angles of all drives until the next tick; a joint without a target is free."""
    lead, drive = system.chain.lead, system.drive
    for j in range(target.size):
        given = isfinite(target[j])
        if system.torques:
            lead.feedforward[j] = target[j] if given else 0.0
        else:
            lead.motion.offset[j] = target[j] if given else 0.0
            lead.drive.stiffness[j] = drive.stiffness[j] if given else 0.0
            lead.drive.damping[j] = drive.damping[j] if given else 0.0


@inner
def step(system, number, first, sample, state):
    """Advance by one step in place; return whether the state is finite and bounded."""
    chain = system.chain
    move_base(system.model, chain.work, state, -1.0)
    for i in range(system.fine):
        time = (number * system.fine + i) * system.step
        chain.segment[0] = motion_segment(chain.lead.motion, time + 0.5 * system.step)
        runge_kutta_step(chain, system.stages, time, system.step, state, 4)
    move_base(system.model, chain.work, state, 1.0)
    return is_bounded(state, state.size - ACCOUNTS - PER_JOINT * chain.torque.size)


@inner
def place_links(system, state):
    """Compute the poses of the link frames."""
    link_poses(system.model, state, system.poses)


@inner
def link_position(system, state, link):
    """Return x, y of a link's frame [m]."""
    return system.poses[link, 0], system.poses[link, 1]


ENGINES[PlanarSystem] = EngineFunctions(sense, hold, step, place_links, link_position)


@kernel
def planar_law_rollout(model, drive, lead, task, wrench, start, fine):
    """Run the law of a FusedTask; lead changes in place. See FusedRun.

    `lead` is the Actuation of the present command. fine: Runge-Kutta steps per step.
    """
    state, links, nothing = start.copy(), model.shift.size, np.zeros((0, 3))
    record = new_record(task, state.size)
    chain = DrivenChain(
        model, planar_work(links), lead, wrench, np.empty(links - 1), np.zeros(1, np.int64),
        soft_stops(model.hinges, links),
    )  # fmt: skip
    system = PlanarSystem(
        model=model,
        chain=chain,
        drive=drive,
        torques=task.torques,
        stages=new_stages(state.size),
        fine=fine,
        step=task.course.step / fine,
        poses=np.empty((links, 3)),
        accelerometer=nothing,
        gyroscope=nothing,
    )
    ended = run_ticks(system, task, state, record)
    return fused_run(record, task.errors.joints, state, ended)
