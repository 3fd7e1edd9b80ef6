"""Contact modes (closed contacts, non-slipping wheels, sticking object): forces in a mode, and mode selection.

Modes are n + w + 1 integers. A contact is 0 open or 1 closed. A wheel is 0 without slip, else the sign of its slip. The
object is 0 while it sticks to the ground, 1 while it slides. A contact or wheel is 2 (PARKED) while other rows keep it
closed or without slip. It has no force until it becomes independent of them.
"""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.accounts import IMPACTS, PUSH_ACCOUNTS
from serpenoid.kernels.compile import inner
from serpenoid.kernels.linear import DEPENDENT, append_row, solve
from serpenoid.kernels.push.complementarity import AT_LOWER, AT_UPPER, FREE, PARKED, new_part, slip_of, solve_box
from serpenoid.kernels.push.rows import SLIDE, fill_gram, fill_rows, free_motion, kinetic_energy
from serpenoid.kernels.push.sliding import ANGLE, TRIALS, narrow_bracket, open_bracket

TOUCH = 1e-9  # a gap [m] that counts as closed
STOPPED = 1e-9  # a speed [m/s] that counts as zero
CLOSING = 1e-12  # a speed [m/s] at which a touching contact closes; well below STOPPED
SLACK = 1e-10  # fraction of the terms cancelling in a force below which it counts as zero


@inner
def slide_direction(y, at):
    """Return the object's direction of sliding: that of its velocity, or the stored one while it starts or stops."""
    vx, vy, x, y0 = y[at + 2], y[at + 3], y[at + SLIDE], y[at + SLIDE + 1]
    speed = np.sqrt(vx * vx + vy * vy)
    forward = vx * x + vy * y0 > 0.0 and speed > STOPPED
    return (vx / speed, vy / speed) if forward else (x, y0)


@inner
def known_forces(scene, work, modes, slide):
    """Set friction of slipping wheels and of the sliding object in work.force, and add its accelerations."""
    n, rows = work.angle.size, work.slip.size
    for k in range(n + 2):
        work.acceleration[k] = work.free[k]
    for axis in range(2):
        work.body[axis] = -scene.ground_limit * slide[axis] / scene.object_mass if modes[rows] != 0 else 0.0
    for row in range(rows):
        work.force[row] = -modes[row] * scene.wheel_limit[row - n] if row >= n and abs(modes[row]) == 1 else 0.0
        apply_row(scene, work, row, work.force[row], 0.0)


@inner
def apply_row(scene, work, row, force, mobile):
    """Add the effect of a row's force to the accelerations; mobile = 1 if the object can move, else 0."""
    for k in range(work.acceleration.size):
        work.acceleration[k] += work.response[row, k] * force
    for axis in range(2):
        work.body[axis] += mobile * work.grip[row, axis] * force / scene.object_mass


@inner
def row_accelerations(work):
    """Write A a + (dA/dt) v of every row with the current accelerations to work.offset."""
    for row in range(work.slip.size):
        value = work.bias[row] + work.grip[row, 0] * work.body[0] + work.grip[row, 1] * work.body[1]
        for k in range(work.acceleration.size):
            value += work.row[row, k] * work.acceleration[k]
        work.offset[row] = value


@inner
def gather_bearing(work, modes):
    """Factor the closed contacts and non-slipping wheels, except parked ones, in work.factors; return their number."""
    n, count = work.angle.size, 0
    for row in range(work.slip.size):
        holds = modes[row] == 1 if row < n else modes[row] == 0
        if holds and append_row(work.gram, row, work.members, count, work.factors):
            count += 1
    return count


@inner
def gather_held(work, modes):
    """Factor the active rows in work.factors, parked ones only if independent of the others; return their number."""
    count = gather_bearing(work, modes)
    for row in range(work.slip.size):
        if modes[row] == PARKED and append_row(work.gram, row, work.members, count, work.factors):
            count += 1
    return count


@inner
def force_scale(work, row):
    """Return the size [N] of the terms that cancel in the force of a row."""
    size = abs(work.bias[row])
    for k in range(work.free.size):
        size += abs(work.row[row, k] * work.free[k])
    for other in range(work.slip.size):
        size += abs(work.gram[row, other] * work.force[other])
    return size / work.gram[row, row]


@inner
def mode_dynamics(scene, y, work, modes, torque, wrench, keep):
    """Compute accelerations and forces in a mode: every closed contact and non-slipping wheel is an equation.

    keep is as in fill_rows.
    """
    rows = work.slip.size
    mobile = 1.0 if modes[rows] != 0 else 0.0
    fill_rows(scene, y, work, modes, keep)
    fill_gram(scene, work, mobile)
    free_motion(scene, y, work, torque, wrench)
    known_forces(scene, work, modes, slide_direction(y, 2 * work.free.size))
    row_accelerations(work)
    count = gather_held(work, modes)
    target = work.factors[rows]
    for a in range(count):
        target[a] = -work.offset[work.members[a]]
    solve(work.factors, count, target)
    for a in range(count):
        work.force[work.members[a]] = target[a]
        apply_row(scene, work, work.members[a], target[a], mobile)


@inner
def open_row(work, row, lower, upper):
    """Include a row in the complementarity problem, between two limits."""
    work.state[row] = FREE
    work.limits[row, 0], work.limits[row, 1] = lower, upper


@inner
def shut_row(work, row):
    """Exclude a row from the complementarity problem."""
    work.state[row] = AT_LOWER
    work.limits[row, 0], work.limits[row, 1] = 0.0, 0.0


@inner
def candidates(scene, work, modes):
    """Include the rows that may become active: touching contacts that do not separate, wheels at rest.

    The modes of all other rows are set here.
    """
    n = work.angle.size
    for row in range(work.slip.size):
        shut_row(work, row)
        if row < n:
            if (work.gap[row] <= TOUCH or modes[row] == 1) and work.slip[row] <= STOPPED:
                open_row(work, row, 0.0, np.inf)
            modes[row] = 0
        else:
            limit, slip = scene.wheel_limit[row - n], work.slip[row]
            modes[row] = 1 if slip > 0.0 else -1
            if limit > 0.0 and (abs(slip) <= STOPPED or np.isinf(limit)):
                open_row(work, row, -limit, limit)
                modes[row] = 0


@inner
def solve_moment(scene, work, modes, slide):
    """Solve for the current forces; return (whether that succeeded, x, y of the robot's force on the object)."""
    rows = work.slip.size
    fill_gram(scene, work, 1.0 if modes[rows] != 0 else 0.0)
    known_forces(scene, work, modes, slide)
    row_accelerations(work)
    for row in range(rows):
        work.force[row] = 0.0
        work.state[row] = FREE if work.limits[row, 1] > 0.0 else AT_LOWER
    solved = solve_box(work.gram, work.offset, work.limits, work.force, work.state, work.factors, work.members)
    x = y = 0.0
    for row in range(work.angle.size):
        x += work.grip[row, 0] * work.force[row]
        y += work.grip[row, 1] * work.force[row]
    return solved, x, y


@inner
def settle(scene, y, work, modes, resting):
    """Solve for the current forces; an object at rest sticks if the ground can hold it, else it slides."""
    rows, at = work.slip.size, 2 * work.free.size
    modes[rows] = 0 if resting else 1
    slide = slide_direction(y, at)
    solved, px, py = solve_moment(scene, work, modes, slide)
    if resting and px * px + py * py > scene.ground_limit**2:
        modes[rows] = 1
        open_bracket(px, py, scene.ground_limit, work.bracket)
        for _ in range(TRIALS):
            slide = (np.cos(work.bracket[ANGLE]), np.sin(work.bracket[ANGLE]))
            solved, px, py = solve_moment(scene, work, modes, slide)
            if narrow_bracket(px, py, work.bracket):
                break
    y[at + SLIDE], y[at + SLIDE + 1] = slide
    return solved


@inner
def set_modes(work, modes):
    """Set the modes of the rows in the complementarity problem; a contact without force is open."""
    n = work.angle.size
    for row in range(work.slip.size):
        if work.limits[row, 1] == 0.0:
            continue
        state = work.state[row]
        if row >= n:
            modes[row] = 1 if state == AT_LOWER else -1 if state == AT_UPPER else state
        elif state == FREE:
            modes[row] = 1 if work.force[row] > SLACK * force_scale(work, row) else 0
        else:
            modes[row] = PARKED if state == PARKED else 0
    count = gather_bearing(work, modes)
    for row in range(n):
        if modes[row] == PARKED:  # it may separate from the rows on which it depends, or they have opened since
            slip, size = slip_of(work.gram, work.offset, work.force, row)
            rest = new_part(work.gram, row, work.members, count, work.factors)
            modes[row] = 0 if slip > SLACK * size or rest > DEPENDENT * work.gram[row, row] else PARKED


@inner
def rest_object(scene, y, at):
    """Stop an object whose speed counts as zero; return whether friction may hold it now."""
    resting = scene.ground_limit > 0.0 and y[at + 2] ** 2 + y[at + 3] ** 2 <= STOPPED**2
    if resting:
        y[at + 2] = y[at + 3] = 0.0
    return resting


@inner
def choose_modes(scene, y, work, modes, torque, wrench):
    """Set the modes required by the current forces, after any impact; return False if no solution was found."""
    at = 2 * work.free.size
    for _ in range(2):
        rest_object(scene, y, at)
        fill_rows(scene, y, work, modes, False)
        if not strike(scene, y, work):
            break
    free_motion(scene, y, work, torque, wrench)
    candidates(scene, work, modes)
    solved = settle(scene, y, work, modes, rest_object(scene, y, at))
    set_modes(work, modes)
    return solved


@inner
def strike(scene, y, work):
    """Apply an inelastic impact if a contact closes or an ideal wheel slips; return True if there was one.

    Only contacts and ideal wheels have impulses: friction is finite and an impact takes no time. The lost energy is the
    work of impacts.
    """
    n, rows = work.angle.size, work.slip.size
    size, at = n + 2, 2 * (n + 2)
    hits = False
    for row in range(rows):
        shut_row(work, row)
        work.force[row] = 0.0
        if row < n and work.gap[row] <= TOUCH:
            open_row(work, row, 0.0, np.inf)
            hits = hits or work.slip[row] < -CLOSING
        elif row >= n and np.isinf(scene.wheel_limit[row - n]):
            open_row(work, row, -np.inf, np.inf)
            hits = hits or abs(work.slip[row]) > STOPPED
    if not hits:
        return False
    before = kinetic_energy(scene, y, work)
    fill_gram(scene, work, 1.0)
    solve_box(work.gram, work.slip, work.limits, work.force, work.state, work.factors, work.members)
    for row in range(rows):
        nudge(scene, work, row, work.force[row], 1.0, y[size:], y[at + 2 :])
    after = kinetic_energy(scene, y, work)
    y[y.size - PUSH_ACCOUNTS + IMPACTS] += after[0] + after[1] - before[0] - before[1]
    return True


@inner
def nudge(scene, work, row, amount, mobile, chain, body):
    """Move coordinates along A^T of one row.

    Velocities move by an impulse [N s], positions by a distance; mobile as in fill_gram.
    """
    last = 0.0
    for k in range(work.free.size):
        change = work.response[row, k] * amount
        chain[k] += change - (last if k > 2 else 0.0)
        last = change
    for axis in range(2):
        body[axis] += mobile * work.grip[row, axis] * amount / scene.object_mass
