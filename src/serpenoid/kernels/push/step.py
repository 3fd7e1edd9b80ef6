"""A push over time: RK4 steps inside a mode, cut at the instants where a contact or a wheel changes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.linear import solve
from serpenoid.kernels.motion import motion_segment
from serpenoid.kernels.planar.step import drive_torque, sound
from serpenoid.kernels.push.modes import (
    STOPPED,
    choose_modes,
    gather_held,
    mode_dynamics,
    nudge,
)
from serpenoid.kernels.push.records import PushScene
from serpenoid.kernels.push.rows import DAMPING, GROUND, WHEELS, WORK, push_work
from serpenoid.kernels.records import Actuation

HALVINGS = 46  # of a step in the search for an event: h / 2^46 is rounding
EVENTS = 200  # in one step; more is chatter that the step cannot resolve
SLACK = 1e-10  # by which a force may pass its limit, relative to it, before a mode ends
TURNED_BACK = 1e-12  # by which a slip may have changed its sign [m/s]; well below STOPPED
SINK = 1e-10  # by which an open gap may be negative [m]


@inner
def push_slope(scene, work, actuation, segment, time, y, modes, torque, slope):
    """dy/dt in a mode; the accounts are integrated with the motion."""
    n, rows = work.angle.size, work.slip.size
    size, at = n + 2, 2 * (n + 2)
    drive_torque(actuation, segment, time, y, torque)
    mode_dynamics(scene, y, work, modes, torque)
    for i in range(slope.size):
        slope[i] = 0.0
    for k in range(size):
        slope[k] = y[size + k]
        slope[size + k] = work.acceleration[k] - (work.acceleration[k - 1] if k > 2 else 0.0)
    for axis in range(2):
        slope[at + axis] = y[at + 2 + axis]
        slope[at + 2 + axis] = work.body[axis]
    for joint in range(n - 1):
        rate = y[size + 3 + joint]
        slope[at + 4 + WORK] += torque[joint] * rate
        slope[at + 4 + DAMPING] += scene.levers.damping[joint] * rate * rate
    for row in range(n, rows):
        if modes[row] != 0:
            slope[at + 4 + WHEELS] -= work.force[row] * work.slip[row]
    if modes[rows] != 0 and scene.ground_limit > 0.0:
        # friction is the part of the object's acceleration that no contact gives
        for axis in range(2):
            push = 0.0
            for link in range(n):
                push += work.grip[link, axis] * work.force[link]
            slope[at + 4 + GROUND] += (push - scene.object_mass * work.body[axis]) * y[at + 2 + axis]


@inner
def push_trial(scene, work, actuation, time, step, y, modes, stages, out):
    """One RK4 step in a mode from y into out, and the forces at its end; stages (3, size), torques in its last row.

    The slope stands at one place, in a loop over the stages: compiled code contains it once and not five times.
    """
    segment = motion_segment(actuation.motion, time + 0.5 * step)
    slope, trial = stages[0], stages[1]
    torque = stages[2, : work.angle.size - 1]
    for i in range(y.size):
        trial[i] = out[i] = y[i]
    for stage in range(5):
        ahead = 0.0 if stage == 0 else (0.5 * step if stage < 3 else step)
        push_slope(scene, work, actuation, segment, time + ahead, trial, modes, torque, slope)
        weight = step / 6.0 if stage % 3 == 0 else step / 3.0
        reach = 0.5 * step if stage < 2 else step
        if stage < 4:
            for i in range(y.size):
                out[i] += weight * slope[i]
                trial[i] = out[i] if stage == 3 else y[i] + reach * slope[i]


@inner
def mode_stands(scene, work, y, modes, start):
    """Whether a state is one that its mode allows; forces and rows must be those of the state.

    A closed contact presses, an open one does not sink, a holding wheel is within its limit, a slipping one has not
    turned back; likewise the object, whose direction was that in `start`.
    """
    n, rows = work.angle.size, work.slip.size
    at = 2 * (n + 2)
    scale = x = y0 = 0.0
    for link in range(n):
        scale = max(scale, abs(work.force[link]))
        x += work.grip[link, 0] * work.force[link]
        y0 += work.grip[link, 1] * work.force[link]
    for link in range(n):
        if modes[link] == 1 and work.force[link] < -SLACK * scale:
            return False
        if modes[link] == 0 and work.gap[link] < -SINK:
            return False
    for row in range(n, rows):
        limit = scene.wheel_limit[row - n]
        if modes[row] == 0 and abs(work.force[row]) > limit * (1.0 + SLACK):
            return False
        if modes[row] * work.slip[row] < -TURNED_BACK:
            return False
    if modes[rows] == 0:
        return x * x + y0 * y0 <= (scene.ground_limit * (1.0 + SLACK)) ** 2
    turned = y[at + 2] * start[at + 9] + y[at + 3] * start[at + 10] < -TURNED_BACK
    return not (turned and scene.ground_limit > 0.0)


@inner
def remember_direction(y, at):
    """Keep the direction in which the object moves; it serves while the object starts or stops."""
    speed = np.sqrt(y[at + 2] ** 2 + y[at + 3] ** 2)
    if speed > STOPPED:
        y[at + 9], y[at + 10] = y[at + 2] / speed, y[at + 3] / speed


@inner
def straighten(scene, work, y, modes):
    """Take out what rounding and the step left in the rows that hold: their slips, and the gaps of closed contacts.

    The rows are those of a state that differs from y by rounding only.
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
    """y and the modes out of a state."""
    for i in range(y.size):
        y[i] = state[i]
    for i in range(modes.size):
        modes[i] = int(state[y.size + i])


@inner
def pack_state(y, modes, state):
    """y and the modes into a state; its last number, of events, stays."""
    for i in range(y.size):
        state[i] = y[i]
    for i in range(modes.size):
        state[y.size + i] = modes[i]


@kernel
def push_stretch(scene, actuation, clock, state, states, every):
    """Carry a state (in place) on to the next event or through all steps; True if an event ended it.

    clock: first step number, step [s], steps, steps done, time passed in the current one [s]; the last two are updated.
    An event lies just behind the instant where the mode ceases to stand: a trial of the whole rest of the step, then
    halvings, then the stretch that was found. states[i] is filled after every `every`-th step.
    """
    n, wheels = scene.length.size, scene.wheel_link.size
    y, modes = np.empty(state.size - (n + wheels + 2)), np.empty(n + wheels + 1, np.int64)
    work, stages, out = push_work(n, wheels), np.empty((3, y.size)), np.empty(y.size)
    unpack_state(state, y, modes)
    step = clock[1]
    while clock[3] < clock[2]:
        remember_direction(y, 2 * (n + 2))
        left = step - clock[4]
        low, high, length = 0.0, left, left
        for attempt in range(HALVINGS + 2):
            push_trial(scene, work, actuation, (clock[0] + clock[3]) * step + clock[4], length, y, modes, stages, out)
            if attempt > HALVINGS:
                break
            if mode_stands(scene, work, out, modes, y):
                low = length
            else:
                high = length
            if low == left:
                break
            length = high if attempt == HALVINGS else 0.5 * (low + high)
        for i in range(y.size):
            y[i] = out[i]
        if low != left or not sound(y):
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
def begin_mode(scene, torque, state):
    """Set the modes in a state for the torques of this moment, after any impact; False if there is no solution."""
    n, wheels = scene.length.size, scene.wheel_link.size
    y, modes = np.empty(state.size - (n + wheels + 2)), np.empty(n + wheels + 1, np.int64)
    unpack_state(state, y, modes)
    solved = sound(y) and choose_modes(scene, y, push_work(n, wheels), modes, torque)
    pack_state(y, modes, state)
    return solved


def push_rollout(
    scene: PushScene, actuation: Actuation, state: NDArray, first: int, step: float, steps: int, every: int
) -> tuple[NDArray, int]:
    """States after every `every`-th of `steps` steps from step number `first`, and the step that diverged or -1.

    A state is y, then the modes, then the number of events so far. Events are rare: between them all is compiled.
    """
    now = np.array(state, dtype=float)
    states = np.full((steps // every, now.size), np.nan)
    clock = np.array([first, step, steps, 0.0, 0.0])
    solved = begin_mode(scene, torque_at(actuation, first * step, step, now), now)
    events, last = 0, -1.0
    while solved and push_stretch(scene, actuation, clock, now, states, every):
        events = events + 1 if clock[3] == last else 1
        last = clock[3]
        now[-1] += 1.0
        time = (first + clock[3]) * step + clock[4]
        solved = events <= EVENTS and begin_mode(scene, torque_at(actuation, time, step - clock[4], now), now)
    return states, -1 if solved else first + int(clock[3])


def torque_at(actuation: Actuation, time: float, left: float, state: NDArray) -> NDArray:
    """The drive's torques (joints,) [N m] at a state, with `left` of the step to go."""
    torque = np.empty(actuation.feedforward.size)
    drive_torque(actuation, motion_segment(actuation.motion, time + 0.5 * left), time, state, torque)
    return torque
