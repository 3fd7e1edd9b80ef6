"""Reaction-force laws of ground and fluids: force, velocity Jacobian, and the Jacobian's derivative.

Velocities and forces are in a link's axes (l longitudinal, t transverse). Each law is a branch-free function of
(coefficients, velocities), for one state or vectors of states. `reaction` sums it over the stations of a link.
Jacobians (ll, lt, tt) are symmetric, since every law is the gradient of a dissipation potential.

Register a law by its kind in LAWS and a branch in each of `force`, `force_jacobian` and `force_hessian`. Importing this
module evaluates all three for every kind and compares the derivatives with finite differences. A law with a missing
part is therefore an error at import. Coefficients of a new law become fields of Medium, read in its branches.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import nan, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner
from serpenoid.kernels.simd import where_positive

# Kinds of media; the kind determines the meaning of `longitudinal` and `transverse` in Medium.
NO_MEDIUM, BOX, DRY, VISCOUS, FLUID, INERTIA_BOX = range(6)


class Law(NamedTuple):
    """Properties of a kind of medium besides its formulas."""

    name: str
    longest_substep: float  # of a plan: 30 steps keep 95 % of their predicted progress [s]
    extrapolated: bool = False  # whether a plan extrapolates three substeps with one of their total length


LAWS = {
    NO_MEDIUM: Law("none", 0.005),
    BOX: Law("box", 0.005),
    DRY: Law("dry", 0.005),
    VISCOUS: Law("viscous", 0.0034),
    FLUID: Law("fluid", 0.0034, extrapolated=True),
    INERTIA_BOX: Law("inertia_box", 0.0034),
}


class Medium(NamedTuple):
    """Reaction of the ground or fluid on each link, in the link's own axes (longitudinal, transverse)."""

    kind: int
    points: NDArray  # (gauss,) stations along the link, -1/2..1/2 of its length from its middle
    weights: NDArray  # (gauss,) sum to one
    longitudinal: NDArray  # (n,) mu_l m g [N] (box, dry), c_l [N s/m] (viscous), drag [N s^2/m^2] (fluids)
    transverse: NDArray  # (n,) likewise
    smoothing: NDArray  # (n,) box, dry: m g eps [N m/s]
    added_mass: NDArray  # (n,) transverse, fluid only [kg]
    turning_mass: NDArray  # (n,) the same in its velocity terms; zeros omit them [kg]
    linear: NDArray  # (n,) inertia_box: drag in every direction [N s/m]
    turning_linear: NDArray  # (n,) inertia_box: drag against rotation [N m s]
    turning_quadratic: NDArray  # (n,) inertia_box: likewise [N m s^2]


COEFFICIENTS = Medium._fields[3:]  # one number per link


def make_medium(kind: int, links: int, stations: int = 1, **coefficients: NDArray) -> Medium:
    """Return a medium with Gauss points on every link; coefficients that are not given are zero."""
    for name in coefficients:
        if name not in COEFFICIENTS:
            raise TypeError(f"a medium has no coefficient {name}")
    points, weights = np.polynomial.legendre.leggauss(stations)
    given = (coefficients.get(name, np.zeros(links)) for name in COEFFICIENTS)
    return Medium(kind, 0.5 * points, 0.5 * weights, *given)


@inner
def acts(medium):
    """Return whether there is a medium."""
    return medium.kind != NO_MEDIUM


@inner
def has_added_mass(medium):
    """Return whether added mass couples the equations of the angles with those of the translation."""
    return medium.kind == FLUID


@inner
def box_force(cl, ct, smoothing, vl, vt):
    """Return the smoothed force (7) on each axis.

    f = -c^2 v / sqrt(c^2 v^2 + s^2),    c = mu m g [N], s = m g eps [N m/s]
    """
    x, y = cl * vl, ct * vt
    return -cl * x / sqrt(x * x + smoothing * smoothing), -ct * y / sqrt(y * y + smoothing * smoothing)


@inner
def dry_force(cl, ct, smoothing, vl, vt):
    """Return the force of maximum dissipation, (8).

    f = -(c_l^2 v_l, c_t^2 v_t) / sqrt(c_l^2 v_l^2 + c_t^2 v_t^2 + s^2)
    """
    x, y = cl * vl, ct * vt
    scale = -1.0 / sqrt(x * x + y * y + smoothing * smoothing)
    return scale * cl * x, scale * ct * y


@inner
def force(medium, link, vl, vt):
    """Return (f_l, f_t) [N] of the medium's law at a point of a link: (7) to (10), in a fluid -c |v| v per axis.

    inertia_box: -(linear + c |v|) v per axis.
    """
    cl, ct, smoothing = medium.longitudinal[link], medium.transverse[link], medium.smoothing[link]
    if medium.kind == DRY:
        return dry_force(cl, ct, smoothing, vl, vt)
    if medium.kind == BOX:
        return box_force(cl, ct, smoothing, vl, vt)
    if medium.kind == VISCOUS:
        return -cl * vl, -ct * vt
    if medium.kind == FLUID:
        return -cl * abs(vl) * vl, -ct * abs(vt) * vt
    if medium.kind == INERTIA_BOX:
        linear = medium.linear[link]
        return -(linear + cl * abs(vl)) * vl, -(linear + ct * abs(vt)) * vt
    if medium.kind == NO_MEDIUM:
        return 0.0, 0.0
    return nan, nan


@inner
def force_jacobian(medium, link, vl, vt):
    """Return d f / d v as (ll, lt, tt) [N s/m]."""
    cl, ct, smoothing = medium.longitudinal[link], medium.transverse[link], medium.smoothing[link]
    if medium.kind == DRY:
        x, y = cl * vl, ct * vt
        root = 1.0 / sqrt(x * x + y * y + smoothing * smoothing)
        x, y = x * root, y * root
        return -cl * cl * root * (1.0 - x * x), cl * ct * root * x * y, -ct * ct * root * (1.0 - y * y)
    if medium.kind == BOX:
        return box_slope(cl, smoothing, vl), 0.0, box_slope(ct, smoothing, vt)
    if medium.kind == VISCOUS:
        return -cl, 0.0, -ct
    if medium.kind == FLUID:
        return -2.0 * cl * abs(vl), 0.0, -2.0 * ct * abs(vt)
    if medium.kind == INERTIA_BOX:
        linear = medium.linear[link]
        return -linear - 2.0 * cl * abs(vl), 0.0, -linear - 2.0 * ct * abs(vt)
    if medium.kind == NO_MEDIUM:
        return 0.0, 0.0, 0.0
    return nan, nan, nan


@inner
def box_slope(c, smoothing, v):
    """Return d f / d v = -c^2 s^2 / (c^2 v^2 + s^2)^(3/2) of one axis of the smoothed box law."""
    square = c * c * v * v + smoothing * smoothing
    return -c * c * smoothing * smoothing / (square * sqrt(square))


@inner
def force_hessian(medium, link, vl, vt, dl, dt):
    """Return the derivative of the Jacobian (ll, lt, tt) along a change of velocity (dl, dt) [m/s]."""
    cl, ct, smoothing = medium.longitudinal[link], medium.transverse[link], medium.smoothing[link]
    if medium.kind == DRY:
        x, y = cl * vl, ct * vt
        root = 1.0 / sqrt(x * x + y * y + smoothing * smoothing)
        x, y, dl, dt = x * root, y * root, cl * dl * root, ct * dt * root
        along = x * dl + y * dt
        ll = along + 2.0 * x * dl - 3.0 * along * x * x
        tt = along + 2.0 * y * dt - 3.0 * along * y * y
        lt = x * dt + y * dl - 3.0 * along * x * y
        return cl * cl * root * ll, cl * ct * root * lt, ct * ct * root * tt
    if medium.kind == BOX:
        return box_curvature(cl, smoothing, vl) * dl, 0.0, box_curvature(ct, smoothing, vt) * dt
    if medium.kind == FLUID or medium.kind == INERTIA_BOX:
        return -2.0 * cl * sign(vl) * dl, 0.0, -2.0 * ct * sign(vt) * dt
    if medium.kind == VISCOUS or medium.kind == NO_MEDIUM:
        return 0.0, 0.0, 0.0
    return nan, nan, nan


@inner
def box_curvature(c, smoothing, v):
    """Return d^2 f / d v^2 = 3 c^4 s^2 v / (c^2 v^2 + s^2)^(5/2) of one axis of the smoothed box law."""
    square = c * c * v * v + smoothing * smoothing
    return 3.0 * c**4 * smoothing * smoothing * v / (square * square * sqrt(square))


@inner
def sign(value):
    """Return the sign -1, 0 or 1."""
    return where_positive(value, 1.0, 0.0) - where_positive(-value, 1.0, 0.0)


@inner
def turning_moment(medium, link, turn):
    """Return the moment [N m] about a link's middle against its own rotation, besides that of the forces."""
    if medium.kind == INERTIA_BOX:
        return -(medium.turning_linear[link] + medium.turning_quadratic[link] * abs(turn)) * turn
    return 0.0


@inner
def turning_slope(medium, link, turn, change):
    """Return the derivative of turning_moment by the rotation plus its own derivative along a change [rad/s]."""
    if medium.kind == INERTIA_BOX:
        quadratic = medium.turning_quadratic[link]
        return -medium.turning_linear[link] - 2.0 * quadratic * (abs(turn) + sign(turn) * change)
    return 0.0


@inner
def reaction(medium, link, length, vl, vt, turn):
    """Return (f_l, f_t, moment) on a link: the sum of its law at stations x = point * length, with v_t + x turn there.

    vl, vt [m/s] of the link's middle, turn [rad/s]; the moment [N m] is about the middle.
    """
    fl, ft, moment = 0.0, 0.0, turning_moment(medium, link, turn)
    for g in range(medium.points.size):
        lever = medium.points[g] * length
        along, across = force(medium, link, vl, vt + lever * turn)
        fl += medium.weights[g] * along
        ft += medium.weights[g] * across
        moment += medium.weights[g] * lever * across
    return fl, ft, moment


@inner
def reaction_jacobian(medium, link, length, velocity, change):
    """Return the derivative of `reaction` by (v_l, v_t, turn) plus its own derivative along a change of them.

    Returns the symmetric matrix as (ll, lt, tt, lw, tw, ww); velocity and change are tuples (v_l, v_t, turn). Without a
    change (None) it is the plain Jacobian.
    """
    ll, lt, tt, lw, tw = 0.0, 0.0, 0.0, 0.0, 0.0
    ww = turning_slope(medium, link, velocity[2], 0.0 if change is None else change[2])
    for g in range(medium.points.size):
        lever = medium.points[g] * length
        vt = velocity[1] + lever * velocity[2]
        a, b, c = force_jacobian(medium, link, velocity[0], vt)
        if change is not None:
            dt = change[1] + lever * change[2]
            da, db, dc = force_hessian(medium, link, velocity[0], vt, change[0], dt)
            a, b, c = a + da, b + db, c + dc
        a, b, c = medium.weights[g] * a, medium.weights[g] * b, medium.weights[g] * c
        ll, lt, tt = ll + a, lt + b, tt + c
        lw, tw, ww = lw + lever * b, tw + lever * c, ww + lever * lever * c
    return ll, lt, tt, lw, tw, ww


def check_law(kind: int, laws: Mapping[str, Any]) -> None:
    """Raise ImportError for a kind with a missing formula, or with derivatives that differ from central differences."""
    sample = {name: np.array([0.3 + 0.2 * place]) for place, name in enumerate(COEFFICIENTS)}
    medium, (vl, vt), (dl, dt), h = make_medium(kind, 1, **sample), (0.4, -0.7), (0.3, -0.2), 1e-6

    def change(law: str, along: float, across: float) -> NDArray:
        ends = (np.array(laws[law](medium, 0, vl + sign * along, vt + sign * across)) for sign in (h, -h))
        return np.subtract(*ends) / (2.0 * h)

    by_l, by_t = change("force", 1.0, 0.0), change("force", 0.0, 1.0)
    wanted = {
        "force": (laws["force"](medium, 0, 0.0, 0.0), (0.0, 0.0)),
        "force_jacobian": (laws["force_jacobian"](medium, 0, vl, vt), (by_l[0], by_l[1], by_t[1])),
        "force_hessian": (laws["force_hessian"](medium, 0, vl, vt, dl, dt), change("force_jacobian", dl, dt)),
    }
    ends = [laws["turning_moment"](medium, 0, 0.5 + sign * h) for sign in (1, -1)]
    wanted["turning_slope"] = (laws["turning_slope"](medium, 0, 0.5, 0.0), (ends[0] - ends[1]) / (2.0 * h))
    for name, (found, expected) in wanted.items():
        if not np.allclose(found, expected, rtol=1e-6, atol=1e-6):  # NaN if the kind has no branch
            raise ImportError(f"{name} of the law {LAWS[kind].name!r} is {found}: must be {np.array(expected)}")


for each in LAWS:
    check_law(each, globals())
