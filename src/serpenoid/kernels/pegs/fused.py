"""Fused rollout of a law and the peg-board physics in one compiled call, until a rule stops the run."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.accounts import CONTACT_ACCOUNTS, PER_JOINT
from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.laws.fused_loop import ENGINES, EngineFunctions, fused_run, new_record, run_ticks
from serpenoid.kernels.pegs.joints import aim_at
from serpenoid.kernels.pegs.records import PegScene, PegWork
from serpenoid.kernels.pegs.step import feel_torques, peg_step, set_links
from serpenoid.kernels.pegs.working_arrays import peg_work
from serpenoid.kernels.runge_kutta import is_bounded


class Joints(NamedTuple):
    """Moving joints of a robot on a board, and the frames of its links."""

    spread: NDArray  # (moving joints,) int64, their indices among all joints
    piece: NDArray  # (links,) int64, rigid piece of each link's frame
    front: NDArray  # (links,) its distance from the front end of that piece [m]


class PegSystem(NamedTuple):
    """Run on a board, as used by fused_loop."""

    scene: PegScene
    drive: Any
    work: PegWork
    wrench: NDArray
    joints: Joints
    step: float  # [s]
    past: NDArray  # (numbers,) scratch state
    own: NDArray  # (moving joints,) targets
    felt: NDArray  # (moving joints,) torques [N m]
    accelerometer: NDArray  # (0, 3): no IMU
    gyroscope: NDArray  # (0, 3)


@inner
def sense(system, number, state, readings):
    """Write the readings of all joints, with torques of the current command; fixed joints read 0."""
    half, spread = system.scene.chain.mass.size + 2, system.joints.spread
    feel_torques(system.scene, system.drive, system.work, system.step, state, system.past, system.felt)
    for j in range(spread.size):
        at = spread[j]
        readings[0, at], readings[1, at], readings[2, at] = state[3 + j], state[half + 3 + j], system.felt[j]


@inner
def hold(system, target, state):
    """Set the targets of all drives until the next tick."""
    for j in range(system.own.size):
        system.own[j] = target[system.joints.spread[j]]
    aim_at(system.drive, system.own, system.work)


@inner
def step(system, number, first, sample, state):
    """Advance by one step in place; return whether the state is finite and bounded."""
    peg_step(system.scene, system.drive, system.work, system.wrench, system.step, state)
    return is_bounded(state, state.size - CONTACT_ACCOUNTS - PER_JOINT * system.own.size)


@inner
def place_links(system, state):
    """Place the pieces at the state."""
    set_links(system.scene, system.work, state)


@inner
def link_position(system, state, link):
    """Return x, y of a link's frame [m]."""
    links, k, front = system.work.links, system.joints.piece[link], system.joints.front[link]
    return state[0] + links.x[k] + front * links.cosine[k], state[1] + links.y[k] + front * links.sine[k]


ENGINES[PegSystem] = EngineFunctions(sense, hold, step, place_links, link_position)


@kernel
def peg_law_rollout(scene, drive, joints, task, wrench, start):
    """Run the law of a FusedTask; see FusedRun.

    A tick reads the joints with the torques of the current command, evaluates the law, and applies its targets for
    `per_tick` steps. Then the stop rule is evaluated.
    """
    work, state, nothing = peg_work(scene), start.copy(), np.zeros((0, 3))
    own, felt = np.empty(joints.spread.size), np.empty(joints.spread.size)
    record = new_record(task, state.size)
    system = PegSystem(
        scene=scene,
        drive=drive,
        work=work,
        wrench=wrench,
        joints=joints,
        step=task.course.step,
        past=start.copy(),
        own=own,
        felt=felt,
        accelerometer=nothing,
        gyroscope=nothing,
    )
    hold(system, task.target, state)
    ended = run_ticks(system, task, state, record)
    return fused_run(record, task.errors.joints, state, ended)
