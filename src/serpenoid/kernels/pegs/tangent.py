"""Derivatives of a step among pegs: the converged implicit equation, linearised and solved by an articulated sweep.

A step finds the accelerations a with G(q, v_0, a) = 0: inertia minus all forces, at the velocities v_1 = v_0 + h a.
The derivative along any direction d of (q, v_0, targets) therefore solves

    dG/da da = -dG/dd        dq_next = dq + h dv_1,   dv_1 = dv_0 + h da

A recursion from head to tail over the links' points gives dG/dd at fixed a. dG/da is the matrix of the sweep in
articulated_solve.py, with the tangents of friction instead of its secants. The active set is that of the step:
contacts that push, stops that are reached, and the piece of each drive's law. Both cost O(links) for each direction;
four directions are processed in parallel.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner
from serpenoid.kernels.pegs.joints import CREEP, STOP_STIFFNESS
from serpenoid.kernels.pegs.tangent_forces import (
    AT_X,
    AT_Y,
    BY_CLOSING,
    BY_DEPTH,
    BY_LOAD,
    BY_OPENING,
    BY_SLIP,
    BY_SLIP_AFTER,
    CONTACT_SIZE,
    DRAG,
    NEARNESS,
    NX,
    NY,
    OPEN,
    OPEN_AFTER,
    PLACE,
    PUSH,
    RADIUS,
    ROLL,
    SIDE,
    SIDE_AFTER,
    SLIDE,
    set_contact_tangents,
    set_floor_tangents,
)  # fmt: skip
from serpenoid.kernels.simd import WIDTH, load, store


class StepTangent(NamedTuple):
    """Numbers of a linearised step; e and n are the directions along and across a link."""

    turning: NDArray  # (n,) angular acceleration of each link [rad/s^2]
    front: NDArray  # (n, 4) velocity of the front end along e and n, at the step's start and at its end [m/s]
    push: NDArray  # (n, 2) mass x (acceleration - gravity), world axes [N]
    drag: NDArray  # (n, 2) friction of the floor against the link along e and n [N]
    slope: NDArray  # (n, 3, 6) of force along e, n and moment about the front end by velocities and rates of both ends
    wrench: NDArray  # (n, 2) inertia minus external forces on a link and all behind it, world axes [N]
    contact: NDArray  # (contacts, CONTACT_SIZE) see tangent_forces.py
    inertia: NDArray  # (n, 9) dG/da of each link, then of everything behind the joint too
    hinge: NDArray  # (n, 7) U, V and 1 / D of the joint in front of a link, as in articulated_solve.py
    root: NDArray  # (9,) inverse of the inertia of the whole chain
    gain: NDArray  # (n, 3) torque of the joint in front of a link by its angle, rate and target
    right: NDArray  # (3 n, 4) wrenches of four directions
    free: NDArray  # (n, 4) accelerations of the joints if the links before them were at rest


def step_tangent(links: int, contacts: int) -> StepTangent:
    """Allocate the arrays for a chain and a largest number of contacts."""
    shapes = ((), (4,), (2,), (2,), (3, 6), (2,))
    return StepTangent(
        *(np.zeros((links, *shape)) for shape in shapes), np.zeros((contacts, CONTACT_SIZE)), np.zeros((links, 9)),
        np.zeros((links, 7)), np.zeros(9), np.zeros((links, 3)), np.zeros((3 * links, WIDTH)),
        np.zeros((links, WIDTH)),
    )  # fmt: skip


@inner
def set_tangent(scene, work, step, state, base, out):
    """Compute all numbers of a step that `accelerate` has solved with the base's acceleration (angular, x, y)."""
    set_motion(scene, work, base, out)
    set_rigid_inertia(work, out)
    set_floor_tangents(scene, work, step, out)
    set_contact_tangents(scene, work, step, state, out)
    set_gains(scene, work, state, out)
    sum_wrenches(work, out)
    factorise_chain(work, out)


@inner
def set_motion(scene, work, base, out):
    """Compute velocities of the front ends and the inertial force of each link."""
    links, chain = work.links, scene.chain
    turning, ax, ay = base[0], base[1], base[2]
    for k in range(chain.mass.size):
        turning += work.joints.acceleration[k - 1] if k > 0 else 0.0
        c, s, x, y, rate = links.cosine[k], links.sine[k], links.x[k], links.y[k], links.rate[k]
        u, v = links.u[k] - rate * y, links.v[k] + rate * x
        u1, v1 = links.next_u[k] - links.next_rate[k] * y, links.next_v[k] + links.next_rate[k] * x
        out.front[k, 0], out.front[k, 1] = u * c + v * s, v * c - u * s
        out.front[k, 2], out.front[k, 3] = u1 * c + v1 * s, v1 * c - u1 * s
        out.turning[k] = turning
        along, across, square = chain.length[k], chain.center[k], rate * rate
        gx, gy = -turning * s - square * c, turning * c - square * s
        out.push[k, 0] = chain.mass[k] * (ax + across * gx - scene.weight_x)
        out.push[k, 1] = chain.mass[k] * (ay + across * gy - scene.weight_y)
        ax += along * gx
        ay += along * gy


@inner
def set_rigid_inertia(work, out):
    """Write the rigid inertia of each link about the head's front end, row by row, and its inertial force."""
    links = work.links
    for k in range(out.turning.size):
        m, x, y = links.mass[k], links.center_x[k], links.center_y[k]
        for i in range(9):
            out.inertia[k, i] = 0.0
        out.inertia[k, 0] = links.inertia[k] + m * (x * x + y * y)
        out.inertia[k, 1], out.inertia[k, 3] = -m * y, -m * y
        out.inertia[k, 2], out.inertia[k, 6] = m * x, m * x
        out.inertia[k, 4], out.inertia[k, 8] = m, m
        out.wrench[k, 0], out.wrench[k, 1] = out.push[k, 0], out.push[k, 1]


@inner
def set_gains(scene, work, state, out):
    """Compute the slopes of each joint's torque by its angle, its rate at the start of the step, and its target."""
    joints, half = work.joints, scene.chain.mass.size + 2
    for j in range(half - 3):
        rate, slope, change = state[half + 3 + j], joints.slope[j], work.links.next_rate[j + 1] - work.links.rate[j + 1]
        change -= work.links.next_rate[j] - work.links.rate[j]
        angle, turn, target = 0.0, -slope, 0.0  # a drive whose torque fades with its rate
        if slope == 0.0 or slope == joints.give[j]:
            free = slope == joints.give[j]  # else at the torque limit
            angle, turn = (-joints.stiffness[j], -joints.damping[j]) if free else (0.0, 0.0)
            # Without stiffness, the target of a plan is a torque (peg_dynamics.py).
            target = (joints.stiffness[j] if joints.stiffness[j] > 0.0 else 1.0) if free else 0.0
        if joints.stop_slope[j] > 0.0:
            angle -= STOP_STIFFNESS
            turn -= joints.stop_slope[j]
        dry = scene.stops.friction[j]
        turn -= joints.friction[j]
        if dry > 0.0:
            turn += dry * rate * (rate + change) / (rate * rate + CREEP * CREEP) ** 1.5
        out.gain[j + 1, 0], out.gain[j + 1, 1], out.gain[j + 1, 2] = angle, turn, target


@inner
def sum_wrenches(work, out):
    """Add the forces on each link to those on the link before it."""
    for k in range(out.turning.size - 1, 0, -1):
        out.wrench[k - 1, 0] += out.wrench[k, 0]
        out.wrench[k - 1, 1] += out.wrench[k, 1]


@inner
def factorise_chain(work, out):
    """Eliminate the joints from tail to head and invert the inertia of the whole chain."""
    A, links = out.inertia, work.links
    for k in range(out.turning.size - 1, 0, -1):
        x, y = links.x[k], links.y[k]
        u0, u1, u2 = A[k, 0] + A[k, 1] * y - A[k, 2] * x, A[k, 3] + A[k, 4] * y - A[k, 5] * x, 0.0
        u2 = A[k, 6] + A[k, 7] * y - A[k, 8] * x
        v0, v1, v2 = A[k, 0] + A[k, 3] * y - A[k, 6] * x, A[k, 1] + A[k, 4] * y - A[k, 7] * x, 0.0
        v2 = A[k, 2] + A[k, 5] * y - A[k, 8] * x
        inverse = 1.0 / (u0 + u1 * y - u2 * x + work.joints.resistance[k - 1])
        h = out.hinge[k]
        h[0], h[1], h[2], h[3], h[4], h[5], h[6] = u0, u1, u2, v0, v1, v2, inverse
        for i in range(3):
            for j in range(3):
                A[k - 1, 3 * i + j] += A[k, 3 * i + j] - h[i] * h[3 + j] * inverse
    invert_three(A[0], out.root)


@inner
def invert_three(a, out):
    """Write the inverse of a 3 x 3 matrix, row by row."""
    c0, c1, c2 = a[4] * a[8] - a[5] * a[7], a[5] * a[6] - a[3] * a[8], a[3] * a[7] - a[4] * a[6]
    inverse = 1.0 / (a[0] * c0 + a[1] * c1 + a[2] * c2)
    out[0], out[3], out[6] = c0 * inverse, c1 * inverse, c2 * inverse
    out[1], out[4] = (a[2] * a[7] - a[1] * a[8]) * inverse, (a[0] * a[8] - a[2] * a[6]) * inverse
    out[7] = (a[1] * a[6] - a[0] * a[7]) * inverse
    out[2], out[5] = (a[1] * a[5] - a[2] * a[4]) * inverse, (a[2] * a[3] - a[0] * a[5]) * inverse
    out[8] = (a[0] * a[4] - a[1] * a[3]) * inverse


@inner
def propagate(scene, work, step, tangent, targets, motion):
    """Advance directions through the linearised step, in place.

    motion (2 (n + 2), columns) has the positions of the head's front end, its heading and the joints, then their rates.
    targets (n, columns) are those of the joints in front of each link.
    """
    half = scene.chain.mass.size + 2
    for column in range(0, motion.shape[1], WIDTH):
        set_right(scene, work, tangent, motion, column)
        solve_right(work, step, tangent, targets, motion, column)
        for i in range(half):
            store(motion, i, column, load(motion, i, column) + step * load(motion, half + i, column))


@inner
def set_right(scene, work, tangent, motion, column):
    """Compute dG along four directions at fixed accelerations, and keep the displacement of each joint in `free`."""
    links, chain, right = work.links, scene.chain, tangent.right
    half, n, at = chain.mass.size + 2, chain.mass.size, 0
    headx, heady, u, v = (
        load(motion, 0, column), load(motion, 1, column), load(motion, half, column), load(motion, half + 1, column),
    )  # fmt: skip
    turn, spin, px, py = 0.0 * u, 0.0 * u, 0.0 * u, 0.0 * u
    u1, v1, ax, ay = u, v, 0.0 * u, 0.0 * u
    count = work.contacts.count[n]
    for k in range(n):
        turn += load(motion, 2 + k, column)
        spin += load(motion, half + 2 + k, column)
        c, s, rate, rate1 = links.cosine[k], links.sine[k], links.rate[k], links.next_rate[k]
        # acceleration of a point per distance from the front end
        gx = -(tangent.turning[k] * c - rate * rate * s) * turn - 2.0 * rate * c * spin
        gy = -(tangent.turning[k] * s + rate * rate * c) * turn - 2.0 * rate * s * spin
        m, center = chain.mass[k], chain.center[k]
        fx, fy = m * (ax + center * gx), m * (ay + center * gy)
        cx, cy = px - center * s * turn, py + center * c * turn
        moment = cx * tangent.push[k, 1] - cy * tangent.push[k, 0]
        moment += links.center_x[k] * fy - links.center_y[k] * fx
        body = (headx, heady, px, py, u, v, u1, v1, turn, spin)
        lever, dragx, dragy = drag_change(tangent, links, k, body)
        moment, fx, fy = moment + lever, fx + dragx, fy + dragy
        while at < count and work.contacts.link[at] == k:
            lost, lostx, losty = contact_change(tangent.contact[at], links, k, body)
            moment, fx, fy = moment - lost, fx - lostx, fy - losty
            at += 1
        store(right, 3 * k, 0, moment)
        store(right, 3 * k + 1, 0, fx)
        store(right, 3 * k + 2, 0, fy)
        # The joint's axis moves: the moment about it of everything behind it changes.
        store(tangent.free, k, 0, py * tangent.wrench[k, 0] - px * tangent.wrench[k, 1])
        length = chain.length[k]
        px, py = px - length * s * turn, py + length * c * turn
        u, v = u - length * (s * spin + rate * c * turn), v + length * (c * spin - rate * s * turn)
        u1, v1 = u1 - length * (s * spin + rate1 * c * turn), v1 + length * (c * spin - rate1 * s * turn)
        ax, ay = ax + length * gx, ay + length * gy


@inner
def drag_change(tangent, links, k, body):
    """Return the change of the floor's drag wrench (moment, x, y) against link k along four directions."""
    _, _, px, py, u, v, u1, v1, turn, spin = body
    c, s, t, front = links.cosine[k], links.sine[k], tangent.slope[k], tangent.front[k]
    e0, n0 = u * c + v * s + front[1] * turn, v * c - u * s - front[0] * turn
    e1, n1 = u1 * c + v1 * s + front[3] * turn, v1 * c - u1 * s - front[2] * turn
    fe = t[0, 0] * e0 + t[0, 1] * n0 + t[0, 3] * e1 + t[0, 4] * n1 + (t[0, 2] + t[0, 5]) * spin
    fn = t[1, 0] * e0 + t[1, 1] * n0 + t[1, 3] * e1 + t[1, 4] * n1 + (t[1, 2] + t[1, 5]) * spin
    moment = t[2, 0] * e0 + t[2, 1] * n0 + t[2, 3] * e1 + t[2, 4] * n1 + (t[2, 2] + t[2, 5]) * spin
    de, dn = tangent.drag[k, 0], tangent.drag[k, 1]
    fe, fn = fe - dn * turn, fn + de * turn
    fx, fy = c * fe - s * fn, s * fe + c * fn
    wholex, wholey = c * de - s * dn, s * de + c * dn
    moment += links.x[k] * fy - links.y[k] * fx + px * wholey - py * wholex
    return moment, fx, fy


@inner
def contact_change(contact, links, k, body):
    """Return the change of a contact's wrench (moment, x, y) on link k along four directions; see tangent_forces.py."""
    headx, heady, px, py, u, v, u1, v1, turn, spin = body
    c, s, nx, ny, place = links.cosine[k], links.sine[k], contact[NX], contact[NY], contact[PLACE]
    rate, rate1 = links.rate[k], links.next_rate[k]
    ax, ay = px - place * s * turn, py + place * c * turn  # the axis point, as a point of the link
    dx, dy = headx + ax, heady + ay
    slide = contact[SLIDE] * (dx * c + dy * s) + contact[ROLL] * turn
    dx, dy, ax, ay = dx + c * slide, dy + s * slide, ax + c * slide, ay + s * slide
    tilt = contact[NEARNESS] * (nx * dy - ny * dx)
    depth = -(nx * dx + ny * dy)
    bx, by = u - place * (s * spin + rate * c * turn), v + place * (c * spin - rate * s * turn)
    bx, by = bx - rate * s * slide, by + rate * c * slide
    cx, cy = u1 - place * (s * spin + rate1 * c * turn), v1 + place * (c * spin - rate1 * s * turn)
    cx, cy = cx - rate1 * s * slide, cy + rate1 * c * slide
    opening = nx * bx + ny * by + contact[SIDE] * tilt
    after = nx * cx + ny * cy + contact[SIDE_AFTER] * tilt
    slip = nx * by - ny * bx - contact[OPEN] * tilt - contact[RADIUS] * spin
    slip1 = nx * cy - ny * cx - contact[OPEN_AFTER] * tilt - contact[RADIUS] * spin
    load_change = contact[BY_DEPTH] * depth + contact[BY_OPENING] * opening + contact[BY_CLOSING] * after
    drag = contact[BY_LOAD] * load_change + contact[BY_SLIP] * slip + contact[BY_SLIP_AFTER] * slip1
    # force N n - drag t, with t = (-ny, nx)
    along, across = load_change + contact[DRAG] * tilt, -drag + contact[PUSH] * tilt
    fx, fy = nx * along - ny * across, ny * along + nx * across
    wx, wy = ax + contact[RADIUS] * ny * tilt, ay - contact[RADIUS] * nx * tilt
    wholex, wholey = nx * contact[PUSH] + ny * contact[DRAG], ny * contact[PUSH] - nx * contact[DRAG]
    return contact[AT_X] * fy - contact[AT_Y] * fx + wx * wholey - wy * wholex, fx, fy


@inner
def solve_right(work, step, tangent, targets, motion, column):
    """Solve for the accelerations along four directions and add them to the velocities in `motion`."""
    links, right, hinge, n = work.links, tangent.right, tangent.hinge, tangent.turning.size
    half = n + 2
    for k in range(n - 1, 0, -1):
        x, y, h = links.x[k], links.y[k], hinge[k]
        b0, b1, b2 = load(right, 3 * k, 0), load(right, 3 * k + 1, 0), load(right, 3 * k + 2, 0)
        torque = tangent.gain[k, 0] * load(motion, 2 + k, column) - load(tangent.free, k, 0)
        torque += tangent.gain[k, 1] * load(motion, half + 2 + k, column)
        torque += tangent.gain[k, 2] * load(targets, k, column)
        w = h[6] * (torque - b0 - y * b1 + x * b2)
        store(tangent.free, k, 0, w)
        store(right, 3 * k - 3, 0, load(right, 3 * k - 3, 0) + b0 + h[0] * w)
        store(right, 3 * k - 2, 0, load(right, 3 * k - 2, 0) + b1 + h[1] * w)
        store(right, 3 * k - 1, 0, load(right, 3 * k - 1, 0) + b2 + h[2] * w)
    b0, b1, b2, r = load(right, 0, 0), load(right, 1, 0), load(right, 2, 0), tangent.root
    x0 = -(r[0] * b0 + r[1] * b1 + r[2] * b2)
    x1 = -(r[3] * b0 + r[4] * b1 + r[5] * b2)
    x2 = -(r[6] * b0 + r[7] * b1 + r[8] * b2)
    store(motion, half, column, load(motion, half, column) + step * x1)
    store(motion, half + 1, column, load(motion, half + 1, column) + step * x2)
    store(motion, half + 2, column, load(motion, half + 2, column) + step * x0)
    for k in range(1, n):
        h = hinge[k]
        turn = load(tangent.free, k, 0) - h[6] * (h[3] * x0 + h[4] * x1 + h[5] * x2)
        store(motion, half + 2 + k, column, load(motion, half + 2 + k, column) + step * turn)
        x0, x1, x2 = x0 + turn, x1 + links.y[k] * turn, x2 - links.x[k] * turn
