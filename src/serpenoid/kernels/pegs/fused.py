"""A law and the physics of the peg boards in one compiled call, until a rule stops the run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.accounts import CONTACT_ACCOUNTS, PER_JOINT
from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.laws.fused_run import FusedRun
from serpenoid.kernels.laws.sensed import Sensed, show_joints
from serpenoid.kernels.laws.tick import tick_law
from serpenoid.kernels.pegs.joints import aim_at
from serpenoid.kernels.pegs.records import peg_work
from serpenoid.kernels.pegs.step import feel_torques, peg_step, set_links
from serpenoid.kernels.runge_kutta import sound


class Outside(NamedTuple):
    """A rule that ends a run: given points of the body are all outside of a rectangle; without points it never does."""

    low_x: float  # [m]
    low_y: float
    high_x: float
    high_y: float
    piece: NDArray  # (points,) int64, the rigid piece of each
    place: NDArray  # (points,) distance from its front end [m]


@inner
def is_outside(scene, work, rule, state):
    """Whether the rule ends the run here; the links must be set."""
    links = work.links
    for i in range(rule.piece.size):
        k = rule.piece[i]
        x = state[0] + links.x[k] + rule.place[i] * links.cosine[k]
        y = state[1] + links.y[k] + rule.place[i] * links.sine[k]
        if rule.low_x <= x <= rule.high_x and rule.low_y <= y <= rule.high_y:
            return False
    return rule.piece.size > 0


@inner
def sense(state, half, spread, felt, sensed):
    """What all joints show of the state, those that are held 0; spread: which of them move."""
    for j in range(spread.size):
        at = spread[j]
        sensed[0, at], sensed[1, at], sensed[2, at] = state[3 + j], state[half + 3 + j], felt[j]


@inner
def hold(drive, target, spread, own, work):
    """Let the drives hold targets of all joints until the next tick."""
    for j in range(spread.size):
        own[j] = target[spread[j]]
    aim_at(drive, own, work)


@inner
def note(rows, row, values):
    """rows[row] = values, which numba would do one number at a time."""
    for i in range(values.size):
        rows[row, i] = values[i]


@kernel
def peg_law_rollout(scene, drive, law, memory, rule, spread, target, wrench, errors, state, course):
    """Run a law for some ticks; memory and target (joints,) are changed in place. See FusedRun.

    A tick senses the joints with the torques of the command held so far, asks the law, and holds its targets for
    `per_tick` steps; then the rule is asked. errors: of the sensors, see Errors.
    """
    work, now, past, half = peg_work(scene), state.copy(), state.copy(), scene.chain.mass.size + 2
    steps = course.ticks * course.per_tick
    offset = -course.first % course.every
    states = np.empty((max(steps - offset + course.every - 1, 0) // course.every, state.size))
    targets, memories = np.empty((course.ticks, target.size)), np.empty((course.ticks, memory.size))
    sensed = np.zeros((3, target.size))
    own, felt, nothing, sampled = np.empty(spread.size), np.empty(spread.size), np.zeros((0, 3)), 0
    hold(drive, target, spread, own, work)
    for tick in range(course.ticks):
        number = course.first + tick * course.per_tick
        feel_torques(scene, drive, work, course.step, now, past, felt)
        sense(now, half, spread, felt, sensed)
        joints = sensed
        if errors.joints.shape[0] > 0:
            show_joints(errors, tick, sensed)
            joints = errors.joints[tick]
        tick_law(law, memory, Sensed(number * course.step, joints[0], joints[1], joints[2], nothing, nothing), target)
        note(targets, tick, target)
        note(memories, tick, memory)
        hold(drive, target, spread, own, work)
        for i in range(course.per_tick):
            if (number + i) % course.every == 0:
                note(states, sampled, now)
                sampled += 1
            peg_step(scene, drive, work, wrench, course.step, now)
            if not sound(now, now.size - CONTACT_ACCOUNTS - PER_JOINT * spread.size):
                return FusedRun(
                    states[:sampled], targets[: tick + 1], memories[: tick + 1], errors.joints[: tick + 1], now, tick,
                    number + i, False,
                )  # fmt: skip
        if rule.piece.size > 0:
            set_links(scene, work, now)
            if is_outside(scene, work, rule, now):
                return FusedRun(
                    states[:sampled], targets[: tick + 1], memories[: tick + 1], errors.joints[: tick + 1], now,
                    tick + 1, -1, True,
                )  # fmt: skip
    return FusedRun(states[:sampled], targets, memories, errors.joints, now, course.ticks, -1, False)
