"""Box-constrained linear complementarity problems of a few rows, solved exactly by an active-set method."""

from __future__ import annotations

from serpenoid.kernels.compile import inlined, inner
from serpenoid.kernels.linear import append_row, solve

# State of a row. A parked row depends on the free ones: its force is left where it is and its slip follows theirs.
AT_LOWER, FREE, AT_UPPER, PARKED = -1, 0, 1, 2

# What rounding can leave of a slip, relative to the terms that cancel in it.
ROUNDING = 1e-12
SWEEPS = 50


@inner
def gather_free(gram, state, members, factor):
    """Factor the free rows in their order; a free row that depends on earlier ones is parked. Number of free rows."""
    count = 0
    for row in range(state.size):
        if state[row] == FREE:
            if append_row(gram, row, members, count, factor):
                count += 1
            else:
                state[row] = PARKED
    return count


@inner
def slip_of(gram, offset, force, row):
    """(slip, size): gram[row] . force + offset[row], and the sum of the magnitudes of its terms."""
    slip, size = offset[row], abs(offset[row])
    for other in range(force.size):
        term = gram[row, other] * force[other]
        slip += term
        size += abs(term)
    return slip, size


@inner
def violation(slip, force, lower, upper):
    """How far a row is from 0 <= slip at its lower limit, slip <= 0 at its upper limit, slip = 0 between them."""
    if force <= lower:
        return max(0.0, -slip) if lower < upper else 0.0
    if force >= upper:
        return max(0.0, slip)
    return abs(slip)


@inner
def free_optimum(gram, offset, force, members, factor, count, target):
    """Forces of the free rows that zero their slips while the others stay: gram_FF x = -(offset_F + gram_FB f_B)."""
    for a in range(count):
        target[a] = -offset[members[a]]
    free = 0
    for other in range(force.size):
        if free < count and members[free] == other:
            free += 1
        elif force[other] != 0.0:
            for a in range(count):
                target[a] -= gram[members[a], other] * force[other]
    solve(factor, count, target)


@inner
def move_to_optimum(gram, offset, limits, force, state, members, workspace):
    """Move the free forces towards slip = 0 until one meets a limit, which then holds it; True if none did."""
    rows = force.size
    target = workspace[rows]
    count = gather_free(gram, state, members, workspace)
    free_optimum(gram, offset, force, members, workspace, count, target)
    reach, blocking, side = 1.0, -1, FREE
    for a in range(count):
        row = members[a]
        step = target[a] - force[row]
        if target[a] < limits[row, 0] and step * reach < limits[row, 0] - force[row]:
            reach, blocking, side = (limits[row, 0] - force[row]) / step, row, AT_LOWER
        elif target[a] > limits[row, 1] and step * reach > limits[row, 1] - force[row]:
            reach, blocking, side = (limits[row, 1] - force[row]) / step, row, AT_UPPER
    for a in range(count):
        row = members[a]
        force[row] = target[a] if blocking < 0 else force[row] + reach * (target[a] - force[row])
    if blocking < 0:
        return True
    force[blocking] = limits[blocking, 0] if side == AT_LOWER else limits[blocking, 1]
    state[blocking] = side
    return False


@inner
def release_worst(gram, offset, limits, force, state, first):
    """Free the held row that violates its condition most (the first one if `first`); True if there was none."""
    worst, chosen = 0.0, -1
    for row in range(force.size):
        if state[row] == FREE or (first and chosen >= 0):
            continue
        slip, size = slip_of(gram, offset, force, row)
        excess = violation(slip, force[row], limits[row, 0], limits[row, 1]) - ROUNDING * size
        if excess > worst:
            worst, chosen = excess, row
    if chosen >= 0:
        state[chosen] = FREE
    return chosen < 0


@inlined
def solve_box(gram, offset, limits, force, state, workspace, members):
    """Solve the box complementarity problem; True if the method came to its end, which a caller must check.

    slip = gram force + offset;  lower <= force <= upper, and for every row slip = 0 between the limits, slip >= 0 at
    the lower and slip <= 0 at the upper one. gram (rows, rows) = A I^-1 A^T may be singular if offset = A I^-1 f:
    then slip is unique and force is one of the solutions. limits (rows, 2). `force` must lie within the limits and
    `state` be FREE, or both be the solution of a neighbouring problem (warm start); both are overwritten.
    workspace (rows + 1, rows) and members (rows,) int64 are scratch.

    Every pass lowers force^T gram force / 2 + offset^T force, so no set of held rows comes back; where rounding
    lets one come back all the same, rows are released by their index, which cannot cycle.
    """
    rows = force.size
    for sweep in range(SWEEPS * (rows + 1)):
        if move_to_optimum(gram, offset, limits, force, state, members, workspace) and release_worst(
            gram, offset, limits, force, state, sweep > 10 * (rows + 1)
        ):
            return True
    return False


@inlined
def residual_of(gram, offset, limits, force):
    """Greatest violation of the complementarity conditions over the rows, relative to the terms of each slip."""
    worst = 0.0
    for row in range(force.size):
        slip, size = slip_of(gram, offset, force, row)
        beyond = max(limits[row, 0] - force[row], force[row] - limits[row, 1])
        wrong = max(violation(slip, force[row], limits[row, 0], limits[row, 1]), beyond * gram[row, row])
        if size > 0.0:
            wrong /= size
        if not wrong <= worst:  # a NaN must come through
            worst = wrong
    return worst
