"""The backward pass of iLQR: a quadratic model of the cost to go, and a box-constrained feedback law at every knot."""

from __future__ import annotations

from serpenoid.kernels.box_qp import solve_box
from serpenoid.kernels.compile import glue, inlined
from serpenoid.kernels.costs import cost_expand, placed

CYCLIC = 2  # the first states, on which no dynamics here depend: where the chain is


@inlined
def padded(count):
    """The next multiple of four."""
    return (count + 3) // 4 * 4


@inlined
def transposed_product(left, right, out, inner, symmetric):
    """out = left^T right over the first `inner` rows of both; with `symmetric` only blocks on and above the diagonal.

    left (inner, rows), right (inner, columns), out (rows, columns): rows even, columns a multiple of four. Blocks of
    2 x 4 stay in registers, which is what makes the Riccati step fast.
    """
    for i in range(0, out.shape[0], 2):
        for j in range(i - i % 4 if symmetric else 0, out.shape[1], 4):
            a0, a1, a2, a3, b0, b1, b2, b3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for k in range(inner):
                u, v = left[k, i], left[k, i + 1]
                r0, r1, r2, r3 = right[k, j], right[k, j + 1], right[k, j + 2], right[k, j + 3]
                a0 += u * r0
                a1 += u * r1
                a2 += u * r2
                a3 += u * r3
                b0 += v * r0
                b1 += v * r1
                b2 += v * r2
                b3 += v * r3
            out[i, j], out[i, j + 1], out[i, j + 2], out[i, j + 3] = a0, a1, a2, a3
            out[i + 1, j], out[i + 1, j + 1], out[i + 1, j + 2], out[i + 1, j + 3] = b0, b1, b2, b3


@glue
def backward_pass(problem, costs, work, regularisation):
    """Gains and feedforward at all knots; returns (possible, slope, curve): the promised change a slope + a^2 curve.

    False where the regularised curvature by the controls is not positive at some knot.
    """
    horizon = work.controls.shape[0]
    slope, curve = 0.0, 0.0
    for knot in range(horizon, -1, -1):
        cost_expand(costs, knot_at(problem, work, knot), work.gradient, work.hessian)
        if knot == horizon:
            final_value(work)
            continue
        add_cost_to_go(work, work.jacobians[knot])
        set_control_blocks(problem, work, work.jacobians[knot], regularisation)
        if not control_law(problem, work, knot):
            return False, 0.0, 0.0
        first, second = update_value(work, knot)
        slope += first
        curve += second
    return True, slope, curve


@glue
def final_value(work):
    """The cost to go at the end of the horizon."""
    for i in range(work.value_slope.size):
        work.value_slope[i] = work.gradient[i]
        for j in range(work.value_slope.size):
            work.value_curve[i, j] = work.hessian[i, j]


@glue
def knot_at(problem, work, knot):
    """The knot as costs see it, its points set; gradient and Hessian are cleared for them."""
    for a in range(work.gradient.size):
        work.gradient[a] = 0.0
        for b in range(work.gradient.size):
            work.hessian[a, b] = 0.0
    final = knot == work.controls.shape[0]
    torque = work.no_torque if final else work.controls[knot]
    return placed(work.knot, work.states[knot], torque, problem.time + knot * problem.step, final)


@glue
def add_cost_to_go(work, jacobian):
    """Upper triangle of Q = cost + F^T V F and q = gradient + F^T v, F = (A, B) without its first CYCLIC columns.

    The dynamics do not depend on the first CYCLIC states, whose columns of A are unit vectors.
    """
    states, width = work.states.shape[1], work.gradient.size - CYCLIC
    q, Q, V, v, half, full = work.gradient, work.hessian, work.value_curve, work.value_slope, work.half, work.full
    transposed_product(V, jacobian, half, states, False)
    transposed_product(jacobian, half, full, states, True)
    for a in range(CYCLIC):
        q[a] += v[a]
        for b in range(CYCLIC):
            Q[a, b] += V[a, b]
        for b in range(width):
            Q[a, CYCLIC + b] += half[a, b]
    for a in range(width):
        for b in range(a - a % 4, width):  # from the block on the diagonal: below it nothing is used
            Q[CYCLIC + a, CYCLIC + b] += full[a, b]
    for k in range(states):
        pull = v[k]
        for a in range(width):
            q[CYCLIC + a] += pull * jacobian[k, a]


@glue
def set_control_blocks(problem, work, jacobian, regularisation):
    """Curvature by the controls and control x state, regularised on the state: V + mu diag(damping) in place of V.

    The unregularised control x state stands in the lower half of stack_left.
    """
    states, controls = work.states.shape[1], work.controls.shape[1]
    Q, own, cross, first = work.hessian, work.control_curve, work.cross_curve, work.states.shape[1] - CYCLIC
    for a in range(controls):
        for b in range(a, controls):
            own[a, b] = Q[states + a, states + b]
        for x in range(states):
            work.stack_left[controls + a, x] = Q[x, states + a]
            cross[a, x] = Q[x, states + a]
    for k in range(states):
        weight = regularisation * problem.damping[k]
        if weight == 0.0:
            continue
        for a in range(controls):
            pull = weight * jacobian[k, first + a]
            for b in range(a, controls):
                own[a, b] += pull * jacobian[k, first + b]
            for x in range(first):
                cross[a, CYCLIC + x] += pull * jacobian[k, x]
            if k < CYCLIC:
                cross[a, k] += pull
    for a in range(controls):
        for b in range(a):
            own[a, b] = own[b, a]


@glue
def control_law(problem, work, knot):
    """Feedforward within the box and gains over the free controls of a knot; False where that is not possible."""
    states, controls = work.states.shape[1], work.controls.shape[1]
    for a in range(controls):
        work.lower[a] = problem.lower[a] - work.controls[knot, a]
        work.upper[a] = problem.upper[a] - work.controls[knot, a]
        work.free[a] = 1
    feedforward, slope = work.feedforward[knot], work.gradient[states:]
    good = solve_box(
        work.control_curve, slope, work.lower, work.upper, feedforward, work.free, work.factor, work.box
    )  # fmt: skip
    if good:
        feedback(work.factor, work.free, work.cross_curve, work.gains[knot])
    return good


@inlined
def feedback(factor, free, cross, gain):
    """gain (controls, states) = -H^-1 cross over the free controls, zero for the others; factor as of `solve_box`."""
    controls, states = gain.shape
    for a in range(controls):
        sign = -1.0 if free[a] == 1 else 0.0
        for x in range(states):
            gain[a, x] = sign * cross[a, x]
        for k in range(a):
            pull = factor[a, k]
            for x in range(states):
                gain[a, x] -= pull * gain[k, x]
        scale = factor[a, a]
        for x in range(states):
            gain[a, x] *= scale
    for a in range(controls - 1, -1, -1):
        for k in range(a + 1, controls):
            pull = factor[k, a]
            for x in range(states):
                gain[a, x] -= pull * gain[k, x]
        scale = factor[a, a]
        for x in range(states):
            gain[a, x] *= scale


@glue
def update_value(work, knot):
    """Cost to go under the law: V = Qxx + K^T (Quu K + Qux) + Qux^T K, v likewise; returns (k . q_u, k^T Quu k / 2)."""
    states, controls = work.states.shape[1], work.controls.shape[1]
    q, Q, v, left, right = work.gradient, work.hessian, work.value_slope, work.stack_left, work.stack_right
    gain, k = work.gains[knot], work.feedforward[knot]
    first, second = 0.0, 0.0
    for x in range(states):
        v[x] = q[x]
    for a in range(controls):
        for x in range(states):
            left[a, x] = gain[a, x]
            right[controls + a, x] = gain[a, x]
            right[a, x] = left[controls + a, x]
        push = 0.0
        for b in range(controls):
            curve = Q[states + min(a, b), states + max(a, b)]
            push += curve * k[b]
            for x in range(states):
                right[a, x] += curve * gain[b, x]
        first += k[a] * q[states + a]
        second += 0.5 * k[a] * push
        push += q[states + a]
        for x in range(states):
            v[x] += push * gain[a, x] + k[a] * left[controls + a, x]
    transposed_product(left, right, work.value_work, 2 * controls, True)
    for x in range(states):
        for y in range(x, states):
            total = Q[x, y] + work.value_work[x, y]
            work.value_curve[x, y] = total
            work.value_curve[y, x] = total
    return first, second
