"""Virtual chassis: the principal axis of a snake's links about their mean, towards the head, and its heading."""

from __future__ import annotations

from math import acos, atan2, cos, inf, pi, sqrt

import numpy as np

from serpenoid.kernels.compile import bare_kernel, inner, kernel
from serpenoid.kernels.lie import add, cross, dot, rotate, rotation_of, row, scale, subtract
from serpenoid.kernels.pose.inertial import (
    AXIS,
    CLEAR,
    HEADING,
    RATIO,
    ROWS,
    WIDTH,
    link_rotation,
    place_links,
    pose_numbers,
    set_triple,
    triple,
)

CLEAR_RATIO = 1.2  # ratio of first to second singular value below which a shape has no principal axis


@inner
def link_middle(body, memory, at, k):
    """Return the middle of a link in head axes [m]."""
    here = at + ROWS + WIDTH * k
    return add(triple(memory, here + 9), rotate(link_rotation(memory, here), row(body.center, k, 0)))


@inner
def spread(body, memory, at):
    """Return the mean of the links' middles, and the sums of squares xx yy zz xy xz yz about it."""
    links, mean = body.parent.size, (0.0, 0.0, 0.0)
    for k in range(links):
        mean = add(mean, scale(1.0 / links, link_middle(body, memory, at, k)))
    xx, yy, zz, xy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(links):
        d = subtract(link_middle(body, memory, at, k), mean)
        xx += d[0] * d[0]
        yy += d[1] * d[1]
        zz += d[2] * d[2]
        xy += d[0] * d[1]
        xz += d[0] * d[2]
        yz += d[1] * d[2]
    return mean, (xx, yy, zz, xy, xz, yz)


@inner
def main_axis(squares):
    """Return the unit eigenvector of the largest eigenvalue of a symmetric matrix, and its eigenvalues, largest first.

    Eigenvalues come from the trigonometric solution of the cubic, the vector from the largest cross product of two
    rows.
    """
    xx, yy, zz, xy, xz, yz = squares
    mean = (xx + yy + zz) / 3.0
    size = (xx - mean) ** 2 + (yy - mean) ** 2 + (zz - mean) ** 2 + 2.0 * (xy * xy + xz * xz + yz * yz)
    if size <= 0.0:
        return (1.0, 0.0, 0.0), (mean, mean, mean)
    p = sqrt(size / 6.0)
    a, b, c, d, e, f = (xx - mean) / p, (yy - mean) / p, (zz - mean) / p, xy / p, xz / p, yz / p
    half = 0.5 * (a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e))
    angle = acos(min(max(half, -1.0), 1.0)) / 3.0
    first, last = mean + 2.0 * p * cos(angle), mean + 2.0 * p * cos(angle + 2.0 * pi / 3.0)
    rows = ((xx - first, xy, xz), (xy, yy - first, yz), (xz, yz, zz - first))
    best, axis = 0.0, (1.0, 0.0, 0.0)
    for candidate in (cross(rows[0], rows[1]), cross(rows[0], rows[2]), cross(rows[1], rows[2])):
        length = dot(candidate, candidate)
        if length > best:
            best, axis = length, scale(1.0 / sqrt(length), candidate)
    return axis, (first, 3.0 * mean - first - last, last)


@bare_kernel
def chassis_step(body, memory, at):
    """Update principal axis and heading of the placed links with the attitude in the memory.

    The axis keeps its direction from tick to tick. Initially, and after a shape without an axis, it points towards the
    head. While there is none, the last axis and heading are kept. The heading is unwrapped [rad].
    """
    m = memory
    mean, squares = spread(body, memory, at)
    axis, sizes = main_axis(squares)
    ratio = sqrt(max(sizes[0], 0.0) / max(sizes[1], 1e-300))
    was_clear = m[at + CLEAR] == 1.0
    m[at + RATIO] = ratio
    m[at + CLEAR] = 1.0 if ratio >= CLEAR_RATIO else 0.0
    if ratio < CLEAR_RATIO:
        return
    head = subtract(link_middle(body, memory, at, 0), mean)
    towards = dot(axis, head)
    axis = rotate(rotation_of((m[at], m[at + 1], m[at + 2], m[at + 3])), axis)
    if was_clear:
        towards = dot(axis, triple(memory, at + AXIS))
    if towards < 0.0:
        axis = scale(-1.0, axis)
    set_triple(memory, at + AXIS, axis)
    heading = atan2(axis[1], axis[0])
    turns = round((m[at + HEADING] - heading) / (2.0 * pi))
    m[at + HEADING] = heading + 2.0 * pi * turns


@kernel
def chassis_history(body, position, quaternion):
    """Return world principal axis (3), heading, its validity and the ratio of singular values: (samples, 6).

    If an angle or the attitude is unknown, the last axis and heading are kept and continued from there. Before the
    first they are NaN.
    """
    samples, begun = position.shape[0], False
    memory, out, still = np.zeros(pose_numbers(body)), np.empty((samples, 6)), np.zeros(position.shape[1])
    for i in range(samples):
        known = abs(position[i].sum() + quaternion[i].sum()) < inf
        if known:
            memory[:4] = quaternion[i]
            place_links(body, memory, 0, position[i], still, 1.0, False)
            chassis_step(body, memory, 0)
            begun = begun or memory[CLEAR] == 1.0
        out[i, :3] = memory[AXIS : AXIS + 3]
        out[i, 3] = memory[HEADING]
        if not begun:
            out[i, :4] = np.nan
        out[i, 4], out[i, 5] = (memory[CLEAR], memory[RATIO]) if known else (0.0, np.nan)
    return out
