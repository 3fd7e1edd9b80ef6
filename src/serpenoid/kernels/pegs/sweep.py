"""The articulated sweep: accelerations of a chain from inertias and biases of its links, in O(links).

All twists and wrenches are about one point, the head's front end, in world axes, so that nothing is transformed from
link to link. For each link A x + b is the wrench that its front joint must give, x = J q'' the part of its acceleration
that follows from the accelerations of the coordinates. A joint at (X, Y) moves by S = (1, Y, -X):

    U = A S, D = S.U + h resistance, w = torque - S.b       A_front += A - U U^T / D,  b_front += b + U w / D
    q'' = (w - U.x_front) / D,  x = x_front + S q''
"""

from __future__ import annotations

from serpenoid.kernels.compile import inner


@inner
def start_sweep(scene, work):
    """Rigid inertias about the head's front end, and the wrenches that are the same in all sweeps."""
    links, sweep, mass = work.links, work.sweep, scene.chain.mass
    for k in range(mass.size):
        x, y, m = links.center_x[k], links.center_y[k], mass[k]
        sweep.a00[k] = scene.chain.inertia[k] + m * (x * x + y * y)
        sweep.a01[k], sweep.a02[k], sweep.a12[k] = -m * y, m * x, 0.0
        sweep.a11[k], sweep.a22[k] = m, m
        sweep.b0[k], sweep.b1[k], sweep.b2[k] = -links.push0[k], -links.push1[k], -links.push2[k]


@inner
def solve(work, step):
    """Joint accelerations, and twists of all links at the end of the step; returns the base's (angular, x, y)."""
    links, sweep, joints = work.links, work.sweep, work.joints
    n = links.cosine.size
    a00, a01, a02 = sweep.a00[n - 1], sweep.a01[n - 1], sweep.a02[n - 1]
    a11, a12, a22 = sweep.a11[n - 1], sweep.a12[n - 1], sweep.a22[n - 1]
    b0, b1, b2 = sweep.b0[n - 1], sweep.b1[n - 1], sweep.b2[n - 1]
    for k in range(n - 1, 0, -1):
        x, y = links.x[k], links.y[k]
        u0, u1, u2 = a00 + a01 * y - a02 * x, a01 + a11 * y - a12 * x, a02 + a12 * y - a22 * x
        inverse = 1.0 / (u0 + y * u1 - x * u2 + step * joints.resistance[k - 1])
        free = (joints.total[k - 1] - (b0 + y * b1 - x * b2)) * inverse
        g0, g1, g2 = u0 * inverse, u1 * inverse, u2 * inverse
        sweep.g0[k], sweep.g1[k], sweep.g2[k], sweep.free[k] = g0, g1, g2, free
        a00 += sweep.a00[k - 1] - u0 * g0
        a01 += sweep.a01[k - 1] - u0 * g1
        a02 += sweep.a02[k - 1] - u0 * g2
        a11 += sweep.a11[k - 1] - u1 * g1
        a12 += sweep.a12[k - 1] - u1 * g2
        a22 += sweep.a22[k - 1] - u2 * g2
        b0 += sweep.b0[k - 1] + u0 * free
        b1 += sweep.b1[k - 1] + u1 * free
        b2 += sweep.b2[k - 1] + u2 * free
    base = root(a00, a01, a02, a11, a12, a22, b0, b1, b2)
    x0, x1, x2 = base
    set_next(links, 0, step, x0, x1, x2)
    for k in range(1, n):
        turn = sweep.free[k] - (sweep.g0[k] * x0 + sweep.g1[k] * x1 + sweep.g2[k] * x2)
        joints.acceleration[k - 1] = turn
        x0, x1, x2 = x0 + turn, x1 + links.y[k] * turn, x2 - links.x[k] * turn
        set_next(links, k, step, x0, x1, x2)
    return base


@inner
def root(a00, a01, a02, a11, a12, a22, b0, b1, b2):
    """x = -A^-1 b of the free base, by elimination of the two places and then the angle."""
    inverse = 1.0 / (a11 * a22 - a12 * a12)
    g1, g2 = (a22 * a01 - a12 * a02) * inverse, (a11 * a02 - a12 * a01) * inverse
    x0 = (g1 * b1 + g2 * b2 - b0) / (a00 - g1 * a01 - g2 * a02)
    c1, c2 = b1 + a01 * x0, b2 + a02 * x0
    return x0, -(a22 * c1 - a12 * c2) * inverse, -(a11 * c2 - a12 * c1) * inverse


@inner
def set_next(links, k, step, x0, x1, x2):
    """The twist of a link at the end of the step, about the same point."""
    links.next_rate[k] = links.rate[k] + step * x0
    links.next_u[k] = links.u[k] + step * x1
    links.next_v[k] = links.v[k] + step * x2
