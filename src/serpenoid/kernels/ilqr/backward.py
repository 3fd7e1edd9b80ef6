"""Backward pass of iLQR: a quadratic model of the cost to go, and a box-constrained feedback law at every knot."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import glue, inner
from serpenoid.kernels.ilqr.box_qp import solve_box
from serpenoid.kernels.ilqr.costs import cost_expand, place_knot
from serpenoid.kernels.ilqr.curvature import FULL, STRAIGHT, add_curvature, bend, final_costate, way_out
from serpenoid.kernels.ilqr.dynamics import CYCLIC
from serpenoid.kernels.simd import WIDTH, allocate_aligned, load, store, transpose


class Riccati(NamedTuple):
    """Arrays of the backward pass; `padded` dimensions are filled with zeros to a multiple of eight."""

    gradient: NDArray  # (z,)
    hessian: NDArray  # (cyclic + padded, cyclic + padded); costs use the first z x z
    value_slope: NDArray  # (states,)
    row: NDArray  # (1, padded) scratch
    value_curve: NDArray  # (padded, padded)
    half: NDArray  # (padded, padded z) V F
    damped: NDArray  # (states, controls padded to four) weighted columns of the controls
    damping: NDArray  # (controls padded, padded z) regularisation term of controls x (states, controls)
    stack_left: NDArray  # (2 controls, padded) K, then Qux
    stack_right: NDArray  # (2 controls, padded) Quu K + Qux, then K
    control_curve: NDArray  # (controls, controls)
    cross_curve: NDArray  # (controls, padded)
    lower: NDArray  # (controls,)
    upper: NDArray
    factor: NDArray  # (controls, controls)
    box: NDArray  # (2, controls)
    free: NDArray  # (controls,) int64
    cyclic: int  # leading states on which the dynamics do not depend


class Promise(NamedTuple):
    """Predicted change of cost of a backward pass: a slope + a^2 curve for a step of length a."""

    possible: bool  # False if the pass was aborted
    slope: float
    curve: float


@inner
def pad_size(count):
    """Return the next multiple of eight (two vectors)."""
    return (count + 7) // 8 * 8


def new_riccati(states: int, controls: int, cyclic: int = CYCLIC) -> Riccati:
    """Allocate the arrays."""
    z = states + controls
    wide, width, rows = pad_size(states), pad_size(z - cyclic), (controls + 3) // 4 * 4
    return Riccati(
        gradient=np.zeros(z),
        hessian=allocate_aligned((cyclic + width, cyclic + width)),
        value_slope=np.zeros(states),
        row=allocate_aligned((1, max(wide, width))),
        value_curve=allocate_aligned((wide, wide)),
        half=allocate_aligned((wide, width)),
        damped=allocate_aligned((states, rows)),
        damping=allocate_aligned((rows, width)),
        stack_left=allocate_aligned((2 * controls, wide)),
        stack_right=allocate_aligned((2 * controls, wide)),
        control_curve=np.zeros((controls, controls)),
        cross_curve=allocate_aligned((controls, wide)),
        lower=np.zeros(controls),
        upper=np.zeros(controls),
        factor=np.zeros((controls, controls)),
        box=np.zeros((2, controls)),
        free=np.zeros(controls, dtype=np.int64),
        cyclic=cyclic,
    )


@inner
def transposed_product(left, right, out, inner, first, add, symmetric):
    """Compute out = left^T right over the first `inner` rows of both, from out[first, first] on.

    With `add`, out += that.

    left (inner, rows) and right (inner, columns) are padded. With `symmetric`, only blocks on and above the diagonal
    are computed. Blocks of 4 x 8 stay in registers, which makes the Riccati step fast.
    """
    for i in range(0, left.shape[1], WIDTH):
        for j in range(i - i % 8 if symmetric else 0, right.shape[1], 8):
            a0, a1, a2, a3, b0, b1, b2, b3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for k in range(inner):
                near, far = load(right, k, j), load(right, k, j + WIDTH)
                a0 += left[k, i] * near
                b0 += left[k, i] * far
                a1 += left[k, i + 1] * near
                b1 += left[k, i + 1] * far
                a2 += left[k, i + 2] * near
                b2 += left[k, i + 2] * far
                a3 += left[k, i + 3] * near
                b3 += left[k, i + 3] * far
            put(out, first + i, first + j, a0, b0, add)
            put(out, first + i + 1, first + j, a1, b1, add)
            put(out, first + i + 2, first + j, a2, b2, add)
            put(out, first + i + 3, first + j, a3, b3, add)


@inner
def put(out, row, column, near, far, add):
    """Write or add eight numbers to a row."""
    if add:
        near, far = near + load(out, row, column), far + load(out, row, column + WIDTH)
    store(out, row, column, near)
    store(out, row, column + WIDTH, far)


@glue
def backward_pass(problem, dynamics, costs, work, regularisation, bending, fresh):
    """Compute gains and feedforward at all knots; return the Promise of this law.

    The pass is not possible if the regularised curvature by the controls is not positive at some knot. If all curvature
    is used, the law is then a direction out of a saddle. `bending` selects which part of the dynamics' curvature is
    used; it is recomputed if `fresh`.
    """
    horizon, states, space = work.controls.shape[0], work.states.shape[1], work.riccati
    slope, curve = 0.0, 0.0
    for knot in range(horizon, -1, -1):
        cost_expand(costs, knot_at(problem, work, knot), space.gradient, space.hessian)
        if knot == horizon:
            final_value(space)
            final_costate(work.curvature, space.gradient)
            continue
        if bending != STRAIGHT:
            if fresh:
                bend(dynamics, work, knot, space.gradient)
            add_curvature(work.curvature, knot, bending, space.hessian)
        possible, first, second = law_at(problem, work, knot, regularisation)
        if not possible:
            if bending == FULL:
                slope, curve = way_out(
                    work, knot, space.control_curve, space.gradient[states:], space.lower, space.upper
                )  # fmt: skip
            return Promise(False, slope, curve)
        slope += first
        curve += second
    return Promise(True, slope, curve)


@glue
def law_at(problem, work, knot, regularisation):
    """Compute gains and feedforward of a knot and the cost to go before it.

    Return whether they exist, and their promise.
    """
    space = work.riccati
    add_cost_to_go(space, work.jacobians[knot])
    set_control_blocks(problem, space, work.jacobians[knot], regularisation)
    if not control_law(problem, work, space, knot):
        return False, 0.0, 0.0
    first, second = update_value(space, work.gains[knot], work.feedforward[knot])
    return True, first, second


@glue
def final_value(space):
    """Set the cost to go at the end of the horizon."""
    for i in range(space.value_slope.size):
        space.value_slope[i] = space.gradient[i]
        for j in range(space.value_slope.size):
            space.value_curve[i, j] = space.hessian[i, j]


@glue
def knot_at(problem, work, knot):
    """Return the knot for the costs, with its points set; gradient and Hessian are cleared."""
    space = work.riccati
    for a in range(space.gradient.size):
        space.gradient[a] = 0.0
    for a in range(space.hessian.shape[0]):
        for b in range(0, space.hessian.shape[1] - space.cyclic, WIDTH):
            store(space.hessian, a, b, 0.0)
        store(space.hessian, a, space.hessian.shape[1] - WIDTH, 0.0)
    final = knot == work.controls.shape[0]
    torque = work.no_torque if final else work.controls[knot]
    return place_knot(work.knot, work.states[knot], torque, problem.time + knot * problem.step, final)


@glue
def add_cost_to_go(space, jacobian):
    """Compute the upper triangle of Q = cost + F^T V F and q = gradient + F^T v, F = (A, B) without cyclic columns.

    The dynamics do not depend on the first `cyclic` states, whose columns of A are unit vectors.
    """
    states, cyclic = space.value_slope.size, space.cyclic
    width = space.gradient.size - cyclic
    q, Q, V, v, half = space.gradient, space.hessian, space.value_curve, space.value_slope, space.half
    transposed_product(V, jacobian, half, states, 0, False, False)
    transposed_product(jacobian, half, Q, states, cyclic, True, True)
    for a in range(cyclic):
        q[a] += v[a]
        for b in range(cyclic):
            Q[a, b] += V[a, b]
        for b in range(0, jacobian.shape[1], WIDTH):
            store(Q, a, cyclic + b, load(Q, a, cyclic + b) + load(half, a, b))
    for b in range(0, jacobian.shape[1], WIDTH):
        total = v[0] * load(jacobian, 0, b)
        for k in range(1, states):
            total += v[k] * load(jacobian, k, b)
        store(space.row, 0, b, total)
    for a in range(width):
        q[cyclic + a] += space.row[0, a]


@glue
def set_control_blocks(problem, space, jacobian, regularisation):
    """Compute curvature by controls and control x state, regularised on the state: V + mu diag(damping) replaces V.

    The unregularised control x state block is in the lower half of stack_left.
    """
    states, controls, cyclic = space.value_slope.size, space.control_curve.shape[0], space.cyclic
    Q, own, cross, first = space.hessian, space.control_curve, space.cross_curve, states - cyclic
    for k in range(states):
        weight = regularisation * problem.damping[k]
        for a in range(controls):
            space.damped[k, a] = weight * jacobian[k, first + a]
    transposed_product(space.damped, jacobian, space.damping, states, 0, False, False)
    for a in range(controls):
        for b in range(a, controls):
            own[a, b] = Q[states + a, states + b] + space.damping[a, first + b]
            own[b, a] = own[a, b]
        for x in range(states):
            space.stack_left[controls + a, x] = Q[x, states + a]
        for x in range(cyclic):
            cross[a, x] = Q[x, states + a] + space.damped[x, a]
        for x in range(first):
            cross[a, cyclic + x] = Q[cyclic + x, states + a] + space.damping[a, x]


@glue
def control_law(problem, work, space, knot):
    """Compute feedforward within the box and gains over the free controls of a knot; return False if not possible."""
    states, controls = work.states.shape[1], work.controls.shape[1]
    for a in range(controls):
        space.lower[a] = problem.lower[a] - work.controls[knot, a]
        space.upper[a] = problem.upper[a] - work.controls[knot, a]
        space.free[a] = 1
    feedforward, slope = work.feedforward[knot], space.gradient[states:]
    good = solve_box(
        space.control_curve, slope, space.lower, space.upper, feedforward, space.free, space.factor, space.box
    )  # fmt: skip
    if good:
        feedback(space.factor, space.free, space.cross_curve, work.gains[knot])
    return good


@inner
def feedback(factor, free, cross, gain):
    """Compute gain (controls, padded) = -H^-1 cross over the free controls, zero for the others.

    Factor from `solve_box`.
    """
    controls, wide = gain.shape
    for x in range(0, wide, WIDTH):
        for a in range(controls):
            row = (-1.0 if free[a] == 1 else 0.0) * load(cross, a, x)
            for k in range(a):
                row -= factor[a, k] * load(gain, k, x)
            store(gain, a, x, factor[a, a] * row)
        for a in range(controls - 1, -1, -1):
            row = load(gain, a, x)
            for k in range(a + 1, controls):
                row -= factor[k, a] * load(gain, k, x)
            store(gain, a, x, factor[a, a] * row)


@glue
def update_value(space, gain, k):
    """Update the cost to go under the law; return (k . q_u, k^T Quu k / 2).

    V = Qxx + K^T (Quu K + Qux) + Qux^T K,    v likewise
    """
    states, controls = space.value_slope.size, space.control_curve.shape[0]
    q, Q, v, left, right = space.gradient, space.hessian, space.value_slope, space.stack_left, space.stack_right
    push, first, second = space.box[0], 0.0, 0.0
    for a in range(controls):
        total = 0.0
        for b in range(controls):
            total += Q[states + min(a, b), states + max(a, b)] * k[b]
        first += k[a] * q[states + a]
        second += 0.5 * k[a] * total
        push[a] = total + q[states + a]
    for x in range(0, gain.shape[1], WIDTH):
        slope = 0.0
        for a in range(controls):
            cross = load(left, controls + a, x)
            slope += push[a] * load(gain, a, x) + k[a] * cross
            for b in range(controls):
                cross += Q[states + min(a, b), states + max(a, b)] * load(gain, b, x)
            store(right, a, x, cross)
            store(left, a, x, load(gain, a, x))
            store(right, controls + a, x, load(gain, a, x))
        store(space.row, 0, x, slope)
    for x in range(states):
        v[x] = q[x] + space.row[0, x]
        for y in range(x - x % WIDTH, states, WIDTH):
            store(space.value_curve, x, y, load(Q, x, y))
    transposed_product(left, right, space.value_curve, 2 * controls, 0, True, True)
    mirror(space.value_curve)
    return first, second


@inner
def mirror(matrix):
    """Copy the upper triangle of a padded square matrix to its lower one."""
    for i in range(0, matrix.shape[0], WIDTH):
        for j in range(i + WIDTH, matrix.shape[0], WIDTH):
            a, b, c, d = transpose(
                load(matrix, i, j), load(matrix, i + 1, j), load(matrix, i + 2, j), load(matrix, i + 3, j)
            )
            store(matrix, j, i, a)
            store(matrix, j + 1, i, b)
            store(matrix, j + 2, i, c)
            store(matrix, j + 3, i, d)
        for x in range(i, i + WIDTH):
            for y in range(i, x):
                matrix[x, y] = matrix[y, x]
