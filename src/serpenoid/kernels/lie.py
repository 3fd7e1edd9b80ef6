"""SO(3) and SE(3) on small tuples: vectors are 3-tuples, rotations row-major 9-tuples, quaternions (w, x, y, z)."""

from __future__ import annotations

from math import atan2, sqrt

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inlined, inner
from serpenoid.kernels.trigonometry import sine_cosine

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@inner
def row(array, index, column):
    """Return three neighbouring numbers of a row as a vector."""
    return (array[index, column], array[index, column + 1], array[index, column + 2])


@inner
def put(array, index, column, vector):
    """Write a vector into three neighbouring columns of a row."""
    array[index, column] = vector[0]
    array[index, column + 1] = vector[1]
    array[index, column + 2] = vector[2]


@inner
def add(a, b):
    """Return a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inner
def subtract(a, b):
    """Return a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inner
def scale(factor, a):
    """Return factor a."""
    return (factor * a[0], factor * a[1], factor * a[2])


@inner
def dot(a, b):
    """Return a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner
def cross(a, b):
    """Return a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inner
def rotate(R, v):
    """Return R v."""
    return (
        R[0] * v[0] + R[1] * v[1] + R[2] * v[2],
        R[3] * v[0] + R[4] * v[1] + R[5] * v[2],
        R[6] * v[0] + R[7] * v[1] + R[8] * v[2],
    )


@inner
def rotate_back(R, v):
    """Return R^T v."""
    return (
        R[0] * v[0] + R[3] * v[1] + R[6] * v[2],
        R[1] * v[0] + R[4] * v[1] + R[7] * v[2],
        R[2] * v[0] + R[5] * v[1] + R[8] * v[2],
    )


@inner
def compose(R, S):
    """Return R S."""
    return (
        R[0] * S[0] + R[1] * S[3] + R[2] * S[6],
        R[0] * S[1] + R[1] * S[4] + R[2] * S[7],
        R[0] * S[2] + R[1] * S[5] + R[2] * S[8],
        R[3] * S[0] + R[4] * S[3] + R[5] * S[6],
        R[3] * S[1] + R[4] * S[4] + R[5] * S[7],
        R[3] * S[2] + R[4] * S[5] + R[5] * S[8],
        R[6] * S[0] + R[7] * S[3] + R[8] * S[6],
        R[6] * S[1] + R[7] * S[4] + R[8] * S[7],
        R[6] * S[2] + R[7] * S[5] + R[8] * S[8],
    )


@inner
def matrix(array):
    """Return a (3, 3) array as a 9-tuple."""
    return (
        array[0, 0], array[0, 1], array[0, 2],
        array[1, 0], array[1, 1], array[1, 2],
        array[2, 0], array[2, 1], array[2, 2],
    )  # fmt: skip


@inner
def turn(R, axis, angle):
    """Return R exp(angle [axis]), R rotated about a unit vector of its own frame.

    Coordinate axes take fewer operations.
    """
    s, c = sine_cosine(angle)
    if axis[2] == 1.0:
        return (
            c * R[0] + s * R[1], c * R[1] - s * R[0], R[2],
            c * R[3] + s * R[4], c * R[4] - s * R[3], R[5],
            c * R[6] + s * R[7], c * R[7] - s * R[6], R[8],
        )  # fmt: skip
    if axis[0] == 1.0:
        return (
            R[0], c * R[1] + s * R[2], c * R[2] - s * R[1],
            R[3], c * R[4] + s * R[5], c * R[5] - s * R[4],
            R[6], c * R[7] + s * R[8], c * R[8] - s * R[7],
        )  # fmt: skip
    if axis[1] == 1.0:
        return (
            c * R[0] - s * R[2], R[1], c * R[2] + s * R[0],
            c * R[3] - s * R[5], R[4], c * R[5] + s * R[3],
            c * R[6] - s * R[8], R[7], c * R[8] + s * R[6],
        )  # fmt: skip
    return compose(R, rodrigues(axis, c, s))


@inner
def rodrigues(axis, c, s):
    """Return the rotation about a unit vector a by the angle with cosine c and sine s: c 1 + s [a] + (1 - c) a a^T."""
    x, y, z = axis
    d = 1.0 - c
    return (
        c + d * x * x, d * x * y - s * z, d * x * z + s * y,
        d * x * y + s * z, c + d * y * y, d * y * z - s * x,
        d * x * z - s * y, d * y * z + s * x, c + d * z * z,
    )  # fmt: skip


@inlined
def rotation_of(quaternion):
    """Return the rotation matrix of a unit quaternion."""
    w, x, y, z = quaternion
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


@inlined
def quaternion_of(R):
    """Return the unit quaternion of a rotation matrix, its largest component positive (Shepperd's choice of pivot)."""
    trace = R[0] + R[4] + R[8]
    if trace > 0.0:
        w = 0.5 * sqrt(1.0 + trace)
        return (w, (R[7] - R[5]) / (4.0 * w), (R[2] - R[6]) / (4.0 * w), (R[3] - R[1]) / (4.0 * w))
    if R[0] >= R[4] and R[0] >= R[8]:
        x = 0.5 * sqrt(1.0 + R[0] - R[4] - R[8])
        return ((R[7] - R[5]) / (4.0 * x), x, (R[1] + R[3]) / (4.0 * x), (R[2] + R[6]) / (4.0 * x))
    if R[4] >= R[8]:
        y = 0.5 * sqrt(1.0 - R[0] + R[4] - R[8])
        return ((R[2] - R[6]) / (4.0 * y), (R[1] + R[3]) / (4.0 * y), y, (R[5] + R[7]) / (4.0 * y))
    z = 0.5 * sqrt(1.0 - R[0] - R[4] + R[8])
    return ((R[3] - R[1]) / (4.0 * z), (R[2] + R[6]) / (4.0 * z), (R[5] + R[7]) / (4.0 * z), z)


@inlined
def quaternion_rate(quaternion, angular):
    """Return d/dt of the quaternion of a frame that rotates at `angular` in its own axes: q (0, omega) / 2."""
    w, x, y, z = quaternion
    a, b, c = 0.5 * angular[0], 0.5 * angular[1], 0.5 * angular[2]
    return (-x * a - y * b - z * c, w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a)


@inner
def normalised(quaternion):
    """Return the quaternion scaled to unit length."""
    w, x, y, z = quaternion
    factor = 1.0 / sqrt(w * w + x * x + y * y + z * z)
    return (factor * w, factor * x, factor * y, factor * z)


@inner
def turn_between(first, last):
    """Return the rotation vector [rad] from one attitude to another (quaternions), in axes of either."""
    w, a, b, c = first
    u, x, y, z = last
    scalar = w * u + a * x + b * y + c * z
    vector = (w * x - u * a - (b * z - c * y), w * y - u * b - (c * x - a * z), w * z - u * c - (a * y - b * x))
    sine = sqrt(dot(vector, vector))
    size = 2.0 * atan2(sine, abs(scalar)) / sine if sine > 1e-12 else 2.0
    return scale(size if scalar >= 0.0 else -size, vector)


@inlined
def rotate_inertia(R, inertia):
    """Return R I R^T of a symmetric (3, 3) array as (xx, yy, zz, xy, xz, yz)."""
    T = compose(R, matrix(inertia))
    return (
        T[0] * R[0] + T[1] * R[1] + T[2] * R[2],
        T[3] * R[3] + T[4] * R[4] + T[5] * R[5],
        T[6] * R[6] + T[7] * R[7] + T[8] * R[8],
        T[0] * R[3] + T[1] * R[4] + T[2] * R[5],
        T[0] * R[6] + T[1] * R[7] + T[2] * R[8],
        T[3] * R[6] + T[4] * R[7] + T[5] * R[8],
    )


@inlined
def symmetric_product(S, v):
    """Return S v of a symmetric matrix (xx, yy, zz, xy, xz, yz)."""
    return (
        S[0] * v[0] + S[3] * v[1] + S[4] * v[2],
        S[3] * v[0] + S[1] * v[1] + S[5] * v[2],
        S[4] * v[0] + S[5] * v[1] + S[2] * v[2],
    )


@inlined
def symmetric_inverse(S):
    """Invert a symmetric matrix (xx, yy, zz, xy, xz, yz); the result has the same order."""
    xx, yy, zz, xy, xz, yz = S
    a, b, c = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    d = 1.0 / (xx * a + xy * b + xz * c)
    return (d * a, d * (xx * zz - xz * xz), d * (xx * yy - xy * xy), d * b, d * c, d * (xy * xz - xx * yz))


@inner
def steiner(mass, c):
    """Return the inertia of a point mass at c about the origin: m (c.c 1 - c c^T), as (xx, yy, zz, xy, xz, yz)."""
    x, y, z = c
    return (
        mass * (y * y + z * z), mass * (x * x + z * z), mass * (x * x + y * y),
        -mass * x * y, -mass * x * z, -mass * y * z,
    )  # fmt: skip


def skew(v: NDArray) -> NDArray:
    """Return the (3, 3) array [v] with [v] a = v x a. This and the functions below serve checks, uncompiled."""
    return np.array(((0.0, -v[2], v[1]), (v[2], 0.0, -v[0]), (-v[1], v[0], 0.0)))


def adjoint(R: NDArray, p: NDArray) -> NDArray:
    """Return Ad of the pose (R, p), (6, 6), for twists (linear, angular): ((R, [p] R), (0, R)), eq. (7) of NATRIX."""
    return np.block([[R, skew(p) @ R], [np.zeros((3, 3)), R]])


def small_adjoint(twist: NDArray) -> NDArray:
    """Return ad of a twist (linear, angular), (6, 6): (([Omega], [V]), (0, [Omega])), eq. (7) of NATRIX."""
    turning = skew(twist[3:])
    return np.block([[turning, skew(twist[:3])], [np.zeros((3, 3)), turning]])
