"""Tick loop of a law inside an engine's compiled rollout, shared by all engines that support it.

An engine provides a NamedTuple of everything that its steps need, working arrays included, and registers it with

    ENGINES[PegSystem] = EngineFunctions(sense, hold, step, place_links, link_position)

    sense(system, number, state, readings)
        Write angles, rates and torques (3, joints) of the state; IMUs into system.accelerometer and system.gyroscope.
    hold(system, target, state)
        Set the targets (joints,) of the drives until the next tick.
    step(system, number, first, sample, state) -> bool
        Advance by one step in place; return whether the state is finite and bounded. first: whether it is a tick's
        first step. sample: index of the sample taken before the step, -1 for none.
    place_links(system, state)
        Prepare link_position.
    link_position(system, state, link) -> x, y
        Return the position of a link's frame [m].

The kernel that calls run_ticks must be in the module of these functions, so that it is recompiled when they change.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from serpenoid.kernels.compile import CHOSEN, inlined, inner, kernel
from serpenoid.kernels.laws.fused_run import FusedRun
from serpenoid.kernels.laws.sensed import Sensed, show_imus, show_joints
from serpenoid.kernels.laws.tick import tick_law


class EngineFunctions(NamedTuple):
    """Compiled functions of an engine; see the module."""

    sense: Any
    hold: Any
    step: Any
    place_links: Any
    link_position: Any


ENGINES: dict[type, EngineFunctions] = {}  # by the class of an engine's record


class FusedRecord(NamedTuple):
    """Output arrays of the loop."""

    states: NDArray  # (samples, numbers)
    targets: NDArray  # (ticks, joints)
    memory: NDArray  # (ticks, numbers)
    readings: NDArray  # (3, joints) of one tick


class Ended(NamedTuple):
    """Result of the loop: progress and reason for its end."""

    ticks: int  # number of completed ticks
    samples: int
    diverged: int  # step that diverged, or -1
    stopped: bool  # whether the rule ended the run


@kernel
def new_record(task, numbers):
    """Allocate the output arrays of a task for states of the given size."""
    course, joints, memory = task.course, task.target.size, task.memory.size
    steps, offset = course.ticks * course.per_tick, -course.first % course.every
    samples = max(steps - offset + course.every - 1, 0) // course.every
    return FusedRecord(
        np.empty((samples, numbers)), np.empty((course.ticks, joints)), np.empty((course.ticks, memory)),
        np.zeros((3, joints)),
    )  # fmt: skip


@inlined
def contains(rule, x, y):
    """Return whether a StopRule's rectangle contains a point."""
    return rule.low_x <= x <= rule.high_x and rule.low_y <= y <= rule.high_y


@inner
def note(rows, row, values):
    """Copy values to rows[row] in a loop; numba would assign one number at a time."""
    for i in range(values.size):
        rows[row, i] = values[i]


def sense(system, number, state, readings):
    """Write the readings of a state; see the module."""
    ENGINES[type(system)].sense(system, number, state, readings)


def hold(system, target, state):
    """Set the targets of the drives; see the module."""
    ENGINES[type(system)].hold(system, target, state)


def step(system, number, first, sample, state):
    """Advance by one step; see the module."""
    return ENGINES[type(system)].step(system, number, first, sample, state)


def has_left(system, rule, state):
    """Return whether the frames of all front links are outside a rule's rectangle."""
    return rule_of_engine(ENGINES[type(system)])(system, rule, state)


@overload(sense, jit_options=CHOSEN)
def choose_sense(system, number, state, readings):
    chosen = ENGINES[system.instance_class].sense
    return lambda system, number, state, readings: chosen(system, number, state, readings)


@overload(hold, jit_options=CHOSEN)
def choose_hold(system, target, state):
    chosen = ENGINES[system.instance_class].hold
    return lambda system, target, state: chosen(system, target, state)


@overload(step, jit_options=CHOSEN)
def choose_step(system, number, first, sample, state):
    chosen = ENGINES[system.instance_class].step
    return lambda system, number, first, sample, state: chosen(system, number, first, sample, state)


@overload(has_left, jit_options=CHOSEN)
def choose_has_left(system, rule, state):
    return rule_of_engine(ENGINES[system.instance_class])


def rule_of_engine(engine: EngineFunctions) -> Any:
    """Return `has_left` for systems of one engine."""
    place, position = engine.place_links, engine.link_position

    def chosen(system, rule, state):
        if rule.links == 0:
            return False
        place(system, state)
        for link in range(rule.links):
            x, y = position(system, state, link)
            if contains(rule, x, y):
                return False
        return True

    return chosen


@inner
def run_ticks(system, task, state, record):
    """Run a law for the course's ticks or until the rule stops it; state, memory and target change in place."""
    law, memory, target, errors, course = task.law, task.memory, task.target, task.errors, task.course
    sampled, readings = 0, record.readings
    for tick in range(course.ticks):
        number = course.first + tick * course.per_tick
        sense(system, number, state, readings)
        joints, accelerometer, gyroscope = readings, system.accelerometer, system.gyroscope
        if errors.joints.shape[0] > 0:
            show_joints(errors, tick, readings)
            show_imus(errors, tick, system.accelerometer, system.gyroscope)
            joints = errors.joints[tick]
            accelerometer, gyroscope = errors.inertial[tick, 0], errors.inertial[tick, 1]
        reading = Sensed(number * course.step, joints[0], joints[1], joints[2], accelerometer, gyroscope)
        tick_law(law, memory, reading, target)
        note(record.targets, tick, target)
        note(record.memory, tick, memory)
        hold(system, target, state)
        for i in range(course.per_tick):
            sample = -1
            if (number + i) % course.every == 0:
                note(record.states, sampled, state)
                sample = sampled
                sampled += 1
            if not step(system, number + i, i == 0, sample, state):
                return Ended(tick, sampled, number + i, False)
        if has_left(system, task.rule, state):
            return Ended(tick + 1, sampled, -1, True)
    return Ended(course.ticks, sampled, -1, False)


@kernel
def fused_run(record, readings, state, ended):
    """Return the results of the loop."""
    rows = ended.ticks + 1 if ended.diverged >= 0 else ended.ticks
    return FusedRun(
        record.states[: ended.samples], record.targets[:rows], record.memory[:rows], readings[:rows], state,
        ended.ticks, ended.diverged, ended.stopped,
    )  # fmt: skip
