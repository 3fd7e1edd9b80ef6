"""Rollouts of the planar chain by RK4, with joints driven by torques or prescribed.

A state starts with that of chain.py (2 (n + 2) numbers). The drives' own state, if any (motor angles, motor rates), and
the accounts of joints and of work follow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.accounts import ABSOLUTE, ACCOUNTS, DAMPING, DRIVE, EXTERNAL, MEDIUM, PER_JOINT
from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.laws.drive import drive_slope
from serpenoid.kernels.laws.hinges import add_hinges
from serpenoid.kernels.linear import copy
from serpenoid.kernels.motion import joint_motion, motion_segment
from serpenoid.kernels.planar.chain import (
    PlanarModel,
    PlanarWork,
    add_armature,
    add_wrenches,
    assemble,
    damping_power,
    medium_power,
    planar_work,
    solve_accelerations,
    write_accelerations,
)
from serpenoid.kernels.planar.inverse import prescribed_dynamics
from serpenoid.kernels.planar.rails import base_accelerations, move_base
from serpenoid.kernels.planar.soft_stops import SoftStops, push_back, soft_stops
from serpenoid.kernels.records import Actuation, Motion
from serpenoid.kernels.runge_kutta import is_bounded, new_stages, runge_kutta_step, slope_of


class DrivenChain(NamedTuple):
    """Chain with driven joints."""

    model: PlanarModel
    work: PlanarWork
    lead: Actuation
    wrench: NDArray  # (n, 3) from outside, force x, y at each link's centre of mass and moment [N, N m]; or (0, 3)
    torque: NDArray  # (n - 1,) [N m]
    segment: NDArray  # (1,) int64, of the motion, for all stages of a step
    stops: SoftStops


class PrescribedChain(NamedTuple):
    """Chain with joints that follow a motion exactly."""

    model: PlanarModel
    work: PlanarWork
    motion: Motion
    wrench: NDArray  # as in DrivenChain
    torque: NDArray  # (n - 1,) [N m]
    segment: NDArray  # (1,) int64
    target: NDArray  # (n - 1,) joint accelerations [rad/s^2]


@slope_of(DrivenChain)
@inner
def driven_slope(system, stage, time, state, out):
    """Write the rates of the chain, its drives and the accounts; a base on rails is that of rails.py."""
    model, work = system.model, system.work
    half, accounts = work.rate.size + 2, state.size - ACCOUNTS
    places = (3, half + 3, 2 * half)
    given, cost, lost = drive_slope(system.lead, system.segment[0], time, state, places, system.torque, out)
    lost += add_hinges(model.hinges, 1.0, state, 3, half + 3, system.torque)
    for i in range(half):
        out[i] = state[half + i]
    move_base(model, work, state, 1.0)
    assemble(model, work, state, system.torque)
    add_armature(model, work)
    out[accounts + MEDIUM] = medium_power(model, work)
    out[accounts + EXTERNAL] = add_wrenches(model, work, state, system.wrench)
    solve_accelerations(model, work)
    lost += push_back(model, work, system.stops, state)
    write_accelerations(work, out[half : 2 * half])
    base_accelerations(model, work, out, half)
    out[accounts + DRIVE] = given
    out[accounts + DAMPING] = damping_power(model, state) + lost
    out[accounts + ABSOLUTE] = cost


@inner
def set_joints(motion, segment, time, state, target):
    """Write the motion's angles and rates into the state and its accelerations into `target`."""
    joints = target.size
    for j in range(joints):
        state[3 + j], state[joints + 6 + j], target[j] = joint_motion(motion, segment, time, j)


@slope_of(PrescribedChain)
@inner
def prescribed_slope(system, stage, time, state, out):
    """Write the rates of the chain and the accounts; the joints follow the motion."""
    model, work = system.model, system.work
    half, accounts = work.rate.size + 2, state.size - ACCOUNTS
    set_joints(system.motion, system.segment[0], time, state, system.target)
    for i in range(half):
        out[i] = state[half + i]
    out[accounts + EXTERNAL] = prescribed_dynamics(
        model, work, state, system.target, system.wrench, out[half : 2 * half], system.torque
    )
    out[accounts + MEDIUM] = medium_power(model, work)
    rubbed = add_hinges(model.hinges, -1.0, state, 3, half + 3, system.torque)
    out[accounts + DAMPING] = damping_power(model, state) + rubbed
    given, cost = 0.0, 0.0
    for j in range(half - 3):
        torque, own = system.torque[j], 2 * half + j
        power = torque * state[half + 3 + j]
        out[own], out[own + half - 3], out[own + 2 * (half - 3)] = torque, torque * torque, power
        given += power
        cost += abs(power)
    out[accounts + DRIVE] = given
    out[accounts + ABSOLUTE] = cost


@kernel
def driven_rollout(model, lead, wrench, state, first, step, steps, every):
    """Return states after every `every`-th of `steps` RK4 steps from step number `first`, and the diverged step or -1.

    The states are (steps // every, numbers); rows after divergence are NaN. Time is step number x step. All stages of a
    step use the motion's segment at the step's middle. wrench (n, 3) or (0, 3) is constant; see DrivenChain.
    """
    links = model.shift.size
    work, segment = planar_work(links), np.zeros(1, np.int64)
    system = DrivenChain(model, work, lead, wrench, np.empty(links - 1), segment, soft_stops(model.hinges, links))
    stages, now = new_stages(state.size), state.copy()
    move_base(model, work, now, -1.0)
    states = np.full((steps // every, state.size), np.nan)
    for i in range(steps):
        time = (first + i) * step
        system.segment[0] = motion_segment(lead.motion, time + 0.5 * step)
        runge_kutta_step(system, stages, time, step, now, 4)
        if not is_bounded(now, now.size - ACCOUNTS - PER_JOINT * (links - 1)):
            return states, first + i
        if (i + 1) % every == 0:
            row = states[(i + 1) // every - 1]
            copy(now, 0, row, 0, now.size)
            move_base(model, work, row, 1.0)
    return states, -1


@kernel
def prescribed_rollout(model, motion, wrench, state, first, step, steps, every):
    """Run `driven_rollout` with joints that follow the motion exactly."""
    links = model.shift.size
    system = PrescribedChain(
        model, planar_work(links), motion, wrench, np.empty(links - 1), np.zeros(1, np.int64), np.empty(links - 1)
    )
    stages, now = new_stages(state.size), state.copy()
    states = np.full((steps // every, state.size), np.nan)
    for i in range(steps):
        time = (first + i) * step
        system.segment[0] = motion_segment(motion, time + 0.5 * step)
        runge_kutta_step(system, stages, time, step, now, 4)
        set_joints(motion, system.segment[0], time + step, now, system.target)
        if not is_bounded(now, now.size - ACCOUNTS - PER_JOINT * (links - 1)):
            return states, first + i
        if (i + 1) % every == 0:
            copy(now, 0, states[(i + 1) // every - 1], 0, now.size)
    return states, -1
