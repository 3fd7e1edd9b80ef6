"""Chain among pegs as the dynamics of a plan: the engine's contact steps, and their derivatives.

A state has the layout of the open ground: centre of mass, heading, joint angles, and their rates. A control is the
torque u with which a drive of stiffness k begins a knot. The drive tracks the angle q + u / k during the knot, where q
is the joint's angle at its start. A robot is commanded these angles, so its drives follow the plan. A drive without
stiffness is commanded the torque.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import bare_kernel, glue, inner
from serpenoid.kernels.pegs.records import ContactWork, PegScene, PegWork
from serpenoid.kernels.pegs.step import accelerate
from serpenoid.kernels.pegs.tangent import StepTangent, propagate, set_tangent, step_tangent
from serpenoid.kernels.pegs.working_arrays import (
    COLUMNS,
    fill,
    floor_work_arrays,
    joint_work,
    link_work,
    pad_count,
    sweep_work,
)
from serpenoid.kernels.records import StiffDrive
from serpenoid.kernels.simd import WIDTH, load, store
from serpenoid.kernels.trigonometry import sine_cosine


class PegDynamics(NamedTuple):
    """Chain of capsules on a board with drives fixed to its joints."""

    scene: PegScene
    drive: StiffDrive
    shift: NDArray  # (n,) the centre of mass is sum_k shift_k e_k from the head's front end [m]
    step: float  # integration step [s]
    substeps: int  # per knot


class PegDynamicsWork(NamedTuple):
    """Working arrays of PegDynamics."""

    contacts: ContactWork
    tangent: StepTangent
    state: NDArray  # (2 (n + 2),) of the head's front end instead of the centre of mass
    targets: NDArray  # (n, padded) derivatives of the targets of the joints in front of each link
    arms: NDArray  # (n, 4) scratch of move_rows
    nothing: NDArray  # (0, 3): no external wrench


def peg_dynamics_work(scene: PegScene, width: int) -> PegDynamicsWork:
    """Allocate the working arrays for derivatives along `width` directions."""
    n, most = scene.chain.mass.size, scene.obstacles.most
    contacts = ContactWork(
        np.empty(n * most, np.int64), np.zeros(n + 1, np.int64), np.full(n + 1, np.inf), np.full(n + 1, np.inf),
        np.empty(n * most, np.int64), np.empty((n * most, COLUMNS)),
    )  # fmt: skip
    return PegDynamicsWork(
        contacts, step_tangent(n, n * most), np.zeros(2 * n + 4), np.zeros((n, width)), np.zeros((n, 4)),
        np.zeros((0, 3)),
    )  # fmt: skip


@glue
def stack_work(scene, contacts):
    """Allocate the arrays of a step on the stack, with given neighbour lists."""
    n = scene.chain.mass.size
    links, floor = link_work(n), floor_work_arrays(scene.floor.place.size // n * pad_count(n))
    joints = joint_work(n - 1)
    fill(scene, links, floor, joints)
    return PegWork(links, sweep_work(pad_count(n)), floor, joints, contacts)


@inner
def place_head(shift, state, out, sign):
    """Move the reference point of a state (2 (n + 2),) from the centre of mass to the head's front end.

    A sign of 1 moves it so, -1 moves it back.
    """
    n, angle, rate = shift.size, 0.0, 0.0
    for i in range(2 * n + 4):
        out[i] = state[i]
    for k in range(n):
        angle += state[2 + k]
        rate += state[n + 4 + k]
        s, c = sine_cosine(angle)
        reach = sign * shift[k]
        out[0] -= reach * c
        out[1] -= reach * s
        out[n + 2] += reach * s * rate
        out[n + 3] -= reach * c * rate


@inner
def move_rows(shift, state, arms, rows, sign):
    """Move the reference point of derivatives (2 (n + 2), columns) like `place_head`, in place."""
    n, angle, rate = shift.size, 0.0, 0.0
    for k in range(n):
        angle += state[2 + k]
        rate += state[n + 4 + k]
        s, c = sine_cosine(angle)
        arms[k, 0], arms[k, 1] = sign * shift[k] * c, sign * shift[k] * s
        arms[k, 2], arms[k, 3] = rate * arms[k, 0], rate * arms[k, 1]
    for j in range(0, rows.shape[1], WIDTH):
        x, y, u, v = load(rows, 0, j), load(rows, 1, j), load(rows, n + 2, j), load(rows, n + 3, j)
        turn, spin = 0.0 * x, 0.0 * x
        for k in range(n):
            turn += load(rows, 2 + k, j)
            spin += load(rows, n + 4 + k, j)
            x, y = x + arms[k, 1] * turn, y - arms[k, 0] * turn
            u, v = u + arms[k, 2] * turn + arms[k, 1] * spin, v + arms[k, 3] * turn - arms[k, 0] * spin
        store(rows, 0, j, x)
        store(rows, 1, j, y)
        store(rows, n + 2, j, u)
        store(rows, n + 3, j, v)


@inner
def hold_torque(drive, joints, state, control):
    """Set the targets of the drives that start with the torques of a control [N m]."""
    for j in range(control.size):
        stiffness = drive.stiffness[j]
        joints.stiffness[j], joints.damping[j], joints.target_rate[j] = stiffness, drive.damping[j], 0.0
        joints.target[j] = state[3 + j] + control[j] / stiffness if stiffness > 0.0 else 0.0
        joints.feedforward[j] = 0.0 if stiffness > 0.0 else control[j]


@inner
def take_step(work, step, state, base):
    """Advance velocities, then positions, by a solved step."""
    half = state.size // 2
    state[half] += step * base[1]
    state[half + 1] += step * base[2]
    state[half + 2] += step * base[0]
    for j in range(half - 3):
        state[half + 3 + j] += step * work.joints.acceleration[j]
    for i in range(half):
        state[i] += step * state[half + i]


@inner
def advance_knot(dynamics, space, own, state, control):
    """Advance own.state by a knot; `state` gives the joints' angles at its start."""
    hold_torque(dynamics.drive, space.joints, state, control)
    for _ in range(dynamics.substeps):
        base, _sweeps = accelerate(dynamics.scene, dynamics.drive, space, own.nothing, dynamics.step, own.state)
        take_step(space, dynamics.step, own.state, base)


@bare_kernel
def predict_pegs(dynamics, work, state, torques, ahead):
    """Write the state `ahead` (states,) after torques (knots, controls)."""
    own = work.dynamics
    space = stack_work(dynamics.scene, own.contacts)
    place_head(dynamics.shift, state, own.state, 1.0)
    for knot in range(torques.shape[0]):
        advance_knot(dynamics, space, own, own.state, torques[knot])
    place_head(dynamics.shift, own.state, ahead, -1.0)


@bare_kernel
def roll_out_pegs(dynamics, task, work, length):
    """Roll out the trial plan of one step length; see forward.py."""
    scene, own = dynamics.scene, work.dynamics
    space = stack_work(scene, own.contacts)
    for x in range(work.start.size):
        work.trial_states[0, x] = work.start[x]
    place_head(dynamics.shift, work.start, own.state, 1.0)
    for knot in range(work.controls.shape[0]):
        here, control = work.trial_states[knot], work.trial_controls[knot]
        for a in range(control.size):
            wanted = work.controls[knot, a] + length * work.feedforward[knot, a]
            for x in range(here.size):
                wanted += work.gains[knot, a, x] * (here[x] - work.states[knot, x])
            control[a] = min(max(wanted, task.lower[a]), task.upper[a])
        advance_knot(dynamics, space, own, here, control)
        place_head(dynamics.shift, own.state, work.trial_states[knot + 1], -1.0)


@bare_kernel
def linearise_pegs(dynamics, work):
    """Compute the derivatives of all knots of the plan by states and controls."""
    scene, own = dynamics.scene, work.dynamics
    space = stack_work(scene, own.contacts)
    for knot in range(work.controls.shape[0]):
        place_head(dynamics.shift, work.states[knot], own.state, 1.0)
        start_directions(dynamics, own, work.states[knot], work.jacobians[knot])
        hold_torque(dynamics.drive, space.joints, work.states[knot], work.controls[knot])
        for _ in range(dynamics.substeps):
            base, _sweeps = accelerate(scene, dynamics.drive, space, own.nothing, dynamics.step, own.state)
            set_tangent(scene, space, dynamics.step, own.state, base, own.tangent)
            propagate(scene, space, dynamics.step, own.tangent, own.targets, work.jacobians[knot])
            take_step(space, dynamics.step, own.state, base)
        move_rows(dynamics.shift, own.state, own.arms, work.jacobians[knot], -1.0)


@inner
def start_directions(dynamics, own, state, rows):
    """Write the directions of states and controls at the start of a knot, and those of the targets."""
    size, links = state.size, dynamics.shift.size
    for i in range(size):
        for j in range(rows.shape[1]):
            rows[i, j] = 1.0 if i == j else 0.0
    move_rows(dynamics.shift, state, own.arms, rows, 1.0)
    for k in range(1, links):
        stiffness = dynamics.drive.stiffness[k - 1]
        for j in range(rows.shape[1]):
            own.targets[k, j] = 0.0
        own.targets[k, size + k - 1] = 1.0
        if stiffness > 0.0:
            own.targets[k, 2 + k] = 1.0
            own.targets[k, size + k - 1] = 1.0 / stiffness
