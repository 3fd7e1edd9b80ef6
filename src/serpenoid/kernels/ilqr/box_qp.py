"""Small quadratic programs within a box, by a finite active-set method that is exact at termination."""

from __future__ import annotations

from math import sqrt

from serpenoid.kernels.compile import inlined, inner

MOST_STEPS = 10  # per coordinate: each step fixes one at a bound or frees one
PRESSING = 1e-10  # fraction of the largest slope below which a bound counts as inactive


@inlined
def solve_box(hessian, gradient, lower, upper, solution, free, factor, work):
    """Minimise g^T x + x^T H x / 2 within lower <= x <= upper, from `solution` (m,), which is overwritten.

    H (m, m) is symmetric and positive on the free coordinates. `free` (m,) int64 receives 1 where no bound is active.
    `factor` (m, m) receives the Cholesky factor of H over the free coordinates (unit rows elsewhere); work is (2, m).
    Returns whether H was positive there.

    Each step moves to the minimum over the free coordinates. If it meets a bound first, it stops there and fixes that
    coordinate. At the minimum, the coordinate with the largest slope away from its bound is freed.
    """
    size = solution.size
    for i in range(size):
        solution[i] = min(max(solution[i], lower[i]), upper[i])
    scale = box_slope(hessian, gradient, solution, work[0])
    for i in range(size):
        held = (solution[i] <= lower[i] and work[0, i] > 0.0) or (solution[i] >= upper[i] and work[0, i] < 0.0)
        free[i] = 0 if held else 1
    for _ in range(MOST_STEPS * size):
        if not factorise_free(hessian, free, factor):
            return False
        reached = step_to_bound(lower, upper, solution, free, factor, work)
        box_slope(hessian, gradient, solution, work[0])
        if reached and not let_go(work[0], lower, solution, free, PRESSING * scale):
            return True
    return True


@inner
def box_slope(hessian, gradient, solution, out):
    """Compute out = g + H x; return the largest |g|, the scale of the problem."""
    scale = 0.0
    for i in range(solution.size):
        total = gradient[i]
        for j in range(solution.size):
            total += hessian[i, j] * solution[j]
        out[i] = total
        scale = max(scale, abs(gradient[i]))
    return scale


@inner
def step_to_bound(lower, upper, solution, free, factor, work):
    """Move to the minimum over the free coordinates, or to the first bound; return whether the minimum was reached."""
    slope, direction = work[0], work[1]
    length, hit, bound = 1.0, -1, 0.0
    for i in range(solution.size):
        direction[i] = -slope[i] if free[i] == 1 else 0.0
    solve_factor(factor, direction)
    for i in range(solution.size):
        end = solution[i] + direction[i]
        if free[i] == 1 and (end > upper[i] or end < lower[i]):
            side = upper[i] if end > upper[i] else lower[i]
            share = (side - solution[i]) / direction[i]
            if share < length:
                length, hit, bound = share, i, side
    for i in range(solution.size):
        solution[i] = min(max(solution[i] + length * direction[i], lower[i]), upper[i])
    if hit < 0:
        return True
    solution[hit] = bound
    free[hit] = 0
    return False


@inner
def let_go(slope, lower, solution, free, least):
    """Free the fixed coordinate with the largest slope into the box; return whether there was one."""
    worst = -1
    for i in range(free.size):
        if free[i] == 0:
            inward = -slope[i] if solution[i] <= lower[i] else slope[i]
            if inward > least:
                least, worst = inward, i
    if worst >= 0:
        free[worst] = 1
    return worst >= 0


@inner
def factorise_free(matrix, free, factor):
    """Factorise over the free coordinates (Cholesky), with unit rows for the others; return False if not positive."""
    for i in range(free.size):
        for j in range(i + 1):
            total = matrix[i, j] if free[i] == 1 and free[j] == 1 else (1.0 if i == j else 0.0)
            for k in range(j):
                total -= factor[i, k] * factor[j, k]
            if i != j:
                factor[i, j] = total * factor[j, j]
            elif total > 0.0:  # false for NaN as well
                factor[i, i] = 1.0 / sqrt(total)
            else:
                return False
    return True


@inner
def solve_factor(factor, vector):
    """Solve L L^T x = vector in place; the diagonal of `factor` is 1 / L_ii."""
    size = vector.size
    for i in range(size):
        total = vector[i]
        for k in range(i):
            total -= factor[i, k] * vector[k]
        vector[i] = total * factor[i, i]
    for i in range(size - 1, -1, -1):
        total = vector[i]
        for k in range(i + 1, size):
            total -= factor[k, i] * vector[k]
        vector[i] = total * factor[i, i]
