"""A law and MuJoCo in one compiled call, until a rule stops the run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.contact.memory import call
from serpenoid.kernels.contact.motions import Earlier, keep_motion, pass_forward, sense_imus
from serpenoid.kernels.contact.records import DATA, KINEMATICS, MODEL
from serpenoid.kernels.contact.rollout import one_step
from serpenoid.kernels.contact.servos import pull
from serpenoid.kernels.contact.states import load
from serpenoid.kernels.laws.cascade import clipped
from serpenoid.kernels.laws.fused_run import FusedRun
from serpenoid.kernels.laws.sensed import Sensed, show_imus, show_joints
from serpenoid.kernels.laws.tick import tick_law
from serpenoid.kernels.motion import motion_segment


class Area(NamedTuple):
    """A rule that ends a run: the frames of the front links are all outside of a rectangle; none: it never does."""

    low_x: float  # [m]
    low_y: float
    high_x: float
    high_y: float
    links: int


@inner
def has_left(physics, area):
    """Whether the rule ends the run here."""
    if area.links == 0:
        return False
    address = physics.addresses
    call(address[KINEMATICS], address[MODEL], address[DATA])
    for k in range(area.links):
        x, y = physics.body_place[physics.link_body[k], 0], physics.body_place[physics.link_body[k], 1]
        if area.low_x <= x <= area.high_x and area.low_y <= y <= area.high_y:
            return False
    return True


@inner
def sense(physics, servos, lead, places, state, number, sensed):
    """What the joints show of a state: angles, rates, and torques of the command held so far."""
    time = number * physics.step
    pull(physics, servos, lead, motion_segment(lead.motion, time), time, places, state)
    for j in range(physics.joint_dof.size):
        angle, rate, bias = state[places.joints + j], state[places.rates + j], physics.bias[j]
        torque = bias[0] + bias[1] * angle + bias[2] * rate
        sensed[0, j], sensed[1, j] = angle, rate
        sensed[2, j] = clipped(torque, physics.range[j, 0], physics.range[j, 1])


@kernel
def contact_law_rollout(
    physics, servos, lead, places, law, memory, area, imu, gravity, errors, before, start, course, told, row
):
    """Run a law for some ticks; its memory, and its target in lead.position (joints,), change in place. See FusedRun.

    A tick senses the joints, and if the law reads IMUs (imu) those, asks the law, and holds its targets for `per_tick`
    steps; then the rule is asked. Samples are told of in the rows of the Survey `told` from `row` on, as by
    contact_rollout. errors: of the sensors, see Errors. before: the state one tick before the start, NaN where there is
    none, and in the end that before the end.
    """
    state, target = start.copy(), lead.position
    steps, rows = course.ticks * course.per_tick, told.number.size
    offset = -course.first % course.every
    states = np.full((max(steps - offset + course.every - 1, 0) // course.every, state.size), np.nan)
    targets, memories = np.full((course.ticks, target.size), np.nan), np.full((course.ticks, memory.size), np.nan)
    sensed, sampled, links = np.zeros((3, target.size)), 0, physics.link_body.size if imu else 0
    felt, spin = np.zeros((links, 3)), np.zeros((links, 3))
    earlier = Earlier(np.full((links, 4), np.nan), np.zeros((links, 3)), gravity, course.per_tick * course.step)
    if imu and not np.isnan(before[0]):
        load(physics, places, before)
        pass_forward(physics)
        keep_motion(physics, earlier)
    load(physics, places, state)
    for tick in range(course.ticks):
        number = course.first + tick * course.per_tick
        sense(physics, servos, lead, places, state, number, sensed)
        if imu:
            sense_imus(physics, places, state, earlier, felt, spin)
        joints, accelerometer, gyroscope = sensed, felt, spin
        if errors.joints.shape[0] > 0:
            show_joints(errors, tick, sensed)
            show_imus(errors, tick, felt, spin)
            joints, accelerometer, gyroscope = errors.joints[tick], errors.inertial[tick, 0], errors.inertial[tick, 1]
        reading = Sensed(number * course.step, joints[0], joints[1], joints[2], accelerometer, gyroscope)
        tick_law(law, memory, reading, target)
        targets[tick], memories[tick], before[:] = target, memory, state
        for i in range(course.per_tick):
            here = -1
            if (number + i) % course.every == 0:
                states[sampled] = state
                here = (row + sampled) % rows if rows > 0 else -1
                sampled += 1
            passed = imu and i == 0 and physics.splits
            if not one_step(physics, servos, lead, number + i, places, state, here, told, passed):
                return FusedRun(
                    states[:sampled], targets[: tick + 1], memories[: tick + 1], errors.joints[: tick + 1], state, tick,
                    number + i, False,
                )  # fmt: skip
        if has_left(physics, area):
            return FusedRun(
                states[:sampled], targets[: tick + 1], memories[: tick + 1], errors.joints[: tick + 1], state, tick + 1,
                -1, True,
            )  # fmt: skip
    return FusedRun(states[:sampled], targets, memories, errors.joints, state, course.ticks, -1, False)
