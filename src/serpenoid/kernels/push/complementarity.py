"""Small box-constrained linear complementarity problems, solved exactly by an active-set method."""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.compile import inlined, inner
from serpenoid.kernels.linear import DEPENDENT, append_row, solve

# State of a row. A parked row depends on the free ones: its force is fixed and its slip follows theirs.
AT_LOWER, FREE, AT_UPPER, PARKED = -1, 0, 1, 2
KEPT = 3  # only while free rows are sorted

# Rounding error of a slip, relative to the terms that cancel in it.
ROUNDING = 1e-12
SWEEPS = 50


@inner
def new_part(gram, row, members, count, factor):
    """Return the part of gram[row, row] independent of members[:count]; factor[count] is set by append_row."""
    append_row(gram, row, members, count, factor)
    rest = gram[row, row]
    for a in range(count):
        rest -= factor[count, a] * factor[count, a] / factor[a, a]
    return rest


@inner
def park_dependent(gram, state, members, factor):
    """Keep the most independent free rows and park those that depend on them."""
    count = 0
    while count < state.size:
        best, chosen = DEPENDENT, -1
        for row in range(state.size):
            if state[row] == FREE:
                rest = new_part(gram, row, members, count, factor)
                if rest > best * gram[row, row]:
                    best, chosen = rest / gram[row, row], row
        if chosen < 0:
            break
        append_row(gram, chosen, members, count, factor)
        state[chosen] = KEPT
        count += 1
    for row in range(state.size):
        if state[row] == FREE:
            state[row] = PARKED
        elif state[row] == KEPT:
            state[row] = FREE


@inner
def gather_free(gram, state, members, factor):
    """Factor the free rows in order and park dependent ones; return the number of free rows."""
    count = 0
    dependent = False
    for row in range(state.size):
        if state[row] == FREE:
            if append_row(gram, row, members, count, factor):
                count += 1
            else:
                dependent = True
                break
    if not dependent:
        return count
    park_dependent(gram, state, members, factor)
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
    """Return (slip, size): gram[row] . force + offset[row], and the sum of the magnitudes of its terms."""
    slip, size = offset[row], abs(offset[row])
    for other in range(force.size):
        term = gram[row, other] * force[other]
        slip += term
        size += abs(term)
    return slip, size


@inner
def violation(slip, force, lower, upper):
    """Return the violation of 0 <= slip at the lower limit, slip <= 0 at the upper limit, slip = 0 between them."""
    if force <= lower:
        return max(0.0, -slip) if lower < upper else 0.0
    if force >= upper:
        return max(0.0, slip)
    return abs(slip)


@inner
def free_optimum(gram, offset, force, members, factor, count, target):
    """Compute free-row forces that zero their slips with the others fixed: gram_FF x = -(offset_F + gram_FB f_B)."""
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
    """Move the free forces towards slip = 0 until one meets a limit and is fixed there; return True if none did."""
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
def combine_free(gram, row, members, count, factor):
    """Write a row as a combination of the free rows to factor[count]; return the independent part of gram[row, row].

    That part is negative, or below DEPENDENT, if the row depends on the free ones.
    """
    rest = new_part(gram, row, members, count, factor)
    for a in range(count - 1, -1, -1):
        for b in range(a + 1, count):
            factor[count, a] -= factor[b, a] * factor[count, b]
    return rest


@inner
def rounding_of(gram, offset, force, row, members, count, factor):
    """Return the slip of a row explained by rounding: of its own terms and of those passed on by the free rows."""
    total = slip_of(gram, offset, force, row)[1]
    for a in range(count):
        total += abs(factor[count, a]) * slip_of(gram, offset, force, members[a])[1]
    return ROUNDING * total


@inner
def room_of(limits, force, row, direction):
    """Return the distance that a force may move in a direction before it meets a limit."""
    if direction == 0.0:
        return np.inf
    return (limits[row, 1] - force[row] if direction > 0.0 else force[row] - limits[row, 0]) / abs(direction)


@inner
def exchange_room(limits, force, row, sense, members, count, factor):
    """Return (reach, blocking row): the range in which `row` can replace the forces of the free rows that it depends
    on."""
    reach, blocking = room_of(limits, force, row, sense), row
    for a in range(count):
        room = room_of(limits, force, members[a], -sense * factor[count, a])
        if room < reach:
            reach, blocking = max(room, 0.0), members[a]
    return reach, blocking


@inner
def release_row(gram, slip, limits, force, state, row, members, count, factor):
    """Free a fixed row; one that depends on the free rows replaces their forces until one of them meets a limit."""
    rest = combine_free(gram, row, members, count, factor)
    state[row] = FREE
    if rest > DEPENDENT * gram[row, row]:
        return
    sense = 1.0 if slip < 0.0 else -1.0
    reach, blocking = exchange_room(limits, force, row, sense, members, count, factor)
    if rest > 0.0 and abs(slip) < reach * rest:  # its slip vanishes before that
        reach, blocking, state[row] = abs(slip) / rest, -1, PARKED
    direction = sense
    for a in range(count):
        if members[a] == blocking:
            direction = -sense * factor[count, a]
        force[members[a]] -= sense * reach * factor[count, a]
    force[row] += sense * reach
    if blocking >= 0:
        force[blocking] = limits[blocking, 1] if direction > 0.0 else limits[blocking, 0]
        state[blocking] = AT_UPPER if direction > 0.0 else AT_LOWER


@inner
def release_worst(gram, offset, limits, force, state, members, factor, first):
    """Free the fixed row with the largest violation (the first one if `first`); return True if there was none.

    Violations that are due to rounding, or that contradict rows without limits, cannot be removed.
    """
    count = 0
    for row in range(force.size):
        count += state[row] == FREE
    worst, chosen, chosen_slip = 0.0, -1, 0.0
    for row in range(force.size):
        if state[row] == FREE or (first and chosen >= 0):
            continue
        slip, size = slip_of(gram, offset, force, row)
        excess = violation(slip, force[row], limits[row, 0], limits[row, 1]) - ROUNDING * size
        if not excess > worst:
            continue
        rest = combine_free(gram, row, members, count, factor)
        if abs(slip) <= rounding_of(gram, offset, force, row, members, count, factor):
            continue
        sense = 1.0 if slip < 0.0 else -1.0
        dependent = not rest > DEPENDENT * gram[row, row]
        if dependent and np.isinf(exchange_room(limits, force, row, sense, members, count, factor)[0]):
            continue
        worst, chosen, chosen_slip = excess, row, slip
    if chosen >= 0:
        release_row(gram, chosen_slip, limits, force, state, chosen, members, count, factor)
    return chosen < 0


@inlined
def solve_box(gram, offset, limits, force, state, workspace, members):
    """Solve the box complementarity problem; return True if the method terminated, which the caller must check.

        slip = gram force + offset,    lower <= force <= upper

    For every row slip = 0 between the limits, slip >= 0 at the lower and slip <= 0 at the upper one. gram (rows, rows)
    = A I^-1 A^T may be singular: slip is unique and force is one of the solutions. If offset is not A I^-1 f, rows
    without limits may contradict each other; the first ones prevail. limits (rows, 2).

    `force` must be within the limits and `state` be FREE, or both be the solution of a neighbouring problem (warm
    start). Both are overwritten. workspace (rows + 1, rows) and members (rows,) int64 are scratch.

    Every pass lowers force^T gram force / 2 + offset^T force, so no set of fixed rows recurs. If rounding makes one
    recur, rows are released by index, which cannot cycle.
    """
    rows = force.size
    for sweep in range(SWEEPS * (rows + 1)):
        if move_to_optimum(gram, offset, limits, force, state, members, workspace) and release_worst(
            gram, offset, limits, force, state, members, workspace, sweep > 10 * (rows + 1)
        ):
            return True
    return False


@inlined
def residual_of(gram, offset, limits, force):
    """Return the largest violation of the complementarity conditions, relative to the terms of each slip."""
    worst = 0.0
    for row in range(force.size):
        slip, size = slip_of(gram, offset, force, row)
        beyond = max(limits[row, 0] - force[row], force[row] - limits[row, 1])
        wrong = max(violation(slip, force[row], limits[row, 0], limits[row, 1]), beyond * gram[row, row])
        if size > 0.0:
            wrong /= size
        if not wrong <= worst:  # propagate NaN
            worst = wrong
    return worst
