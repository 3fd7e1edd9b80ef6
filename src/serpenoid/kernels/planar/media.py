"""Reaction-force laws of the ground and of fluids: force, velocity Jacobian, and the Jacobian's own derivative.

Velocities and forces are in a link's axes (l longitudinal, t transverse). Each law is a branch-free scalar function of
(coefficients, velocities), the same for single runs and for slots; `reaction` sums one over the stations of a link.
Jacobians are symmetric, since every law is the gradient of a dissipation potential: (ll, lt, tt).
"""

from __future__ import annotations

from math import sqrt

from serpenoid.kernels.compile import inner
from serpenoid.kernels.records import BOX, DRY, FLUID, VISCOUS
from serpenoid.kernels.simd import where_positive


@inner
def box_force(cl, ct, smoothing, vl, vt):
    """(7) smoothed: f = -c^2 v / sqrt(c^2 v^2 + s^2) on each axis, c = mu m g [N], s = m g eps [N m/s]."""
    x, y = cl * vl, ct * vt
    return -cl * x / sqrt(x * x + smoothing * smoothing), -ct * y / sqrt(y * y + smoothing * smoothing)


@inner
def dry_force(cl, ct, smoothing, vl, vt):
    """(8): f = -(c_l^2 v_l, c_t^2 v_t) / sqrt(c_l^2 v_l^2 + c_t^2 v_t^2 + s^2), the force of maximum dissipation."""
    x, y = cl * vl, ct * vt
    scale = -1.0 / sqrt(x * x + y * y + smoothing * smoothing)
    return scale * cl * x, scale * ct * y


@inner
def viscous_force(cl, ct, vl, vt):
    """(9): f = -c v, c [N s/m]."""
    return -cl * vl, -ct * vt


@inner
def fluid_force(cl, ct, vl, vt):
    """(10), rows in their right order: f = -c |v| v, c [N s^2/m^2]."""
    return -cl * abs(vl) * vl, -ct * abs(vt) * vt


@inner
def force(kind, cl, ct, smoothing, vl, vt):
    """(f_l, f_t) [N] of the law of the given kind."""
    if kind == DRY:
        return dry_force(cl, ct, smoothing, vl, vt)
    if kind == BOX:
        return box_force(cl, ct, smoothing, vl, vt)
    if kind == VISCOUS:
        return viscous_force(cl, ct, vl, vt)
    if kind == FLUID:
        return fluid_force(cl, ct, vl, vt)
    return 0.0, 0.0


@inner
def force_jacobian(kind, cl, ct, smoothing, vl, vt):
    """d f / d v as (ll, lt, tt) [N s/m]."""
    if kind == DRY:
        x, y = cl * vl, ct * vt
        root = 1.0 / sqrt(x * x + y * y + smoothing * smoothing)
        x, y = x * root, y * root
        return -cl * cl * root * (1.0 - x * x), cl * ct * root * x * y, -ct * ct * root * (1.0 - y * y)
    if kind == BOX:
        return box_slope(cl, smoothing, vl), 0.0, box_slope(ct, smoothing, vt)
    if kind == VISCOUS:
        return -cl, 0.0, -ct
    if kind == FLUID:
        return -2.0 * cl * abs(vl), 0.0, -2.0 * ct * abs(vt)
    return 0.0, 0.0, 0.0


@inner
def box_slope(c, smoothing, v):
    """d f / d v = -c^2 s^2 / (c^2 v^2 + s^2)^(3/2) of one axis of the smoothed box law."""
    square = c * c * v * v + smoothing * smoothing
    return -c * c * smoothing * smoothing / (square * sqrt(square))


@inner
def force_hessian(kind, cl, ct, smoothing, vl, vt, dl, dt):
    """Derivative of the Jacobian (ll, lt, tt) along a change of velocity (dl, dt) [m/s]."""
    if kind == DRY:
        x, y = cl * vl, ct * vt
        root = 1.0 / sqrt(x * x + y * y + smoothing * smoothing)
        x, y, dl, dt = x * root, y * root, cl * dl * root, ct * dt * root
        along = x * dl + y * dt
        ll = along + 2.0 * x * dl - 3.0 * along * x * x
        tt = along + 2.0 * y * dt - 3.0 * along * y * y
        lt = x * dt + y * dl - 3.0 * along * x * y
        return cl * cl * root * ll, cl * ct * root * lt, ct * ct * root * tt
    if kind == BOX:
        return box_curvature(cl, smoothing, vl) * dl, 0.0, box_curvature(ct, smoothing, vt) * dt
    if kind == FLUID:
        return -2.0 * cl * sign(vl) * dl, 0.0, -2.0 * ct * sign(vt) * dt
    return 0.0, 0.0, 0.0


@inner
def box_curvature(c, smoothing, v):
    """d^2 f / d v^2 = 3 c^4 s^2 v / (c^2 v^2 + s^2)^(5/2) of one axis of the smoothed box law."""
    square = c * c * v * v + smoothing * smoothing
    return 3.0 * c**4 * smoothing * smoothing * v / (square * square * sqrt(square))


@inner
def sign(value):
    """-1, 0 or 1."""
    return where_positive(value, 1.0, 0.0) - where_positive(-value, 1.0, 0.0)


@inner
def reaction(medium, link, length, vl, vt, turn):
    """(f_l, f_t, moment) on a link: its law at every station x = point * length from the middle, where v_t + x turn.

    vl, vt [m/s] of the link's middle, turn [rad/s]; the moment [N m] is about the middle.
    """
    fl, ft, moment = 0.0, 0.0, 0.0
    for g in range(medium.points.size):
        lever = medium.points[g] * length
        along, across = force(
            medium.kind,
            medium.longitudinal[link],
            medium.transverse[link],
            medium.smoothing[link],
            vl,
            vt + lever * turn,
        )
        fl += medium.weights[g] * along
        ft += medium.weights[g] * across
        moment += medium.weights[g] * lever * across
    return fl, ft, moment


@inner
def reaction_jacobian(medium, link, length, velocity, change):
    """Derivative of `reaction` by (v_l, v_t, turn) plus its own derivative along a change of them.

    Returns the symmetric matrix as (ll, lt, tt, lw, tw, ww); velocity and change are tuples (v_l, v_t, turn). Without
    a change (None) it is the plain Jacobian.
    """
    ll, lt, tt, lw, tw, ww = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    cl, ct, smoothing = medium.longitudinal[link], medium.transverse[link], medium.smoothing[link]
    for g in range(medium.points.size):
        lever = medium.points[g] * length
        vt = velocity[1] + lever * velocity[2]
        a, b, c = force_jacobian(medium.kind, cl, ct, smoothing, velocity[0], vt)
        if change is not None:
            dt = change[1] + lever * change[2]
            da, db, dc = force_hessian(medium.kind, cl, ct, smoothing, velocity[0], vt, change[0], dt)
            a, b, c = a + da, b + db, c + dc
        a, b, c = medium.weights[g] * a, medium.weights[g] * b, medium.weights[g] * c
        ll, lt, tt = ll + a, lt + b, tt + c
        lw, tw, ww = lw + lever * b, tw + lever * c, ww + lever * lever * c
    return ll, lt, tt, lw, tw, ww
