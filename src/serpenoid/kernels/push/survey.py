"""Pushing from rest for many torques and shapes: single responses, and surveys of the input region."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.linear import append_row, solve
from serpenoid.kernels.push.complementarity import (
    AT_LOWER,
    FREE,
    residual_of,
    solve_box,
)
from serpenoid.kernels.push.constraints import (
    accelerate,
    chain_norm,
    force_norm,
    free_norm,
    free_slip,
    link_angles,
    object_force,
    operators,
    ratio_of,
)
from serpenoid.kernels.push.sliding import ANGLE, BRACKET, TRIALS, narrow_bracket, open_bracket

HALVINGS = 60  # of the bracket of a tilt


@kernel
def solve_rows(push, ops, rows, mobile, torque, wrench, force, state):
    """Solve for the forces of the first `rows` rows for one torque from a cold start; return the residual.

    Fills force and state. mobile = 1 if the object can move, 0 if it is fixed to the ground; wrench (3,) is on the
    object.
    """
    gram, offset, workspace = np.empty((rows, rows)), np.empty(rows), np.empty((rows + 1, rows))
    pulled = np.empty(rows)
    for row in range(rows):
        force[row], state[row] = 0.0, FREE
        pulled[row] = mobile * (ops.grip[row, 0] * wrench[0] + ops.grip[row, 1] * wrench[1]) / push.object_mass
        for other in range(rows):
            gram[row, other] = ops.gram[row, other] if mobile else ops.chain_gram[row, other]
    free_slip(ops.drive, torque, pulled, offset)
    limits, force, state = push.limits[:rows], force[:rows], state[:rows]
    solved = solve_box(gram, offset, limits, force, state, workspace, np.empty(rows, np.int64))
    return residual_of(gram, offset, limits, force) if solved else np.inf


@kernel
def settle_ground(push, ops, torque, wrench, limit, force, state, slide):
    """Solve with friction up to `limit` under the object, which sticks or slides; fill `slide`, return the residual.

    Friction acts against `slide`: the force that it must balance, or the resulting acceleration.
    """
    last = force.size - 1
    bracket, loaded = np.empty(BRACKET), wrench.copy()
    residual = solve_rows(push, ops, last, 0, torque, wrench, force, state)
    x, y = object_force(ops.grip[:last], force[:last], wrench)
    size = np.hypot(x, y)
    force[last], state[last] = -min(size, limit), FREE
    slide[0], slide[1] = (x / size, y / size) if size > 0.0 else (0.0, 0.0)
    if size <= limit:
        return residual
    state[last] = AT_LOWER
    open_bracket(x, y, limit, bracket)
    for _ in range(TRIALS):
        slide[0], slide[1] = np.cos(bracket[ANGLE]), np.sin(bracket[ANGLE])
        loaded[0], loaded[1] = wrench[0] - limit * slide[0], wrench[1] - limit * slide[1]
        residual = solve_rows(push, ops, last, 1, torque, loaded, force, state)
        x, y = object_force(ops.grip[:last], force[:last], wrench)
        if narrow_bracket(x, y, bracket):
            break
    return max(residual, abs(slide[0] * y - slide[1] * x) / max(np.hypot(x, y), limit))


@kernel
def settle_spin(push, ops, torque, wrench, force, state, slide):
    """Solve with friction that resists sliding and spinning; return the residual and the friction moment [N m].

    On the elliptic limit surface, friction has a force of limit cos(tilt) and a moment of arm limit sin(tilt). Its
    dissipation is largest for tan(tilt) = arm |spin| / |a|. As the tilt grows the object slides faster and spins more
    slowly, so bisection finds it.
    """
    limit, moment = push.limits[force.size - 1, 1], abs(wrench[2])
    arm, sign = push.spin_arm, 1.0 if wrench[2] > 0.0 else -1.0
    residual = settle_ground(push, ops, torque, wrench, limit, force, state, slide)
    if moment == 0.0 or arm == 0.0 or limit == 0.0:
        return residual, 0.0
    low, high = 0.0, np.arcsin(min(1.0, moment / (arm * limit)))
    for _ in range(HALVINGS):
        tilt = 0.5 * (low + high)
        residual = settle_ground(push, ops, torque, wrench, limit * np.cos(tilt), force, state, slide)
        x, y = object_force(ops.grip[: force.size - 1], force[: force.size - 1], wrench)
        net = max(0.0, np.hypot(x, y) - limit * np.cos(tilt)) / push.object_mass
        spin = (moment - arm * limit * np.sin(tilt)) / push.object_inertia
        if np.sin(tilt) * net < np.cos(tilt) * arm * spin:
            low = tilt
        else:
            high = tilt
    return residual, -sign * arm * limit * np.sin(tilt)


@kernel
def respond(push, heading, shape, torques, wrench):
    """Compute accelerations, forces, row states, norms and residual for every torque (count, joints) at one shape.

    wrench (3,): force on the object in world axes [N] and torque about its centre [N m].

    Returns acceleration (count, n + 2), object (count, 3), force (count, rows), state (count, rows), and measures
    (count, 5): |a_obj|^2, |qdd|^2, |lambda|^2, ratio, residual.
    """
    count, rows = torques.shape[0], push.link.size
    acceleration, bodies = np.empty((count, shape.size + 3)), np.empty((count, 3))
    force, state = np.zeros((count, rows)), np.zeros((count, rows), np.int64)
    measures = np.empty((count, 5))
    slide = np.zeros(2)
    ops = first = operators(push, heading, shape, slide)
    for c in range(count):
        torque, moment = torques[c], 0.0
        if push.link[rows - 1] < 0:
            residual, moment = settle_spin(push, first, torque, wrench, force[c], state[c], slide)
            ops = operators(push, heading, shape, slide)
        else:
            residual = solve_rows(push, ops, rows, 1, torque, wrench, force[c], state[c])
        accelerate(ops, torque, force[c], acceleration[c])
        x, y = object_force(ops.grip, force[c], wrench)
        bodies[c, 0], bodies[c, 1] = x / push.object_mass, y / push.object_mass
        bodies[c, 2] = (wrench[2] + moment) / push.object_inertia
        measures[c, 0] = (x * x + y * y) / push.object_mass + (wrench[2] + moment) ** 2 / push.object_inertia
        measures[c, 1] = chain_norm(ops, torque, force[c])
        measures[c, 2] = force_norm(ops.gram, force[c])
        measures[c, 3] = ratio_of(measures[c, 0], measures[c, 1], free_norm(ops.mobility, torque))
        measures[c, 4] = residual
    return acceleration, bodies, force, state, measures


@kernel
def dependent_rows(push, shape):
    """Return True for each row that is a combination of the rows before it, (rows,)."""
    rows = push.link.size
    ops = operators(push, 0.0, shape, np.zeros(2))
    members, factor, found = np.empty(rows, np.int64), np.empty((rows, rows)), np.zeros(rows, np.bool_)
    count = 0
    for row in range(rows):
        found[row] = not append_row(ops.gram, row, members, count, factor)
        count += not found[row]
    return found


@kernel
def torques_in_region(mobility, unit_mass, ball, torques):
    """Map points of the unit ball (count, joints) onto the input region (31): tau^T (m B^T Ms^-1 B) tau <= 1.

    With m B^T Ms^-1 B = L L^T, tau = L^-T s; m scales Ms to the unit-mass matrix of the paper.
    """
    joints = mobility.shape[0]
    factor = np.linalg.cholesky(mobility * unit_mass)
    for c in range(ball.shape[0]):
        for a in range(joints - 1, -1, -1):
            value = ball[c, a]
            for b in range(a + 1, joints):
                value -= factor[b, a] * torques[c, b]
            torques[c, a] = value / factor[a, a]


@kernel
def held_form(ops, rows):
    """Return force per torque (rows, joints) with the first `rows` rows active, and P with |qdd|^2 = tau^T P tau, (28).

    Rows that depend on earlier ones have no force.
    """
    joints = ops.mobility.shape[0]
    members, factor, column = np.empty(rows, np.int64), np.empty((rows, rows)), np.empty(rows)
    force, form = np.zeros((rows, joints)), ops.mobility.copy()
    count = 0
    for row in range(rows):
        if append_row(ops.gram, row, members, count, factor):
            count += 1
    for joint in range(joints):
        for a in range(count):
            column[a] = ops.drive[members[a], joint]
        solve(factor, count, column)
        for a in range(count):
            force[members[a], joint] = column[a]
    for joint in range(joints):
        for other in range(joints):
            for row in range(rows):
                form[joint, other] -= (
                    ops.drive[row, joint] * force[row, other] + force[row, joint] * ops.drive[row, other]
                )
                for last in range(rows):
                    form[joint, other] += force[row, joint] * ops.chain_gram[row, last] * force[last, other]
    return force, form


@kernel
def solve_form(form, vector):
    """Return a solution of form x = vector.

    The form may be singular, like P for a snake with locked wheels on a circle.
    """
    size = vector.size
    members, factor, values = np.empty(size, np.int64), np.empty((size, size)), np.empty(size)
    count = 0
    for row in range(size):
        if append_row(form, row, members, count, factor):
            values[count] = vector[row]
            count += 1
    solve(factor, count, values)
    out = np.zeros(size)
    for a in range(count):
        out[members[a]] = values[a]
    return out


@kernel
def linear_optima(ops, limits, unit_mass, torques):
    """Fill (8, joints) torques that are optimal for a linear response, with the contact alone and with all wheels.

    There |a_obj|^2 is largest for tau ~ S^-1 g and the ratio for tau ~ P^-1 g. g is the contact force per torque; S, P
    are the forms of (31) and (28). Each is taken at the boundary, and as far out as no wheel slips. A grid of torques
    misses them, because the cone of high ratio is a few degrees wide.
    """
    count = 0
    for rows in (1, limits.shape[0]):
        force, form = held_form(ops, rows)
        for choice in range(2):
            torque = solve_form(form if choice else ops.mobility, force[0])
            size = 0.0
            for joint in range(torque.size):
                for other in range(torque.size):
                    size += unit_mass * torque[joint] * ops.mobility[joint, other] * torque[other]
            reach = 1.0 / np.sqrt(size) if size > 0.0 else 0.0
            held = reach
            for row in range(1, rows):
                need = 0.0
                for joint in range(torque.size):
                    need += force[row, joint] * torque[joint]
                if abs(need) * held > limits[row, 1]:
                    held = limits[row, 1] / abs(need)
            for joint in range(torque.size):
                torques[count, joint], torques[count + 1, joint] = reach * torque[joint], held * torque[joint]
            count += 2


class SurveyWork(NamedTuple):
    """Forces and states of the last torque, and scratch."""

    force: NDArray  # (rows,)
    state: NDArray  # (rows,) int64
    offset: NDArray  # (rows,)
    pulled: NDArray  # (rows,) zeros, like the next one: no wrench
    still: NDArray  # (3,)
    workspace: NDArray  # (rows + 1, rows)
    members: NDArray  # (rows,) int64


@kernel
def survey_work(rows):
    """Allocate work arrays for a number of rows."""
    return SurveyWork(
        force=np.zeros(rows),
        state=np.zeros(rows, np.int64),
        offset=np.empty(rows),
        pulled=np.zeros(rows),
        still=np.zeros(3),
        workspace=np.empty((rows + 1, rows)),
        members=np.empty(rows, np.int64),
    )


@inner
def raise_greatest(push, ops, torque, cold, work, greatest, best):
    """Solve for one torque, from the last solution unless `cold`; raise the greatest values (4,) and their torques.

    Return the residual.
    """
    force, gram = work.force, ops.gram
    if cold:
        for row in range(force.size):
            force[row], work.state[row] = 0.0, FREE
    free_slip(ops.drive, torque, work.pulled, work.offset)
    solved = solve_box(gram, work.offset, push.limits, force, work.state, work.workspace, work.members)
    x, y = object_force(ops.grip, force, work.still)
    of_object = (x * x + y * y) / push.object_mass
    of_chain = chain_norm(ops, torque, force)
    ratio = ratio_of(of_object, of_chain, free_norm(ops.mobility, torque))
    for k, value in enumerate((of_object, of_chain, force_norm(gram, force), ratio)):
        if value > greatest[k]:
            greatest[k] = value
            for joint in range(torque.size):
                best[k, joint] = torque[joint]
    return residual_of(gram, work.offset, push.limits, force) if solved else np.inf


@kernel
def survey(push, shapes, unit_mass, ball):
    """Return the largest |a_obj|^2, |qdd|^2, |lambda|^2 and ratio over the input region, for every shape.

    shapes (count, joints). Torques are the points of `ball` and the linear optima. Consecutive points should be
    neighbours: each solution starts from the previous one. Returns greatest (count, 4), their torques (count, 4,
    joints), and the largest residual.
    """
    count, joints, rows = shapes.shape[0], shapes.shape[1], push.link.size
    greatest, best = np.zeros((count, 4)), np.zeros((count, 4, joints))
    torques = np.empty((ball.shape[0] + 8, joints))
    work, slide, worst = survey_work(rows), np.zeros(2), 0.0
    for c in range(count):
        ops = operators(push, 0.0, shapes[c], slide)
        torques_in_region(ops.mobility, unit_mass, ball, torques)
        linear_optima(ops, push.limits, unit_mass, torques[ball.shape[0] :])
        for t in range(torques.shape[0]):
            residual = raise_greatest(push, ops, torques[t], t == 0, work, greatest[c], best[c])
            worst = worst if residual <= worst else residual
    return greatest, best, worst


@kernel
def region_torques(push, shapes, unit_mass, ball):
    """Return the torques (count, samples, joints) of points of the unit ball at each shape."""
    torques = np.empty((shapes.shape[0], ball.shape[0], shapes.shape[1]))
    for c in range(shapes.shape[0]):
        mobility = operators(push, 0.0, shapes[c], np.zeros(2)).mobility
        torques_in_region(mobility, unit_mass, ball, torques[c])
    return torques


@kernel
def polar_center(push, shapes):
    """Return distance [m] and angle [rad] of the centre of mass relative to the contact point and link, (count, 2)."""
    out = np.empty((shapes.shape[0], 2))
    link = push.link[0]
    for c in range(shapes.shape[0]):
        angles = link_angles(0.0, shapes[c])
        along = across = 0.0
        for k in range(angles.size):
            lever = push.levers.joint[link, k] + (push.position[0] if k == link else 0.0)
            along -= lever * np.cos(angles[k] - angles[link])
            across -= lever * np.sin(angles[k] - angles[link])
        out[c, 0], out[c, 1] = np.hypot(along, across), np.arctan2(across, along)
    return out
