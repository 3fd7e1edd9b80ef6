"""The backward pass of iLQR: a quadratic model of the cost to go, and a box-constrained feedback law at every knot."""

from __future__ import annotations

from serpenoid.kernels.box_qp import solve_box, solve_factor
from serpenoid.kernels.compile import glue, inlined
from serpenoid.kernels.costs import cost_expand, placed


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
        add_cost_to_go(problem.cyclic, work, work.jacobians[knot])
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
def add_cost_to_go(cyclic, work, jacobian):
    """Upper triangle of Q = cost + F^T V F and q = gradient + F^T v, F = (A, B) without its first `cyclic` columns.

    The dynamics do not depend on the first `cyclic` states, whose columns of A are unit vectors.
    """
    states, width = work.states.shape[1], work.gradient.size
    q, Q, V, v, half, full = work.gradient, work.hessian, work.value_curve, work.value_slope, work.half, work.full
    transposed_product(V, jacobian, half, states, False)
    transposed_product(jacobian, half, full, states, True)
    for a in range(cyclic):
        q[a] += v[a]
        for b in range(a, cyclic):
            Q[a, b] += V[a, b]
        for b in range(cyclic, width):
            Q[a, b] += half[a, b - cyclic]
    for a in range(cyclic, width):
        for b in range(a, width):
            Q[a, b] += full[a - cyclic, b - cyclic]
    for k in range(states):
        pull = v[k]
        for a in range(cyclic, width):
            q[a] += pull * jacobian[k, a - cyclic]


@glue
def set_control_blocks(problem, work, jacobian, regularisation):
    """Curvature by the controls and control x state, regularised on the state: V + mu diag(damping) in place of V."""
    states, controls, cyclic = work.states.shape[1], work.controls.shape[1], problem.cyclic
    Q, own, cross, first = work.hessian, work.control_curve, work.cross_curve, work.states.shape[1] - problem.cyclic
    for a in range(controls):
        for b in range(a, controls):
            own[a, b] = Q[states + a, states + b]
        for x in range(states):
            cross[a, x] = Q[x, states + a]
    for k in range(states):
        weight = regularisation * problem.damping[k]
        if weight == 0.0:
            continue
        for a in range(controls):
            pull = weight * jacobian[k, first + a]
            for b in range(a, controls):
                own[a, b] += pull * jacobian[k, first + b]
            for x in range(cyclic, states):
                cross[a, x] += pull * jacobian[k, x - cyclic]
            if k < cyclic:
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
    feedforward, gain = work.feedforward[knot], work.gains[knot]
    good = solve_box(
        work.control_curve,
        work.gradient[states:],
        work.lower,
        work.upper,
        feedforward,
        work.free,
        work.factor,
        work.box,
    )
    if not good:
        return False
    for x in range(states):
        for a in range(controls):
            work.column[a] = -work.cross_curve[a, x] if work.free[a] == 1 else 0.0
        solve_factor(work.factor, work.column)
        for a in range(controls):
            gain[a, x] = work.column[a]
    return True


@glue
def update_value(work, knot):
    """Cost to go under the law: V = Qxx + K^T (Quu K + Qux) + Qux^T K, v likewise; returns (k . q_u, k^T Quu k / 2)."""
    states, controls = work.states.shape[1], work.controls.shape[1]
    q, Q, left, right = work.gradient, work.hessian, work.stack_left, work.stack_right
    gain, k = work.gains[knot], work.feedforward[knot]
    first, second = 0.0, 0.0
    for a in range(controls):
        push = 0.0
        for b in range(controls):
            push += Q[states + min(a, b), states + max(a, b)] * k[b]
        first += k[a] * q[states + a]
        second += 0.5 * k[a] * push
        work.column[a] = push + q[states + a]
        for x in range(states):
            left[a, x] = gain[a, x]
            left[controls + a, x] = Q[x, states + a]
            right[controls + a, x] = gain[a, x]
            right[a, x] = Q[x, states + a]
        for b in range(controls):
            curve = Q[states + min(a, b), states + max(a, b)]
            for x in range(states):
                right[a, x] += curve * gain[b, x]
    for x in range(states):
        total = q[x]
        for a in range(controls):
            total += gain[a, x] * work.column[a] + Q[x, states + a] * k[a]
        work.value_slope[x] = total
    transposed_product(left, right, work.value_work, 2 * controls, True)
    for x in range(states):
        for y in range(x, states):
            total = Q[x, y] + work.value_work[x, y]
            work.value_curve[x, y] = total
            work.value_curve[y, x] = total
    return first, second
