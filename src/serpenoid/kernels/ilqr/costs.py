"""Cost interface of the planner: knots of a plan, dispatch from a cost's record to its law, and sums.

A cost is a NamedTuple of its parameters. Its law is a pair of compiled functions, registered under the record's class:

- value(term, knot) -> float
- expand(term, knot, gradient, hessian), which adds the derivatives by (state, torque)

A law of residuals r(term, knot) needs no derivatives: the cost is sum r^2 and its curvature 2 J^T J (Gauss-Newton).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numba
from numba.extending import overload
from numpy.typing import NDArray

from serpenoid.kernels.compile import FASTMATH, glue, inlined, inner
from serpenoid.kernels.trigonometry import sine_cosine

MOST_RESIDUALS = 16
OPTIONS = {"fastmath": set(FASTMATH), "error_model": "numpy"}
DIFFERENCE = 1e-5  # step of central differences; states and torques are of order one


class Knot(NamedTuple):
    """Knot of a plan. Costs read the first six fields; the others serve derivatives."""

    state: NDArray  # (states,)
    torque: NDArray  # (controls,) [N m]; zeros at the final knot
    time: float  # since the request of the plan's start, plus the plan's own start time [s]
    final: bool
    points: NDArray  # (n + 1, 2) ends of the links from the head's tip to the tail's [m]
    direction: NDArray  # (n, 2) unit vectors of the links, from head to tail
    reach: NDArray  # (n + 1, n) point_j = centre of mass + sum_k reach_jk direction_k [m]
    jacobian: NDArray  # (2, n) scratch: derivatives of one point by heading and joint angles
    curvature: NDArray  # (n,) scratch
    columns: NDArray  # (MOST_RESIDUALS, states + controls + 1) scratch


class Both(NamedTuple):
    """Sum of two costs."""

    first: Any
    second: Any


class Law(NamedTuple):
    """Compiled functions of a cost."""

    value: Any
    expand: Any
    residuals: Any = None


LAWS: dict[type, Law] = {}


def register(record: type, value: Any, expand: Any) -> None:
    """Register the compiled functions of a record's class."""
    LAWS[record] = Law(value, expand)


def register_residuals(record: type, residuals: Callable[..., Any]) -> None:
    """Register a Python function (compiled here) that returns the residual or residuals of a record's class."""
    LAWS[record] = Law(None, None, numba.njit(nogil=True, **OPTIONS)(residuals))


def cost_value(term, knot):
    """Return the cost of a record at a knot (compiled code only)."""
    raise NotImplementedError


def cost_expand(term, knot, gradient, hessian):
    """Add a record's gradient and Hessian at a knot (compiled code only)."""
    raise NotImplementedError


@overload(cost_value, jit_options=OPTIONS, strict=False)
def _cost_value(term, knot):
    if term.instance_class is Both:
        return lambda term, knot: cost_value(term.first, knot) + cost_value(term.second, knot)
    law = LAWS[term.instance_class]
    if law.residuals is None:
        return law.value.py_func
    residuals = law.residuals

    def squares(term, knot):
        return sum_of_squares(residuals(term, knot))

    return squares


@overload(cost_expand, jit_options=OPTIONS, strict=False)
def _cost_expand(term, knot, gradient, hessian):
    if term.instance_class is Both:

        def both(term, knot, gradient, hessian):
            cost_expand(term.first, knot, gradient, hessian)
            cost_expand(term.second, knot, gradient, hessian)

        return both
    law = LAWS[term.instance_class]
    if law.residuals is None:
        return law.expand.py_func
    return gauss_newton(law.residuals)


def gauss_newton(residuals: Any) -> Callable[..., None]:
    """Return the expansion of a sum of squared residuals, with derivatives by central differences."""

    def expand(term, knot, gradient, hessian):
        states, width = knot.state.size, gradient.size
        count = store(residuals(term, knot), knot.columns, width)
        for z in range(width):
            values = knot.state if z < states else knot.torque
            index = z if z < states else z - states
            here = values[index]
            values[index] = here + DIFFERENCE
            set_points(knot)
            store(residuals(term, knot), knot.columns, z)
            values[index] = here - DIFFERENCE
            set_points(knot)
            subtract(residuals(term, knot), knot.columns, z)
            values[index] = here
        set_points(knot)
        add_squares(knot.columns, count, gradient, hessian)

    return expand


def sum_of_squares(residuals):
    """Return the sum of squares of a number or of a tuple of numbers (compiled code only)."""
    raise NotImplementedError


@overload(sum_of_squares)
def _sum_of_squares(residuals):
    if isinstance(residuals, numba.types.Number):
        return lambda residuals: residuals * residuals

    def total(residuals):
        result = 0.0
        for value in residuals:
            result += value * value
        return result

    return total


def store(residuals, columns, column):
    """Write residuals to a column; return their number (compiled code only)."""
    raise NotImplementedError


@overload(store)
def _store(residuals, columns, column):
    if isinstance(residuals, numba.types.Number):

        def store_one(residuals, columns, column):
            columns[0, column] = residuals
            return 1

        return store_one

    def store_all(residuals, columns, column):
        for i in range(len(residuals)):
            columns[i, column] = residuals[i]
        return len(residuals)

    return store_all


def subtract(residuals, columns, column):
    """Convert the values in a column to central differences (compiled code only)."""
    raise NotImplementedError


@overload(subtract)
def _subtract(residuals, columns, column):
    if isinstance(residuals, numba.types.Number):

        def subtract_one(residuals, columns, column):
            columns[0, column] = (columns[0, column] - residuals) / (2.0 * DIFFERENCE)

        return subtract_one

    def subtract_all(residuals, columns, column):
        for i in range(len(residuals)):
            columns[i, column] = (columns[i, column] - residuals[i]) / (2.0 * DIFFERENCE)

    return subtract_all


@inlined
def add_squares(columns, count, gradient, hessian):
    """Add 2 J^T r to the gradient and 2 J^T J to the Hessian; r is the last column of `columns`, J the others."""
    width = gradient.size
    for i in range(count):
        residual = columns[i, width]
        for a in range(width):
            slope = 2.0 * columns[i, a]
            if slope != 0.0:
                gradient[a] += slope * residual
                for b in range(width):
                    hessian[a, b] += slope * columns[i, b]


@inlined
def set_points(knot):
    """Compute directions and ends of the links from the state; does nothing if the state is not that of a chain."""
    links = knot.direction.shape[0]
    if links == 0:
        return
    angle = 0.0
    x, y = knot.state[0], knot.state[1]
    for k in range(links):
        angle += knot.state[2 + k]
        sine, cosine = sine_cosine(angle)
        knot.direction[k, 0] = cosine
        knot.direction[k, 1] = sine
        x += knot.reach[0, k] * cosine
        y += knot.reach[0, k] * sine
    for k in range(links):
        knot.points[k, 0] = x
        knot.points[k, 1] = y
        length = knot.reach[links, k] - knot.reach[0, k]
        x += length * knot.direction[k, 0]
        y += length * knot.direction[k, 1]
    knot.points[links, 0] = x
    knot.points[links, 1] = y


@glue
def place_knot(knot, state, torque, time, final):
    """Return a knot with other values and its points set; the scratch arrays are shared."""
    other = Knot(
        state=state,
        torque=torque,
        time=time,
        final=final,
        points=knot.points,
        direction=knot.direction,
        reach=knot.reach,
        jacobian=knot.jacobian,
        curvature=knot.curvature,
        columns=knot.columns,
    )
    set_points(other)
    return other


@inner
def set_jacobian(knot, link, share):
    """Compute derivatives of the point at a fraction (0..1) of a link by heading and joint angles.

    They are written to knot.jacobian (2, n). d point / d phi_k = r_k n_k, where r_k interpolates the reaches of the
    link's two ends. A joint rotates all links behind it.
    """
    jx, jy = 0.0, 0.0
    for k in range(knot.direction.shape[0] - 1, -1, -1):
        radius = (1.0 - share) * knot.reach[link, k] + share * knot.reach[link + 1, k]
        jx -= radius * knot.direction[k, 1]
        jy += radius * knot.direction[k, 0]
        knot.jacobian[0, k] = jx
        knot.jacobian[1, k] = jy


@inner
def add_point(knot, gradient, hessian, slope, curve):
    """Add a function of the point whose Jacobian is set: slope (g_x, g_y), curve (h_xx, h_xy, h_yy)."""
    gx, gy = slope
    hxx, hxy, hyy = curve
    jacobian, links = knot.jacobian, knot.direction.shape[0]
    gradient[0] += gx
    gradient[1] += gy
    hessian[0, 0] += hxx
    hessian[0, 1] += hxy
    hessian[1, 0] += hxy
    hessian[1, 1] += hyy
    for a in range(links):
        jx, jy = jacobian[0, a], jacobian[1, a]
        gradient[2 + a] += gx * jx + gy * jy
        px, py = hxx * jx + hxy * jy, hxy * jx + hyy * jy
        hessian[0, 2 + a] += px
        hessian[2 + a, 0] += px
        hessian[1, 2 + a] += py
        hessian[2 + a, 1] += py
        for b in range(links):
            hessian[2 + a, 2 + b] += px * jacobian[0, b] + py * jacobian[1, b]


@inner
def add_angle_curvature(knot, hessian):
    """Add sum_k c_k d phi_k d phi_k, c = knot.curvature (n,), the second derivatives by the links' absolute angles."""
    links = knot.direction.shape[0]
    behind = 0.0
    for a in range(links - 1, -1, -1):
        behind += knot.curvature[a]
        hessian[2 + a, 2 + a] += behind
        for b in range(a):
            hessian[2 + a, 2 + b] += behind
            hessian[2 + b, 2 + a] += behind
