"""Curvature of the dynamics, with which a plan converges where iLQR stalls.

iLQR uses the curvature of the cost and linearises the dynamics. If the goal is far and torque cheap, nearly all
curvature is that of the dynamics: sum_i lambda_i d2 f_i / dz2 at every knot. lambda is the costate (the gradient of the
cost to go along the plan).

During the iterations only its positive part is used. The full curvature is indefinite at many knots of a plan that is
not yet optimal. Regularisation for the worst of them would slow all others. At the end, the full curvature shows
whether the dynamics make the plan a saddle, and then the direction out of it. (Of the cost's own curvature, only the
positive part is used throughout.)
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import bare_kernel, glue
from serpenoid.kernels.ilqr.dynamics import CYCLIC, linearise
from serpenoid.kernels.simd import WIDTH, allocate_aligned, vectors

STRAIGHT, POSITIVE, FULL = range(3)  # part of the curvature that is used
DIFFERENCE = 1e-6  # step of the central differences of analytic derivatives; short, because drag has kinks at rest
MOST_SWEEPS = 30  # of Jacobi's method; it needs six to eight
DIAGONAL = 1e-24  # fraction of the squares that may remain off the diagonal


class Curvature(NamedTuple):
    """Arrays of the dynamics' curvature; z = non-cyclic states and controls."""

    full: NDArray  # (horizon, z, z) at every knot
    positive: NDArray  # (horizon, z, z) without the negative eigenvalues
    costate: NDArray  # (states,) of the knot after the current one
    slopes: NDArray  # (2, z, 4) lambda^T df/dz at four displaced points, ahead and behind
    vectors: NDArray  # (z, z) scratch: eigenvectors
    rest: NDArray  # (z, z) scratch: the matrix that becomes diagonal


def new_curvature(horizon: int, states: int, controls: int, cyclic: int = CYCLIC) -> Curvature:
    """Allocate the arrays."""
    z = states - cyclic + controls
    return Curvature(
        np.zeros((horizon, z, z)), np.zeros((horizon, z, z)), np.zeros(states), allocate_aligned((2, z, WIDTH)),
        np.zeros((z, z)), np.zeros((z, z)),
    )  # fmt: skip


@glue
def final_costate(space, gradient):
    """Set the costate at the end of the horizon."""
    for x in range(space.costate.size):
        space.costate[x] = gradient[x]


@bare_kernel
def bend(dynamics, work, knot, gradient):
    """Set the curvature of a knot and step the costate back to it; `gradient` is that of the knot's cost."""
    space, jacobian = work.curvature, work.jacobians[knot]
    matrix, rows = space.full[knot], space.costate.size
    for first in range(0, matrix.shape[0], WIDTH):
        for side in range(2):
            displaced_slopes(dynamics, work, knot, first, DIFFERENCE * (1 - 2 * side), space.slopes[side])
        for slot in range(min(WIDTH, matrix.shape[0] - first)):
            for b in range(matrix.shape[0]):
                change = space.slopes[0, b, slot] - space.slopes[1, b, slot]
                matrix[first + slot, b] = change / (2.0 * DIFFERENCE)
    take_positive(matrix, space.positive[knot], space.rest, space.vectors)
    back = space.slopes[0]
    for b in range(rows - CYCLIC):
        back[b, 0] = gradient[CYCLIC + b]
        for i in range(rows):
            back[b, 0] += space.costate[i] * jacobian[i, b]
    for x in range(rows):
        space.costate[x] = space.costate[x] + gradient[x] if x < CYCLIC else back[x - CYCLIC, 0]


@glue
def displaced_slopes(dynamics, work, knot, first, distance, slopes):
    """Compute lambda^T df/dz with one of four neighbouring coordinates displaced in each slot."""
    states, costate = work.states.shape[1], work.curvature.costate
    for slot in range(WIDTH):
        for x in range(states):
            moved = distance if x == CYCLIC + first + slot else 0.0
            work.vectors.state[x, slot] = work.states[knot, x] + moved
        for a in range(work.controls.shape[1]):
            moved = distance if states + a == CYCLIC + first + slot else 0.0
            work.vectors.control[a, slot] = work.controls[knot, a] + moved
    jacobian, out = vectors(work.vectors.jacobian), vectors(slopes)
    linearise(dynamics, vectors(work.dynamics), vectors(work.vectors.state), vectors(work.vectors.control), jacobian)
    for b in range(out.size):
        total = costate[0] * jacobian[0, b]
        for i in range(1, states):
            total += costate[i] * jacobian[i, b]
        out[b] = total


@glue
def add_curvature(space, knot, bending, hessian):
    """Add a knot's curvature to the Hessian of its cost, which begins with the cyclic states."""
    matrix = space.positive[knot] if bending == POSITIVE else space.full[knot]
    for a in range(matrix.shape[0]):
        for b in range(matrix.shape[0]):
            hessian[CYCLIC + a, CYCLIC + b] += matrix[a, b]


@bare_kernel
def take_positive(matrix, positive, rest, vectors):
    """Symmetrise a matrix, and write it without its negative eigenvalues."""
    size = matrix.shape[0]
    for i in range(size):
        for j in range(i + 1):
            matrix[i, j] = 0.5 * (matrix[i, j] + matrix[j, i])
            matrix[j, i] = matrix[i, j]
    diagonalise(matrix, rest, vectors)
    for i in range(size):
        for j in range(size):
            value = 0.0
            for k in range(size):
                value += max(rest[k, k], 0.0) * vectors[k, i] * vectors[k, j]
            positive[i, j] = value


@bare_kernel
def way_out(work, knot, curve, slope, lower, upper):
    """Compute a step along the most negative curvature of a knot's free controls; return (slope, curve) of its cost.

    The law of the later knots is unchanged; the earlier ones keep their torques. At full length, the step moves every
    control to its bound or beyond, where it is clipped.
    """
    free, rest, vectors = work.riccati.free, work.curvature.rest, work.curvature.vectors
    size = free.size
    for a in range(size):
        for b in range(size):
            if free[a] == 0 or free[b] == 0:
                curve[a, b] = 0.0
    diagonalise(curve, rest, vectors)
    least = 0
    for a in range(size):
        least = a if rest[a, a] < rest[least, least] else least
    first, room = 0.0, 0.0
    for a in range(size):
        first += slope[a] * vectors[least, a]
    sign = -1.0 if first > 0.0 else 1.0
    for a in range(size):
        part = sign * vectors[least, a]
        if part != 0.0:
            room = max(room, (upper[a] if part > 0.0 else lower[a]) / part)
    for t in range(work.feedforward.shape[0]):
        for a in range(size):
            work.feedforward[t, a] = room * sign * vectors[least, a] if t == knot else 0.0
            if t <= knot:
                for x in range(work.gains.shape[2]):
                    work.gains[t, a, x] = 0.0
    return -room * abs(first), 0.5 * room * room * rest[least, least]


@bare_kernel
def diagonalise(matrix, rest, vectors):
    """Diagonalise a symmetric matrix (m, m) by Jacobi rotations.

    The eigenvalues are on the diagonal of rest; vectors[k] is the k-th eigenvector.
    """
    size, total = matrix.shape[0], 0.0
    for i in range(size):
        for j in range(size):
            rest[i, j] = matrix[i, j]
            vectors[i, j] = 1.0 if i == j else 0.0
            total += rest[i, j] * rest[i, j]
    for _ in range(MOST_SWEEPS):
        beside = 0.0
        for p in range(size - 1):
            for q in range(p + 1, size):
                beside += rest[p, q] * rest[p, q]
                rotate(rest, vectors, size, p, q)
        if not beside > DIAGONAL * total:  # also for NaN
            break


@glue
def rotate(rest, vectors, size, p, q):
    """Apply one rotation that makes rest[p, q] zero, also to the rows of `vectors`."""
    if rest[p, q] != 0.0:
        half = 0.5 * (rest[q, q] - rest[p, p]) / rest[p, q]
        tangent = (1.0 if half >= 0.0 else -1.0) / (abs(half) + sqrt(1.0 + half * half))
        cosine = 1.0 / sqrt(1.0 + tangent * tangent)
        sine = tangent * cosine
        for k in range(size):
            a, b = rest[k, p], rest[k, q]
            rest[k, p], rest[k, q] = cosine * a - sine * b, sine * a + cosine * b
        for k in range(size):
            a, b = rest[p, k], rest[q, k]
            rest[p, k], rest[q, k] = cosine * a - sine * b, sine * a + cosine * b
            a, b = vectors[p, k], vectors[q, k]
            vectors[p, k], vectors[q, k] = cosine * a - sine * b, sine * a + cosine * b
