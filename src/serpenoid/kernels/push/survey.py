"""Pushing from rest, solved for many torques and many shapes: responses one by one, and surveys of the input region."""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.compile import kernel
from serpenoid.kernels.linear import append_row, solve
from serpenoid.kernels.push.complementarity import (
    FREE,
    gather_free,
    residual_of,
    solve_box,
)
from serpenoid.kernels.push.constraints import (
    accelerate,
    chain_norm,
    force_norm,
    free_slip,
    link_angles,
    object_force,
    operators,
    ratio_of,
)

TURNS = 200  # of the direction in which the ground holds the object
TURNED = 1e-14  # a turn that counts as none


@kernel
def pulled_by(push, ops, wrench):
    """Part of A I^-1 f that an external wrench on the object gives, (rows,)."""
    pulled = np.empty(push.link.size)
    for row in range(pulled.size):
        pulled[row] = (ops.grip[row, 0] * wrench[0] + ops.grip[row, 1] * wrench[1]) / push.object_mass
    return pulled


@kernel
def turn_slide(ops, force, wrench, slide):
    """Point `slide` along the force that the ground has to hold; how far it turned (1 - cosine, or 1 if it was unset).

    The ground's friction opposes the whole remaining force on the object, of the contact and from outside.
    """
    last = force.size - 1
    x, y = object_force(ops.grip[:last], force[:last], wrench)
    size = np.hypot(x, y)
    if not size > 0.0:
        return 0.0
    turn = abs(slide[0] * y / size - slide[1] * x / size) if slide[0] * x + slide[1] * y > 0.0 else 1.0
    slide[0], slide[1] = x / size, y / size
    return turn


@kernel
def solve_rows(push, ops, torque, wrench, force, state):
    """Constraint forces for one torque from a cold start: force and state (rows,) are filled; returns the residual."""
    rows = force.size
    offset, workspace, members = np.empty(rows), np.empty((rows + 1, rows)), np.empty(rows, np.int64)
    free_slip(ops.drive, torque, pulled_by(push, ops, wrench), offset)
    for row in range(rows):
        force[row], state[row] = 0.0, FREE
    solved = solve_box(ops.gram, offset, push.limits, force, state, workspace, members)
    return residual_of(ops.gram, offset, push.limits, force) if solved else np.inf


@kernel
def settle_ground(push, heading, shape, torque, wrench, ops, force, state):
    """Repeat the solution until the ground's friction opposes the force that it has to hold; operators and residual."""
    slide = np.zeros(2)
    residual = solve_rows(push, ops, torque, wrench, force, state)
    turned = 0.0
    for _ in range(TURNS):
        turned = turn_slide(ops, force, wrench, slide)
        if turned < TURNED:
            break
        ops = operators(push, heading, shape, slide)
        residual = solve_rows(push, ops, torque, wrench, force, state)
    return ops, max(residual, turned)


@kernel
def respond(push, heading, shape, torques, wrench):
    """Accelerations, forces, row states, norms and residual for every torque (count, joints) at one shape.

    wrench (3,): force on the object in world axes [N] and torque about its centre [N m].
    Returns acceleration (count, n + 2), object (count, 3), force (count, rows), state (count, rows),
    measures (count, 5): |a_obj|^2, |qdd|^2, |lambda|^2, ratio, residual.
    """
    count, rows = torques.shape[0], push.link.size
    acceleration, bodies = np.empty((count, shape.size + 3)), np.empty((count, 3))
    force, state = np.zeros((count, rows)), np.zeros((count, rows), np.int64)
    measures = np.empty((count, 5))
    ops = first = operators(push, heading, shape, np.zeros(2))
    for c in range(count):
        torque = torques[c]
        if push.link[rows - 1] < 0:
            ops, residual = settle_ground(push, heading, shape, torque, wrench, first, force[c], state[c])
        else:
            residual = solve_rows(push, ops, torque, wrench, force[c], state[c])
        accelerate(ops, torque, force[c], acceleration[c])
        x, y = object_force(ops.grip, force[c], wrench)
        bodies[c, 0], bodies[c, 1] = x / push.object_mass, y / push.object_mass
        bodies[c, 2] = wrench[2] / push.object_inertia
        measures[c, 0] = (x * x + y * y) / push.object_mass + wrench[2] ** 2 / push.object_inertia
        measures[c, 1] = chain_norm(ops.mobility, ops.drive, ops.chain_gram, torque, force[c])
        measures[c, 2] = force_norm(ops.gram, force[c])
        measures[c, 3] = ratio_of(measures[c, 0], measures[c, 1])
        measures[c, 4] = residual
    return acceleration, bodies, force, state, measures


@kernel
def dependent_rows(push, shape):
    """True for each row that is a combination of the rows before it, (rows,)."""
    rows = push.link.size
    ops = operators(push, 0.0, shape, np.zeros(2))
    state = np.full(rows, FREE)
    gather_free(ops.gram, state, np.empty(rows, np.int64), np.empty((rows, rows)))
    return state != FREE


@kernel
def torques_in_region(mobility, unit_mass, ball, torques):
    """Map points of the unit ball (count, joints) onto the input region (31): tau^T (m B^T Ms^-1 B) tau <= 1.

    With m B^T Ms^-1 B = L L^T, tau = L^-T s; m turns Ms into the unit-mass matrix of the paper.
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
    """Where the first `rows` rows hold: force per torque (rows, joints), and P with |qdd|^2 = tau^T P tau, (28).

    Rows that depend on earlier ones are given no force.
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
    """A solution of form x = vector; the form may be singular, as P is where wheels lock a snake on a circle."""
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
    """Fill (8, joints) torques that are best where the response is linear: with the contact alone, and with all wheels.

    There |a_obj|^2 is greatest for tau ~ S^-1 g and the ratio for tau ~ P^-1 g, with g the contact force per torque and
    S, P the forms of (31) and (28); each at the rim, and as far out as all wheels hold. No grid of torques meets them:
    the cone of high ratio is a few degrees wide.
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


@kernel
def survey(push, shapes, unit_mass, ball):
    """Greatest |a_obj|^2, |qdd|^2, |lambda|^2 and ratio over the input region, for every shape (count, joints).

    Torques are the points of `ball` (which should run through neighbours: each solution starts from the one before) and
    the linear optima. Returns greatest (count, 4), the torques (count, 4, joints) that give them, the worst residual.
    """
    count, joints, rows = shapes.shape[0], shapes.shape[1], push.link.size
    greatest, best = np.zeros((count, 4)), np.zeros((count, 4, joints))
    torques, offset = np.empty((ball.shape[0] + 8, joints)), np.empty(rows)
    workspace, members, limits = np.empty((rows + 1, rows)), np.empty(rows, np.int64), push.limits
    still, pulled, worst = np.zeros(3), np.zeros(rows), 0.0
    for c in range(count):
        ops = operators(push, 0.0, shapes[c], still[:2])
        gram, drive, mobility, chain_gram, grip = ops.gram, ops.drive, ops.mobility, ops.chain_gram, ops.grip
        torques_in_region(mobility, unit_mass, ball, torques)
        linear_optima(ops, limits, unit_mass, torques[ball.shape[0] :])
        force, state = np.zeros(rows), np.full(rows, FREE)
        for t in range(torques.shape[0]):
            free_slip(drive, torques[t], pulled, offset)
            solved = solve_box(gram, offset, limits, force, state, workspace, members)
            residual = residual_of(gram, offset, limits, force) if solved else np.inf
            worst = worst if residual <= worst else residual
            x, y = object_force(grip, force, still)
            of_object = (x * x + y * y) / push.object_mass
            of_chain = chain_norm(mobility, drive, chain_gram, torques[t], force)
            found = (of_object, of_chain, force_norm(gram, force), ratio_of(of_object, of_chain))
            for k, value in enumerate(found):
                if value > greatest[c, k]:
                    greatest[c, k] = value
                    for joint in range(joints):
                        best[c, k, joint] = torques[t, joint]
    return greatest, best, worst


@kernel
def region_torques(push, shapes, unit_mass, ball):
    """The torques (count, samples, joints) that points of the unit ball stand for at each shape."""
    torques = np.empty((shapes.shape[0], ball.shape[0], shapes.shape[1]))
    for c in range(shapes.shape[0]):
        mobility = operators(push, 0.0, shapes[c], np.zeros(2)).mobility
        torques_in_region(mobility, unit_mass, ball, torques[c])
    return torques


@kernel
def polar_center(push, shapes):
    """Distance [m] and angle [rad] of the centre of mass, seen from the contact point and link, (count, 2)."""
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
