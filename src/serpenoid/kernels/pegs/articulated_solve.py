"""Articulated-body sweep: accelerations of a chain from inertias and biases of its links, in O(links).

All twists and wrenches are about one point, the head's front end, in world axes, so nothing is transformed from link to
link. For each link, A x + b is the wrench that a joint must provide. x = J q'' is the part of its acceleration due to
the accelerations of the coordinates. A joint at (X, Y) moves by S = (1, Y, -X):

    U = A S, V = S A, D = S.U + resistance, w = torque - S.b      A_next += A - U V / D,  b_next += b + U w / D
    q'' = (w - V.x_next) / D,  x = x_next + S q''

A is not symmetric at a sliding contact: its friction follows the load that the sweep finds (contacts.py). The sweep
starts at both ends and meets in the middle link, so the two sides are independent. A joint before the middle rotates
its front link in the opposite direction, with -torque and -q''.
"""

from __future__ import annotations

from serpenoid.kernels.compile import inner


@inner
def inertia_of(sweep, k):
    """Return A, row by row, and b of a link."""
    return (
        sweep.a00[k], sweep.a01[k], sweep.a02[k], sweep.a10[k], sweep.a11[k], sweep.a12[k],
        sweep.a20[k], sweep.a21[k], sweep.a22[k], sweep.b0[k], sweep.b1[k], sweep.b2[k],
    )  # fmt: skip


@inner
def fold(sweep, k, body, x, y, torque, resistance, onto):
    """Return the body (A, b) beyond the joint at (x, y) of link k and everything attached to it, added to `onto`.

    Terms that do not depend on the division are computed in parallel with it.
    """
    a00, a01, a02, a10, a11, a12, a20, a21, a22, b0, b1, b2 = body
    u0, u1, u2 = a00 + (a01 * y - a02 * x), a10 + (a11 * y - a12 * x), a20 + (a21 * y - a22 * x)
    v0, v1, v2 = a00 + (a10 * y - a20 * x), a01 + (a11 * y - a21 * x), a02 + (a12 * y - a22 * x)
    along = (a00 + resistance) + (y * (a01 + a10) - x * (a02 + a20))
    along += y * y * a11 + (x * x * a22 - x * y * (a12 + a21))
    w = (torque - b0) - (y * b1 - x * b2)
    inverse = 1.0 / along
    sweep.g0[k], sweep.g1[k], sweep.g2[k], sweep.free[k] = v0 * inverse, v1 * inverse, v2 * inverse, w * inverse
    return (
        a00 + onto[0] - u0 * v0 * inverse, a01 + onto[1] - u0 * v1 * inverse, a02 + onto[2] - u0 * v2 * inverse,
        a10 + onto[3] - u1 * v0 * inverse, a11 + onto[4] - u1 * v1 * inverse, a12 + onto[5] - u1 * v2 * inverse,
        a20 + onto[6] - u2 * v0 * inverse, a21 + onto[7] - u2 * v1 * inverse, a22 + onto[8] - u2 * v2 * inverse,
        b0 + onto[9] + u0 * w * inverse, b1 + onto[10] + u1 * w * inverse, b2 + onto[11] + u2 * w * inverse,
    )  # fmt: skip


@inner
def solve(n, work, step):
    """Compute joint accelerations and twists of all n links at the step's end; return the base's (angular, x, y)."""
    links, sweep, joints = work.links, work.sweep, work.joints
    middle = n // 2
    front, back = inertia_of(sweep, 0), inertia_of(sweep, n - 1)
    for k in range(middle):
        x, y, t = links.x[k + 1], links.y[k + 1], n - 1 - k
        if t > middle:
            torque, resistance = joints.total[t - 1], joints.resistance[t - 1]
            back = fold(sweep, t, back, links.x[t], links.y[t], torque, resistance, inertia_of(sweep, t - 1))
        onto = inertia_of(sweep, k + 1) if k + 1 < middle else back
        front = fold(sweep, k, front, x, y, -joints.total[k], joints.resistance[k], onto)
    x0, x1, x2 = root(front if middle > 0 else back)
    set_next(links, middle, step, x0, x1, x2)
    return spread(n, work, step, middle, x0, x1, x2)


@inner
def spread(n, work, step, middle, x0, x1, x2):
    """Compute accelerations from the middle link to both ends; return that of the head."""
    links, sweep, joints = work.links, work.sweep, work.joints
    y0, y1, y2 = x0, x1, x2
    for k in range(middle - 1, -1, -1):
        turn = sweep.free[k] - (sweep.g0[k] * x0 + sweep.g1[k] * x1 + sweep.g2[k] * x2)
        joints.acceleration[k] = -turn
        x0, x1, x2 = x0 + turn, x1 + links.y[k + 1] * turn, x2 - links.x[k + 1] * turn
        set_next(links, k, step, x0, x1, x2)
    for k in range(middle + 1, n):
        turn = sweep.free[k] - (sweep.g0[k] * y0 + sweep.g1[k] * y1 + sweep.g2[k] * y2)
        joints.acceleration[k - 1] = turn
        y0, y1, y2 = y0 + turn, y1 + links.y[k] * turn, y2 - links.x[k] * turn
        set_next(links, k, step, y0, y1, y2)
    return x0, x1, x2


@inner
def root(body):
    """Return x = -A^-1 b of the free body, eliminating the two translations and then the angle."""
    a00, a01, a02, a10, a11, a12, a20, a21, a22, b0, b1, b2 = body
    inverse = 1.0 / (a11 * a22 - a12 * a21)
    g1, g2 = (a01 * a22 - a02 * a21) * inverse, (a02 * a11 - a01 * a12) * inverse
    x0 = (g1 * b1 + g2 * b2 - b0) / (a00 - g1 * a10 - g2 * a20)
    c1, c2 = b1 + a10 * x0, b2 + a20 * x0
    return x0, -(a22 * c1 - a12 * c2) * inverse, -(a11 * c2 - a21 * c1) * inverse


@inner
def set_next(links, k, step, x0, x1, x2):
    """Set the twist of a link at the end of the step, about the same point."""
    links.next_rate[k] = links.rate[k] + step * x0
    links.next_u[k] = links.u[k] + step * x1
    links.next_v[k] = links.v[k] + step * x2
