"""Iterative LQR over a horizon in one compiled call: controls in a box, line search, regularisation, deadline."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.clock import now
from serpenoid.kernels.compile import bare_kernel, glue, inlined, kernel
from serpenoid.kernels.ilqr.backward import Riccati, backward_pass, new_riccati, padded
from serpenoid.kernels.ilqr.costs import MOST_RESIDUALS, Knot, cost_value, placed
from serpenoid.kernels.ilqr.curvature import FULL, POSITIVE, STRAIGHT, Curvature, new_curvature
from serpenoid.kernels.ilqr.dynamics import CYCLIC, advance, linearise
from serpenoid.kernels.simd import WIDTH, aligned, store, transposed, vectors

# How a solve ended.
CONVERGED, ITERATIONS, DEADLINE, NO_DESCENT, NOT_FINITE = range(5)

SUFFICIENT = 1e-4  # share of the promised descent that a step must bring
SHORTEST = 1e-3  # shortest step of the line search
STRONGEST, WEAKEST = 1e10, 1e-6  # regularisation
GROWTH = 1.6


class Task(NamedTuple):
    """What a solve is given beside dynamics and costs."""

    time: float  # of the first knot [s]
    step: float  # between knots [s]
    lower: NDArray  # (controls,)
    upper: NDArray  # (controls,)
    damping: NDArray  # (states,) weights of the regularisation
    floor: float  # least regularisation
    nudge: NDArray  # (horizon, controls) torque that leaves a stationary start; zeros: stay
    iterations: int  # at most
    curved_from: int  # iterations after which, at the latest, the dynamics' curvature counts; not at all if no fewer
    tolerance: float  # stop where the promised descent is below this share of the cost
    deadline: float  # [s] of the clock, inf for none


class Vectors(NamedTuple):
    """Four at a time: trial plans of four lengths of step in the line search, or four knots for the derivatives."""

    states: NDArray  # (horizon + 1, states, 4)
    controls: NDArray  # (horizon, controls, 4)
    deviation: NDArray  # (states, 4) from the plan
    length: NDArray  # (1, 4) of the step
    state: NDArray  # (states, 4) of four knots
    control: NDArray  # (controls, 4)
    jacobian: NDArray  # (states, padded, 4)


class Work(NamedTuple):
    """The plan and all arrays of a solve; one set per thread, kept from solve to solve."""

    states: NDArray  # (horizon + 1, states)
    controls: NDArray  # (horizon, controls)
    gains: NDArray  # (horizon, controls, padded states) of the last backward pass
    feedforward: NDArray  # (horizon, controls)
    memory: NDArray  # (3,) regularisation, its rate of change, last length of a step; carried from solve to solve
    trial_states: NDArray
    trial_controls: NDArray
    jacobians: NDArray  # (horizon, states, padded) of the dynamics by non-cyclic states and controls
    vectors: Vectors
    riccati: Riccati
    curvature: Curvature
    no_torque: NDArray  # (controls,) zeros
    clock: NDArray  # (2,) int64
    knot: Knot
    dynamics: Any  # the working arrays of the dynamics, four at a time


class Outcome(NamedTuple):
    """How a solve went."""

    status: int
    iterations: int  # completed
    cost: float
    seconds: float


def new_work(horizon: int, states: int, controls: int, reach: NDArray, dynamics: Any) -> Work:
    """Fresh arrays; `reach` (points, links) places the ends of the links, (0, 0) where there is no chain."""
    z, links = states + controls, reach.shape[1]
    wide, width = padded.py_func(states), padded.py_func(z - CYCLIC)
    knot = Knot(
        np.zeros(states), np.zeros(controls), 0.0, False, np.zeros((reach.shape[0], 2)), np.zeros((links, 2)),
        np.ascontiguousarray(reach), np.zeros((2, links)), np.zeros(links), np.zeros((MOST_RESIDUALS, z + 1)),
    )  # fmt: skip
    four = Vectors(
        aligned((horizon + 1, states, WIDTH)), aligned((horizon, controls, WIDTH)), aligned((states, WIDTH)),
        aligned((1, WIDTH)), aligned((states, WIDTH)), aligned((controls, WIDTH)), aligned((states, width, WIDTH)),
    )  # fmt: skip
    return Work(
        np.zeros((horizon + 1, states)), np.zeros((horizon, controls)), aligned((horizon, controls, wide)),
        np.zeros((horizon, controls)), np.array([0.0, 1.0, 1.0]), np.zeros((horizon + 1, states)),
        np.zeros((horizon, controls)), aligned((padded.py_func(horizon), states, width)), four,
        new_riccati(states, controls), new_curvature(horizon, states, controls), np.zeros(controls),
        np.zeros(2, dtype=np.int64), knot, dynamics,
    )  # fmt: skip


@bare_kernel
def solve_task(dynamics, costs, task, work):
    """Improve the plan in `work` from work.states[0] on and work.controls; returns an Outcome.

    iLQR at first; from task.curved_from on, or where that promises nothing more, with the positive part of the
    dynamics' curvature; and where that promises nothing more with all of it, out of saddles too. The plan in `work` is
    always the best one found and consistent with the dynamics, whenever the solve ends. The first turn of the loop only
    rolls the guess out.
    """
    start = now(work.clock)
    clip_controls(task, work.controls)
    cost, slope, curve, longest = np.inf, 0.0, 0.0, 0.0
    most = FULL if task.curved_from < task.iterations else STRAIGHT
    bending, done, status = STRAIGHT, 0, ITERATIONS
    rolled, possible, fresh, stale = False, True, True, False
    # With this model, at this plan: was regularisation lowered, was that in vain; and is a finer model due.
    weakened, stuck, finer = False, False, False
    while status == ITERATIONS and (done < task.iterations or not rolled):
        begin = now(work.clock)
        if rolled:
            if begin - start + longest > task.deadline:
                status = DEADLINE
                break
            if fresh:
                linearise_plan(dynamics, work)
            if finer or (bending == STRAIGHT and done >= task.curved_from):
                bending, stale, finer, weakened, stuck = bending + 1, True, False, False, False
                work.memory[0], work.memory[1], work.memory[2] = task.floor, 1.0, 1.0
            possible, slope, curve = backward_pass(task, dynamics, costs, work, work.memory[0], bending, fresh or stale)
            stale = not possible  # the pass has not come to the first knots
            least = task.tolerance * abs(cost)
            if possible and -(slope + curve) <= least and (done > 0 or not stationary_start(task, work)):
                if work.memory[0] > task.floor and not stuck:  # perhaps it is this that leaves nothing to promise
                    regularise(work.memory, False, task.floor)
                    weakened = True
                elif bending < most:
                    finer = True
                else:
                    status = NO_DESCENT if stuck else CONVERGED
                fresh = False
                done += 1
                longest = max(longest, now(work.clock) - begin)
                continue
            if possible and -(slope + curve) <= least:
                copy(task.nudge, work.controls)
                slope, curve, cost = 0.0, 0.0, np.inf
        leaving = bending == FULL and not possible and -(slope + curve) > task.tolerance * abs(cost)
        found = line_search(dynamics, costs, task, work, cost, slope, curve) if possible or leaving else cost
        fresh = found < cost
        cost = found
        if not rolled:
            status = ITERATIONS if np.isfinite(cost) else NOT_FINITE
            rolled = True
            continue
        stuck = not fresh and (stuck or weakened or (bending == FULL and not possible))
        weakened = weakened and not fresh
        if leaving and fresh:
            bending = POSITIVE
        elif not regularise(work.memory, not fresh, task.floor):
            finer = bending < most
            status = ITERATIONS if finer else NO_DESCENT
        done += 1 if possible or leaving else 0
        longest = max(longest, now(work.clock) - begin)
    return Outcome(status, done, cost, now(work.clock) - start)


@glue
def line_search(dynamics, costs, task, work, cost, slope, curve):
    """Adopt the first of ever shorter steps that brings its share of the promised descent; returns the new cost.

    The first is twice the last step that was adopted, at most 1: what was too long before mostly still is. It and the
    three next are rolled out side by side. Without a promise (slope and curve 0) the controls are rolled out as they
    stand, and adopted.
    """
    length = min(1.0, 2.0 * work.memory[2]) if slope < 0.0 or curve < 0.0 else 0.0
    while True:
        roll_out(dynamics, task, work, length)
        for slot in range(WIDTH):
            found = trial_cost(costs, task, work, slot)
            promised = -(length * slope + length * length * curve)
            if length == 0.0 or cost - found >= SUFFICIENT * promised:  # not for NaN
                copy(work.trial_states, work.states)
                copy(work.trial_controls, work.controls)
                work.memory[2] = length if length > 0.0 else work.memory[2]
                return found
            length *= 0.5
            if length < SHORTEST:
                work.memory[2] = 1.0
                return cost


@inlined
def regularise(memory, stronger, floor):
    """Raise or lower the regularisation, faster each time in a row (Tassa et al. 2012, II-F); False at its end."""
    if stronger:
        memory[1] = max(GROWTH, memory[1] * GROWTH)
        memory[0] = max(WEAKEST, memory[0] * memory[1])
        return memory[0] <= STRONGEST
    memory[1] = min(1.0 / GROWTH, memory[1] / GROWTH)
    memory[0] = max(memory[0] * memory[1] if memory[0] * memory[1] > WEAKEST else 0.0, floor)
    return True


@glue
def stationary_start(task, work):
    """Whether the plan is no torque at all although there is a nudge to try."""
    largest, offered = 0.0, 0.0
    for knot in range(work.controls.shape[0]):
        for a in range(work.controls.shape[1]):
            largest = max(largest, abs(work.controls[knot, a]))
            offered = max(offered, abs(task.nudge[knot, a]))
    return largest < 1e-3 * offered


@glue
def clip_controls(task, controls):
    """Put a warm start within the box; what is not finite becomes zero."""
    for knot in range(controls.shape[0]):
        for a in range(controls.shape[1]):
            value = controls[knot, a] if np.isfinite(controls[knot, a]) else 0.0
            controls[knot, a] = min(max(value, task.lower[a]), task.upper[a])


@inlined
def copy(source, target):
    """target = source, two dimensions; slices would drag their error messages into every compilation."""
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]


@glue
def linearise_plan(dynamics, work):
    """Jacobians at all knots, four knots at a time; the last four may hold the last knot more than once."""
    state, control, jacobian = (
        vectors(work.vectors.state),
        vectors(work.vectors.control),
        vectors(work.vectors.jacobian),
    )
    space, horizon = vectors(work.dynamics), work.controls.shape[0]
    for first in range(0, horizon, WIDTH):
        for slot in range(WIDTH):
            knot = min(first + slot, horizon - 1)
            for x in range(work.states.shape[1]):
                work.vectors.state[x, slot] = work.states[knot, x]
            for a in range(work.controls.shape[1]):
                work.vectors.control[a, slot] = work.controls[knot, a]
        linearise(dynamics, space, state, control, jacobian)
        out = work.jacobians
        deal(jacobian, out[first], out[first + 1], out[first + 2], out[first + 3])


@inlined
def deal(vectors, first, second, third, fourth):
    """Write the four slots of a matrix of vectors (rows, 4 m) into four matrices."""
    for i in range(vectors.shape[0]):
        for j in range(0, vectors.shape[1], WIDTH):
            a, b, c, d = transposed(vectors[i, j], vectors[i, j + 1], vectors[i, j + 2], vectors[i, j + 3])
            store(first, i, j, a)
            store(second, i, j, b)
            store(third, i, j, c)
            store(fourth, i, j, d)


@glue
def roll_out(dynamics, task, work, length):
    """Trial plans u = clip(u + length k + K (x - x_plan)) for a length, its half, quarter and eighth; of u if zero."""
    states, controls, deviation = (
        vectors(work.vectors.states),
        vectors(work.vectors.controls),
        vectors(work.vectors.deviation),
    )
    lengths, space = vectors(work.vectors.length), vectors(work.dynamics)
    for slot in range(WIDTH):
        work.vectors.length[0, slot] = length * 0.5**slot
    for x in range(states.shape[1]):
        states[0, x] = work.states[0, x]
    for knot in range(controls.shape[0]):
        for x in range(states.shape[1]):
            deviation[x] = states[knot, x] - work.states[knot, x]
        for a in range(controls.shape[1]):
            wanted = work.controls[knot, a] + lengths[0] * work.feedforward[knot, a]
            if length > 0.0:
                for x in range(states.shape[1]):
                    wanted += work.gains[knot, a, x] * deviation[x]
            controls[knot, a] = min(max(wanted, task.lower[a]), task.upper[a])
        advance(dynamics, space, states[knot], controls[knot], states[knot + 1])


@glue
def trial_cost(costs, task, work, slot):
    """Cost of one of the trial plans, which is laid into the trial arrays."""
    horizon, total = work.controls.shape[0], 0.0
    for knot in range(horizon + 1):
        state, torque = work.trial_states[knot], work.no_torque
        for x in range(state.size):
            state[x] = work.vectors.states[knot, x, slot]
        if knot < horizon:
            torque = work.trial_controls[knot]
            for a in range(torque.size):
                torque[a] = work.vectors.controls[knot, a, slot]
        moment = placed(work.knot, state, torque, task.time + knot * task.step, knot == horizon)
        total += cost_value(costs, moment)
    return total


@kernel
def shift_plan(controls, feedforward, count):
    """Warm start after `count` knots have been carried out: the rest of the plan, then its last control held."""
    horizon = controls.shape[0]
    for knot in range(horizon):
        source = min(knot + count, horizon - 1)
        for a in range(controls.shape[1]):
            controls[knot, a] = controls[source, a]
            feedforward[knot, a] = 0.0
