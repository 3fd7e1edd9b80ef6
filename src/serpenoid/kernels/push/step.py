"""Rollouts of a push: RK4 steps inside a mode, split at the times when a contact or a wheel changes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.accounts import (
    ABSOLUTE,
    DAMPING,
    DRIVE,
    EXTERNAL,
    GROUND,
    PER_JOINT,
    PUSH_ACCOUNTS,
    WHEELS,
)
from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.laws.drive import drive_slope
from serpenoid.kernels.laws.hinges import add_hinges
from serpenoid.kernels.linear import solve
from serpenoid.kernels.motion import motion_segment
from serpenoid.kernels.push.modes import (
    CLOSING,
    SLACK,
    STOPPED,
    choose_modes,
    force_scale,
    gather_held,
    mode_dynamics,
    nudge,
)
from serpenoid.kernels.push.records import PushScene
from serpenoid.kernels.push.rows import MOTORS, SLIDE, PushWork, external_power, nearest_part, push_work
from serpenoid.kernels.records import DAMPING as VISCOUS
from serpenoid.kernels.records import Actuation
from serpenoid.kernels.runge_kutta import is_bounded, new_stages, runge_kutta_step, slope_of

HALVINGS = 46  # of a step in the search for an event: h / 2^46 is rounding
EVENTS = 200  # per step; more is chatter that the step cannot resolve
TURNED_BACK = 1e-12  # tolerance for a change of sign of a slip [m/s]; well below STOPPED
SINK = 1e-10  # tolerance for a negative open gap [m]
EDGE = 1e-12  # tolerance for a contact beyond the end of a link's face [m]


class PushSystem(NamedTuple):
    """Push in a mode."""

    scene: PushScene
    work: PushWork
    lead: Actuation
    wrench: NDArray  # (n, 3) from outside on the links, force x, y and moment [N, N m]; or (0, 3)
    modes: NDArray  # (n + w + 1,) int64
    torque: NDArray  # (n - 1,) [N m]
    segment: NDArray  # (1,) int64, of the motion
    slip: NDArray  # (rows,) at the start of the step [m/s]


@slope_of(PushSystem)
@inner
def push_slope(system, stage, time, y, slope):
    """Write dy/dt in a mode; the accounts are integrated with the motion."""
    scene, work, modes, torque = system.scene, system.work, system.modes, system.torque
    n, rows = work.angle.size, work.slip.size
    size, at, accounts = n + 2, 2 * (n + 2), y.size - PUSH_ACCOUNTS
    for i in range(slope.size):
        slope[i] = 0.0
    given, cost, lost = drive_slope(system.lead, system.segment[0], time, y, (3, size + 3, at + MOTORS), torque, slope)
    mode_dynamics(scene, y, work, modes, torque, system.wrench, stage > 0)
    if stage == 0:
        for row in range(rows):
            system.slip[row] = work.slip[row]
    for k in range(size):
        slope[k] = y[size + k]
        slope[size + k] = work.acceleration[k] - (work.acceleration[k - 1] if k > 2 else 0.0)
    for axis in range(2):
        slope[at + axis] = y[at + 2 + axis]
        slope[at + 2 + axis] = work.body[axis]
    slope[accounts + DRIVE], slope[accounts + ABSOLUTE], slope[accounts + DAMPING] = given, cost, lost
    slope[accounts + EXTERNAL] = external_power(scene, y, work, system.wrench)
    slope[accounts + DAMPING] += add_hinges(scene.levers.hinges, 0.0, y, 3, size + 3, torque)
    for joint in range(n - 1):
        slope[accounts + DAMPING] -= scene.levers.hinges[joint, VISCOUS] * y[size + 3 + joint] ** 2
    for row in range(n, rows):
        if modes[row] != 0:
            slope[accounts + WHEELS] += work.force[row] * work.slip[row]
    if modes[rows] != 0 and scene.ground_limit > 0.0:
        # friction is the part of the object's acceleration not due to contacts
        for axis in range(2):
            push = 0.0
            for link in range(n):
                push += work.grip[link, axis] * work.force[link]
            slope[accounts + GROUND] -= (push - scene.object_mass * work.body[axis]) * y[at + 2 + axis]


@inner
def push_trial(system, stages, time, step, y, out):
    """Compute one RK4 step in a mode from y into out, and the forces at its end."""
    system.segment[0] = motion_segment(system.lead.motion, time + 0.5 * step)
    for i in range(y.size):
        out[i] = y[i]
        stages.carry[i] = 0.0  # a repeated trial starts without rounding error
    runge_kutta_step(system, stages, time, step, out, 5)


@inner
def beyond(scene, work, link):
    """Return the distance of the object from the nearer border between a link's face and its ends [m]."""
    return min(abs(work.along[link]), abs(work.along[link] - scene.length[link]))


@inner
def mode_stands(system, y, start):
    """Return whether a state is valid in its mode; forces and rows must be those of the state.

    A closed contact must push and stay on its part of the link, and an open one must not penetrate. A non-slipping
    wheel must be within its limit, and a slipping one must not reverse. The same applies to the object, whose direction
    is in `start`.
    """
    scene, work, modes = system.scene, system.work, system.modes
    n, rows = work.angle.size, work.slip.size
    at = 2 * (n + 2)
    x = y0 = 0.0
    for link in range(n):
        force = work.force[link]
        x += work.grip[link, 0] * force
        y0 += work.grip[link, 1] * force
        if force < 0.0 and force < -SLACK * force_scale(work, link):
            return False
        if modes[link] == 0 and work.gap[link] < -SINK and work.slip[link] < -CLOSING:
            return False
        if modes[link] != 0 and work.part[link] != nearest_part(scene, work, link) and beyond(scene, work, link) > EDGE:
            return False
    for row in range(n, rows):
        limit, sign = scene.wheel_limit[row - n], modes[row]
        excess = abs(work.force[row]) - limit
        if excess > 0.0 and excess > SLACK * (limit + force_scale(work, row)):
            return False
        back = min(0.0, sign * system.slip[row]) - TURNED_BACK
        if abs(sign) == 1 and limit > 0.0 and sign * work.slip[row] < back:
            return False
    if modes[rows] == 0:
        return x * x + y0 * y0 <= (scene.ground_limit * (1.0 + SLACK)) ** 2
    turned = y[at + 2] * start[at + SLIDE] + y[at + 3] * start[at + SLIDE + 1] < -TURNED_BACK
    return not (turned and scene.ground_limit > 0.0)


@inner
def remember_direction(y, at):
    """Store the object's direction of motion, for use while it starts or stops."""
    speed = np.sqrt(y[at + 2] ** 2 + y[at + 3] ** 2)
    if speed > STOPPED:
        y[at + SLIDE], y[at + SLIDE + 1] = y[at + 2] / speed, y[at + 3] / speed


@inner
def straighten(scene, work, y, modes):
    """Remove the errors of rounding and of the step from the active rows: their slips, and the gaps of closed contacts.

    The rows are those of a state that differs from y only by rounding.
    """
    n, rows = work.angle.size, work.slip.size
    size, at = n + 2, 2 * (n + 2)
    amount = work.factors[rows]
    mobile = 1.0 if modes[rows] != 0 else 0.0
    count = gather_held(work, modes)
    for level in range(2):  # positions, then velocities
        for a in range(count):
            row = work.members[a]
            amount[a] = -work.slip[row] if level == 1 else (-work.gap[row] if row < n else 0.0)
        solve(work.factors, count, amount)
        for a in range(count):
            nudge(scene, work, work.members[a], amount[a], mobile, y[level * size :], y[at + 2 * level :])


@inner
def unpack_state(state, y, modes):
    """Unpack y and the modes from a state: y without accounts, modes, number of events, accounts."""
    motion = y.size - PUSH_ACCOUNTS
    for i in range(motion):
        y[i] = state[i]
    for i in range(modes.size):
        modes[i] = int(state[motion + i])
    for i in range(PUSH_ACCOUNTS):
        y[motion + i] = state[state.size - PUSH_ACCOUNTS + i]


@inner
def pack_state(y, modes, state):
    """Pack y and the modes into a state; its number of events is unchanged."""
    motion = y.size - PUSH_ACCOUNTS
    for i in range(motion):
        state[i] = y[i]
    for i in range(modes.size):
        state[motion + i] = modes[i]
    for i in range(PUSH_ACCOUNTS):
        state[state.size - PUSH_ACCOUNTS + i] = y[motion + i]


@kernel
def push_stretch(scene, lead, wrench, clock, state, states, every):
    """Advance a state in place to the next event or through all steps; return True if an event ended it.

    `clock` is first step number, step [s], steps, completed steps, time elapsed in the current one [s]; the last two
    are updated. An event is just after the time when the mode becomes invalid. It is found by a trial of the whole rest
    of the step, then bisection; then the section up to it is integrated. states[i] is filled after every `every`-th
    step.
    """
    n, wheels = scene.length.size, scene.wheel_link.size
    y, modes = np.empty(state.size - (n + wheels + 2)), np.empty(n + wheels + 1, np.int64)
    work, stages, out = push_work(n, wheels), new_stages(y.size), np.empty(y.size)
    segment, slip = np.zeros(1, np.int64), np.empty(n + wheels)
    system = PushSystem(scene, work, lead, wrench, modes, np.empty(n - 1), segment, slip)
    unpack_state(state, y, modes)
    step = clock[1]
    while clock[3] < clock[2]:
        remember_direction(y, 2 * (n + 2))
        left = step - clock[4]
        low, high, length = 0.0, left, left
        for attempt in range(HALVINGS + 2):
            push_trial(system, stages, (clock[0] + clock[3]) * step + clock[4], length, y, out)
            if attempt > HALVINGS:
                break
            if mode_stands(system, out, y):
                low = length
            else:
                high = length
            if low == left:
                break
            length = high if attempt == HALVINGS else 0.5 * (low + high)
        for i in range(y.size):
            y[i] = out[i]
        if low != left or not is_bounded(y, y.size - PUSH_ACCOUNTS - PER_JOINT * (n - 1)):
            clock[4] += length
            pack_state(y, modes, state)
            return True
        straighten(scene, work, y, modes)
        clock[3] += 1.0
        clock[4] = 0.0
        pack_state(y, modes, state)
        if int(clock[3]) % every == 0:
            for i in range(state.size):
                states[int(clock[3]) // every - 1, i] = state[i]
    return False


@kernel
def begin_mode(scene, torque, wrench, state):
    """Set the modes in a state for the current torques, after any impact; return False if that has no solution."""
    n, wheels = scene.length.size, scene.wheel_link.size
    y, modes = np.empty(state.size - (n + wheels + 2)), np.empty(n + wheels + 1, np.int64)
    unpack_state(state, y, modes)
    good = is_bounded(y, y.size - PUSH_ACCOUNTS - PER_JOINT * (n - 1))
    solved = good and choose_modes(scene, y, push_work(n, wheels), modes, torque, wrench)
    pack_state(y, modes, state)
    return solved


@kernel
def torque_at(lead, time, left, state):
    """Return the drive torques (joints,) [N m] at a state, with `left` of the step remaining."""
    joints = lead.feedforward.size
    torque, size = np.empty(joints), joints + 3
    segment = motion_segment(lead.motion, time + 0.5 * left)
    drive_slope(lead, segment, time, state, (3, size + 3, 2 * size + MOTORS), torque, np.empty(state.size))
    return torque


@kernel
def push_rollout(scene, lead, wrench, clock, state, states, every):
    """Advance a state in place through all steps of `clock`; return whether every event was resolved.

    A state is y without accounts, then the modes, the number of events and the accounts. `clock` and `states` are those
    of push_stretch().
    """
    first, step = clock[0], clock[1]
    solved = begin_mode(scene, torque_at(lead, first * step, step, state), wrench, state)
    events, last = 0, -1.0
    while solved and push_stretch(scene, lead, wrench, clock, state, states, every):
        events = events + 1 if clock[3] == last else 1
        last = clock[3]
        state[state.size - 1 - PUSH_ACCOUNTS] += 1.0
        time = (first + clock[3]) * step + clock[4]
        solved = events <= EVENTS and begin_mode(scene, torque_at(lead, time, step - clock[4], state), wrench, state)
    return solved
