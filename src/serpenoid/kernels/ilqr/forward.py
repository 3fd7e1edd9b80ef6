"""Forward passes of iLQR: derivatives along the plan, and trial plans with four step lengths in parallel."""

from __future__ import annotations

from numba.extending import overload

from serpenoid.kernels.compile import CHOSEN, bare_kernel, glue, inlined, inner
from serpenoid.kernels.ilqr.costs import cost_value, place_knot
from serpenoid.kernels.ilqr.dynamics import advance, linearise
from serpenoid.kernels.ilqr.peg_dynamics import PegDynamics, linearise_pegs, roll_out_pegs
from serpenoid.kernels.simd import WIDTH, store, transpose, vectors

SUFFICIENT = 1e-4  # fraction of the predicted descent that a step must achieve
SHORTEST = 1e-3  # shortest step of the line search


@glue
def line_search(dynamics, costs, task, work, cost, slope, curve):
    """Accept the first of successively shorter steps with a sufficient fraction of the predicted descent.

    Return its cost.

    The first step is twice the last accepted one, at most 1, because a length that was too long before mostly still is.
    It and the next three are rolled out in parallel. Without a predicted descent (slope and curve 0), the current plan
    is rolled out from its new start and accepted.
    """
    length = min(1.0, 2.0 * work.memory[2]) if slope < 0.0 or curve < 0.0 else 0.0
    while True:
        roll_out(dynamics, task, work, length)
        for slot in range(WIDTH):
            take_trial(dynamics, task, work, slot)
            found = trial_cost(costs, task, work)
            promised = -(length * slope + length * length * curve)
            if length == 0.0 or cost - found >= SUFFICIENT * promised:  # false for NaN
                copy(work.trial_states, work.states)
                copy(work.trial_controls, work.controls)
                work.memory[2] = length if length > 0.0 else work.memory[2]
                return found
            length *= 0.5
            if length < SHORTEST:
                work.memory[2] = 1.0
                return cost


def linearise_plan(dynamics, work):
    """Compute Jacobians at all knots (compiled code only)."""
    raise NotImplementedError


def roll_out(dynamics, task, work, length):
    """Roll out trial plans u = clip(u + length k + K (x - x_plan)) for a length, its half, quarter and eighth.

    The gains also stabilise a plan made for another start: small differences grow a thousandfold in half a second.
    (compiled code only)
    """
    raise NotImplementedError


def take_trial(dynamics, task, work, slot):
    """Write states and controls of one of the four trial plans to the trial arrays (compiled code only)."""
    raise NotImplementedError


@overload(linearise_plan, jit_options=CHOSEN)
def _linearise_plan(dynamics, work):
    law = linearise_pegs if dynamics.instance_class is PegDynamics else linearise_four
    return lambda dynamics, work: law(dynamics, work)


@overload(roll_out, jit_options=CHOSEN)
def _roll_out(dynamics, task, work, length):
    law = keep_length if dynamics.instance_class is PegDynamics else roll_out_four
    return lambda dynamics, task, work, length: law(dynamics, task, work, length)


@overload(take_trial, jit_options=CHOSEN)
def _take_trial(dynamics, task, work, slot):
    law = roll_out_slot if dynamics.instance_class is PegDynamics else take_slot
    return lambda dynamics, task, work, slot: law(dynamics, task, work, slot)


@inlined
def keep_length(dynamics, task, work, length):
    """Store the step length: plans among pegs are rolled out one by one, because each has its own contacts."""
    work.vectors.length[0, 0] = length


@inlined
def roll_out_slot(dynamics, task, work, slot):
    """Roll out one trial plan among pegs."""
    roll_out_pegs(dynamics, task, work, work.vectors.length[0, 0] * 0.5**slot)


@inlined
def take_slot(dynamics, task, work, slot):
    """Copy a trial plan from its slot of the vectors."""
    for knot in range(work.states.shape[0]):
        for x in range(work.states.shape[1]):
            work.trial_states[knot, x] = work.vectors.states[knot, x, slot]
    for knot in range(work.controls.shape[0]):
        for a in range(work.controls.shape[1]):
            work.trial_controls[knot, a] = work.vectors.controls[knot, a, slot]


@inlined
def linearise_four(dynamics, work):
    """Compute Jacobians at all knots, four knots at a time; the last group may repeat the last knot."""
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


@inner
def deal(vectors, first, second, third, fourth):
    """Write the four slots of a matrix of vectors (rows, 4 m) to four matrices."""
    for i in range(vectors.shape[0]):
        for j in range(0, vectors.shape[1], WIDTH):
            a, b, c, d = transpose(vectors[i, j], vectors[i, j + 1], vectors[i, j + 2], vectors[i, j + 3])
            store(first, i, j, a)
            store(second, i, j, b)
            store(third, i, j, c)
            store(fourth, i, j, d)


@inlined
def roll_out_four(dynamics, task, work, length):
    """Roll out four trial plans in the slots of vectors; see roll_out."""
    states, controls, deviation = (
        vectors(work.vectors.states),
        vectors(work.vectors.controls),
        vectors(work.vectors.deviation),
    )
    lengths, space = vectors(work.vectors.length), vectors(work.dynamics)
    for slot in range(WIDTH):
        work.vectors.length[0, slot] = length * 0.5**slot
    for x in range(states.shape[1]):
        states[0, x] = work.start[x]
    for knot in range(controls.shape[0]):
        for x in range(states.shape[1]):
            deviation[x] = states[knot, x] - work.states[knot, x]
        for a in range(controls.shape[1]):
            wanted = work.controls[knot, a] + lengths[0] * work.feedforward[knot, a]
            for x in range(states.shape[1]):
                wanted += work.gains[knot, a, x] * deviation[x]
            controls[knot, a] = min(max(wanted, task.lower[a]), task.upper[a])
        advance(dynamics, space, states[knot], controls[knot], states[knot + 1])


@glue
def trial_cost(costs, task, work):
    """Return the cost of the plan in the trial arrays."""
    horizon, total = work.controls.shape[0], 0.0
    for knot in range(horizon + 1):
        final = knot == horizon
        torque = work.no_torque if final else work.trial_controls[knot]
        moment = place_knot(work.knot, work.trial_states[knot], torque, task.time + knot * task.step, final)
        total += cost_value(costs, moment)
    return total


@bare_kernel
def predict(dynamics, work, state, torques, ahead):
    """Write the state `ahead` (states,) after torques (steps, controls), each constant over a step."""
    now, torque = vectors(work.vectors.state), vectors(work.vectors.control)
    following, space = vectors(work.vectors.deviation), vectors(work.dynamics)
    for x in range(state.size):
        now[x] = state[x]
    for step in range(torques.shape[0]):
        for a in range(torque.size):
            torque[a] = torques[step, a]
        advance(dynamics, space, now, torque, following)
        for x in range(state.size):
            now[x] = following[x]
    for x in range(state.size):
        ahead[x] = work.vectors.state[x, 0]


@inner
def copy(source, target):
    """Copy two dimensions by loops; slices would add their error messages to every compilation."""
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]
