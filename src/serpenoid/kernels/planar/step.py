"""Planar chain over time: RK4 steps and whole rollouts, joints driven by torques or prescribed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import exact_kernel, inlined, inner, kernel
from serpenoid.kernels.motion import joint_motion, motion_segment
from serpenoid.kernels.planar.chain import forward_dynamics, planar_work
from serpenoid.kernels.planar.inverse import prescribed_dynamics

LARGEST = 1e6  # a state beyond this [m, rad, m/s, rad/s] has diverged


class Stages(NamedTuple):
    """Arrays of a Runge-Kutta step."""

    trial: NDArray  # (2 (n + 2),) state of the stage
    slope: NDArray  # (2 (n + 2),) its derivative
    total: NDArray  # (2 (n + 2),) weighted sum of slopes
    carry: NDArray  # (2 (n + 2),) what rounding has cost the state so far
    torque: NDArray  # (n - 1,) [N m]
    target: NDArray  # (n - 1,) prescribed joint accelerations [rad/s^2]


@kernel
def new_stages(links):
    """Fresh arrays for a chain of so many links."""
    size = 2 * (links + 2)
    return Stages(
        np.empty(size), np.empty(size), np.empty(size), np.zeros(size), np.empty(links - 1), np.empty(links - 1)
    )  # fmt: skip


@inlined
def drive_torque(actuation, segment, time, state, torque):
    """Write the capped torques of the joints (n - 1,) [N m] at a time and state."""
    joints = torque.size
    drive = actuation.drive
    for j in range(joints):
        q, dq, _ = joint_motion(actuation.motion, segment, time, j)
        wanted = drive.stiffness[j] * (q - state[3 + j]) + drive.damping[j] * (dq - state[joints + 6 + j])
        wanted += actuation.feedforward[j]
        torque[j] = min(max(wanted, -drive.limit[j]), drive.limit[j])


@inner
def driven_slope(model, work, stages, actuation, segment, time, state):
    """Derivative of the state, in `stages.slope`, under the drive's torques."""
    half = state.size // 2
    drive_torque(actuation, segment, time, state, stages.torque)
    for i in range(half):
        stages.slope[i] = state[half + i]
    forward_dynamics(model, work, state, stages.torque, stages.slope[half:])


@inlined
def driven_step(model, work, stages, actuation, time, step, state):
    """One RK4 step in place; all stages use the motion's segment that holds the step's middle."""
    segment = motion_segment(actuation.motion, time + 0.5 * step)
    begin(stages, state)
    for stage in range(4):
        moment = time + (0.0, 0.5, 0.5, 1.0)[stage] * step
        driven_slope(model, work, stages, actuation, segment, moment, stages.trial)
        accumulate(stages, state, stage, step)
    finish(stages, state, step)


@inner
def finish(stages, state, step):
    """Move the state on by the sum of the slopes; what each sum loses to rounding is carried into the next (Kahan)."""
    for i in range(state.size):
        state[i], stages.carry[i] = compensated_sum(state[i], stages.carry[i], step / 6.0 * stages.total[i])


@exact_kernel
def compensated_sum(value, carry, change):
    """(value + change, new carry): the carry is what the last sum had too much."""
    wanted = change - carry
    result = value + wanted
    return result, (result - value) - wanted


@inner
def begin(stages, state):
    """The first stage's state, and nothing summed yet."""
    for i in range(state.size):
        stages.trial[i] = state[i]
        stages.total[i] = 0.0


@inner
def accumulate(stages, state, stage, step):
    """Add a stage's slope with its weight 1, 2, 2, 1 and set the next stage's state."""
    weight = 1.0 if stage == 0 or stage == 3 else 2.0
    reach = step if stage == 2 else 0.5 * step
    for i in range(state.size):
        stages.total[i] += weight * stages.slope[i]
        stages.trial[i] = state[i] + reach * stages.slope[i]


@inner
def set_joints(motion, segment, time, state, target):
    """Write the motion's angles and rates into the state and its accelerations into `target`."""
    joints = target.size
    for j in range(joints):
        state[3 + j], state[joints + 6 + j], target[j] = joint_motion(motion, segment, time, j)


@kernel
def prescribed_slope(model, work, stages, motion, segment, time, state):
    """Derivative of the state, in `stages.slope`, while the joints follow the motion exactly."""
    half = state.size // 2
    set_joints(motion, segment, time, state, stages.target)
    for i in range(half):
        stages.slope[i] = state[half + i]
    prescribed_dynamics(model, work, state, stages.target, stages.slope[half:], stages.torque)


@kernel
def prescribed_step(model, work, stages, motion, time, step, state):
    """One RK4 step of the base in place; the joints' part of the state is the motion's own."""
    segment = motion_segment(motion, time + 0.5 * step)
    begin(stages, state)
    for stage in range(4):
        moment = time + (0.0, 0.5, 0.5, 1.0)[stage] * step
        prescribed_slope(model, work, stages, motion, segment, moment, stages.trial)
        accumulate(stages, state, stage, step)
    finish(stages, state, step)
    set_joints(motion, segment, time + step, state, stages.target)


@inner
def sound(state):
    """Whether every number of a state is finite and not absurd."""
    good = True
    for i in range(state.size):
        good = good and abs(state[i]) < LARGEST
    return good


@kernel
def driven_rollout(model, actuation, state, first, step, steps, every):
    """States after every `every`-th of `steps` RK4 steps from step number `first`, and the step that diverged or -1.

    (steps // every, 2 (n + 2)); rows from the divergence on are NaN. Time is step number x step.
    """
    work, stages = planar_work(model.shift.size), new_stages(model.shift.size)
    states = np.full((steps // every, state.size), np.nan)
    now = state.copy()
    for i in range(steps):
        driven_step(model, work, stages, actuation, (first + i) * step, step, now)
        if not sound(now):
            return states, first + i
        if (i + 1) % every == 0:
            states[(i + 1) // every - 1] = now
    return states, -1


@kernel
def prescribed_rollout(model, motion, state, first, step, steps, every):
    """As `driven_rollout`, with the joints following the motion exactly."""
    work, stages = planar_work(model.shift.size), new_stages(model.shift.size)
    states = np.full((steps // every, state.size), np.nan)
    now = state.copy()
    for i in range(steps):
        prescribed_step(model, work, stages, motion, (first + i) * step, step, now)
        if not sound(now):
            return states, first + i
        if (i + 1) % every == 0:
            states[(i + 1) // every - 1] = now
    return states, -1
