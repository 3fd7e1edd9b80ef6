"""Small quadratic programs within a box, by projected Newton steps."""

from __future__ import annotations

from math import sqrt

from serpenoid.kernels.compile import inlined

MOST_STEPS = 60
ARMIJO = 0.1
SHORTEST = 1e-10


@inlined
def solve_box(hessian, gradient, lower, upper, solution, free, factor, work):
    """Minimise g^T x + x^T H x / 2 within lower <= x <= upper, from `solution` (m,), which is overwritten.

    H (m, m) symmetric, positive on the free coordinates. `free` (m,) int64 receives 1 where no bound is active,
    `factor` (m, m) the Cholesky factor of H over the free coordinates (unit rows elsewhere); work is (3, m). Returns
    whether H was positive there. Projected Newton steps: bounds are active where the gradient presses on them.
    """
    size = solution.size
    for i in range(size):
        solution[i] = min(max(solution[i], lower[i]), upper[i])
    fresh = True
    for _ in range(MOST_STEPS):
        slope = box_gradient(hessian, gradient, solution, work[0])
        changed = active_set(work[0], lower, upper, solution, free)
        if fresh or changed:
            if not factorise_free(hessian, free, factor):
                return False
        elif slope_free(work[0], free) <= 1e-10 * (1.0 + slope):
            return True
        fresh = False
        if not newton_step(hessian, gradient, lower, upper, solution, free, factor, work):
            return True
    return True


@inlined
def box_gradient(hessian, gradient, solution, out):
    """out = g + H x; returns the largest |g|, the scale of the problem."""
    scale = 0.0
    for i in range(solution.size):
        total = gradient[i]
        for j in range(solution.size):
            total += hessian[i, j] * solution[j]
        out[i] = total
        scale = max(scale, abs(gradient[i]))
    return scale


@inlined
def active_set(slope, lower, upper, solution, free):
    """Mark the free coordinates; returns whether any mark changed."""
    changed = False
    for i in range(solution.size):
        held = (solution[i] <= lower[i] and slope[i] > 0.0) or (solution[i] >= upper[i] and slope[i] < 0.0)
        mark = 0 if held else 1
        changed = changed or mark != free[i]
        free[i] = mark
    return changed


@inlined
def slope_free(slope, free):
    """The largest slope of a free coordinate."""
    largest = 0.0
    for i in range(free.size):
        if free[i] == 1:
            largest = max(largest, abs(slope[i]))
    return largest


@inlined
def factorise_free(matrix, free, factor):
    """Cholesky factor over the free coordinates, unit rows for the others; False where it is not positive."""
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


@inlined
def solve_factor(factor, vector):
    """Solve L L^T x = vector in place; the diagonal of `factor` holds 1 / L_ii."""
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


@inlined
def newton_step(hessian, gradient, lower, upper, solution, free, factor, work):
    """One projected step with backtracking; False where no step lowers the value any more."""
    slope, direction, trial = work[0], work[1], work[2]
    size = solution.size
    for i in range(size):
        direction[i] = -slope[i] if free[i] == 1 else 0.0
    solve_factor(factor, direction)
    value = box_value(hessian, gradient, solution)
    length = 1.0
    while length > SHORTEST:
        promised = 0.0
        for i in range(size):
            trial[i] = min(max(solution[i] + length * direction[i], lower[i]), upper[i])
            promised += slope[i] * (solution[i] - trial[i])
        if promised <= 1e-16 * (1.0 + abs(value)):
            return False
        if value - box_value(hessian, gradient, trial) >= ARMIJO * promised:
            for i in range(size):
                solution[i] = trial[i]
            return True
        length *= 0.5
    return False


@inlined
def box_value(hessian, gradient, point):
    """g^T x + x^T H x / 2."""
    total = 0.0
    for i in range(point.size):
        row = 0.0
        for j in range(point.size):
            row += hessian[i, j] * point[j]
        total += point[i] * (gradient[i] + 0.5 * row)
    return total
