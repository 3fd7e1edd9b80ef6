"""Shapes of 64 runs of one tree at once: inertia and angular momentum about the centre of mass.

Arrays are flat and lane-contiguous: quantity k of lane i stands at 64 k + i, and every inner loop runs over the lanes,
so that the compiler makes vector instructions of it. The mathematics is that of shape.py.
"""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.lie import (
    add,
    cross,
    matrix,
    rotate,
    scale,
    steiner,
    subtract,
    symmetric_inverse,
    symmetric_product,
)
from serpenoid.kernels.stack import stack_array
from serpenoid.kernels.trigonometry import sine_cosine

LANES = 64
# Quantities of a body in a block: rotation, position, velocity and angular velocity, base axes, the base at rest.
R_, P_, V_, W_, BODY = 0, 9, 12, 15, 18
# Quantities of a shape: inverse inertia and angular momentum about the centre of mass, the centre of mass.
CENTER_, SHAPE = 9, 12
# Sums over the bodies: first moment, momentum, angular momentum and inertia about the base's origin.
MOMENT, CARRIED, TURNING, INERTIA, SUMS = 0, 3, 6, 9, 15


@inner
def pick(array, start, lane):
    """A vector of one lane."""
    return (array[start * LANES + lane], array[(start + 1) * LANES + lane], array[(start + 2) * LANES + lane])


@inner
def drop(array, start, lane, vector):
    """Write a vector of one lane."""
    array[start * LANES + lane] = vector[0]
    array[(start + 1) * LANES + lane] = vector[1]
    array[(start + 2) * LANES + lane] = vector[2]


@inner
def pick_rotation(array, lane):
    """The rotation of one lane."""
    return (
        array[lane], array[LANES + lane], array[2 * LANES + lane],
        array[3 * LANES + lane], array[4 * LANES + lane], array[5 * LANES + lane],
        array[6 * LANES + lane], array[7 * LANES + lane], array[8 * LANES + lane],
    )  # fmt: skip


@inner
def row_times(R, i, L):
    """Row i of R L."""
    return (
        R[i] * L[0] + R[i + 1] * L[3] + R[i + 2] * L[6],
        R[i] * L[1] + R[i + 1] * L[4] + R[i + 2] * L[7],
        R[i] * L[2] + R[i + 1] * L[5] + R[i + 2] * L[8],
    )


@kernel
def hinge_matrices(tree):
    """(bodies, 27): K0, K1, K2 with rotation of a hinge = K0 + cos(q) K1 + sin(q) K2, the fixed rotation included."""
    out = np.zeros((tree.parent.size, 27))
    for body in range(1, tree.parent.size):
        a, F = tree.axis[body], np.ascontiguousarray(tree.rotation[body])
        along = np.outer(a, a)
        skew = np.array(((0.0, -a[2], a[1]), (a[2], 0.0, -a[0]), (-a[1], a[0], 0.0)))
        out[body, :9] = (F @ along).ravel()
        out[body, 9:18] = (F @ (np.eye(3) - along)).ravel()
        out[body, 18:] = (F @ skew).ravel()
    return out


@inner
def nine(array, body, k):
    """Nine neighbouring numbers of a row, as a matrix."""
    return (
        array[body, k], array[body, k + 1], array[body, k + 2], array[body, k + 3], array[body, k + 4],
        array[body, k + 5], array[body, k + 6], array[body, k + 7], array[body, k + 8],
    )  # fmt: skip


@inner
def turn_lanes(hinges, body, wave, parent, child, speed):
    """Angle, rate and rotation of a body in all lanes."""
    K0, K1, K2 = nine(hinges, body, 0), nine(hinges, body, 9), nine(hinges, body, 18)
    for lane in range(LANES):
        sine, cosine = sine_cosine(wave[3 * LANES + lane])
        angle = wave[lane] + wave[LANES + lane] * sine
        speed[lane] = wave[LANES + lane] * wave[2 * LANES + lane] * cosine
        s, c = sine_cosine(angle)
        L = (
            K0[0] + c * K1[0] + s * K2[0], K0[1] + c * K1[1] + s * K2[1], K0[2] + c * K1[2] + s * K2[2],
            K0[3] + c * K1[3] + s * K2[3], K0[4] + c * K1[4] + s * K2[4], K0[5] + c * K1[5] + s * K2[5],
            K0[6] + c * K1[6] + s * K2[6], K0[7] + c * K1[7] + s * K2[7], K0[8] + c * K1[8] + s * K2[8],
        )  # fmt: skip
        R = pick_rotation(parent, lane)
        drop(child, 0, lane, row_times(R, 0, L))
        drop(child, 3, lane, row_times(R, 3, L))
        drop(child, 6, lane, row_times(R, 6, L))


@inner
def move_lanes(tree, body, parent, child, speed):
    """Position, velocity and angular velocity of a body in all lanes."""
    offset = (tree.offset[body, 0], tree.offset[body, 1], tree.offset[body, 2])
    axis = (tree.axis[body, 0], tree.axis[body, 1], tree.axis[body, 2])
    for lane in range(LANES):
        arm = rotate(pick_rotation(parent, lane), offset)
        omega = pick(parent, W_, lane)
        drop(child, P_, lane, add(pick(parent, P_, lane), arm))
        drop(child, V_, lane, add(pick(parent, V_, lane), cross(omega, arm)))
        drop(child, W_, lane, add(omega, scale(speed[lane], rotate(pick_rotation(child, lane), axis))))


@inner
def weigh_lanes(tree, body, child, sums):
    """Add a body's share to the sums in all lanes."""
    mass, center = tree.mass[body], (tree.center[body, 0], tree.center[body, 1], tree.center[body, 2])
    own = matrix(tree.inertia[body])
    for lane in range(LANES):
        R, omega = pick_rotation(child, lane), pick(child, W_, lane)
        arm = rotate(R, center)
        x = add(pick(child, P_, lane), arm)
        carried = scale(mass, add(pick(child, V_, lane), cross(omega, arm)))
        T0, T1, T2 = row_times(R, 0, own), row_times(R, 3, own), row_times(R, 6, own)
        turned = (
            T0[0] * R[0] + T0[1] * R[1] + T0[2] * R[2], T1[0] * R[3] + T1[1] * R[4] + T1[2] * R[5],
            T2[0] * R[6] + T2[1] * R[7] + T2[2] * R[8], T0[0] * R[3] + T0[1] * R[4] + T0[2] * R[5],
            T0[0] * R[6] + T0[1] * R[7] + T0[2] * R[8], T1[0] * R[6] + T1[1] * R[7] + T1[2] * R[8],
        )  # fmt: skip
        spin = symmetric_product(turned, omega)
        drop(sums, MOMENT, lane, add(pick(sums, MOMENT, lane), scale(mass, x)))
        drop(sums, CARRIED, lane, add(pick(sums, CARRIED, lane), carried))
        drop(sums, TURNING, lane, add(pick(sums, TURNING, lane), add(spin, cross(x, carried))))
        point, at = steiner(mass, x), INERTIA * LANES + lane
        for k in range(6):
            sums[at + k * LANES] += turned[k] + point[k]


@inner
def close_shapes(mass, sums, shapes):
    """Inverse inertia (6), angular momentum (3) about the centre of mass and that centre, of all lanes."""
    for lane in range(LANES):
        center, carried = scale(1.0 / mass, pick(sums, MOMENT, lane)), pick(sums, CARRIED, lane)
        x, y, z = center
        at = INERTIA * LANES + lane
        inertia = (
            sums[at] - mass * (y * y + z * z), sums[at + LANES] - mass * (x * x + z * z),
            sums[at + 2 * LANES] - mass * (x * x + y * y), sums[at + 3 * LANES] + mass * x * y,
            sums[at + 4 * LANES] + mass * x * z, sums[at + 5 * LANES] + mass * y * z,
        )  # fmt: skip
        inverse = symmetric_inverse(inertia)
        for k in range(6):
            shapes[k * LANES + lane] = inverse[k]
        drop(shapes, 6, lane, subtract(pick(sums, TURNING, lane), cross(center, carried)))
        drop(shapes, CENTER_, lane, center)


@kernel
def block_shapes(tree, hinges, waves, time, storage, shapes):
    """Shapes (12 x 64,) of 64 runs at a time: inverse inertia, angular momentum of the joints' motion, centre of mass.

    waves (joints, 4 x 64): offset, amplitude, rate and phase at time zero; storage (bodies, 18 x 64) is to work in.
    """
    parent, child, sums = stack_array(BODY * LANES), stack_array(BODY * LANES), stack_array(SUMS * LANES)
    wave, speed = stack_array(4 * LANES), stack_array(LANES)
    for k in range(BODY * LANES):
        child[k] = 1.0 if k // LANES == 0 or k // LANES == 4 or k // LANES == 8 else 0.0
    for k in range(SUMS * LANES):
        sums[k] = 0.0
    mass = tree.mass[0]
    weigh_lanes(tree, 0, child, sums)
    for k in range(BODY * LANES):
        storage[0, k] = child[k]
    for body in range(1, tree.parent.size):
        above = tree.parent[body]
        for k in range(BODY * LANES):
            parent[k] = storage[above, k]
        for k in range(3 * LANES):
            wave[k] = waves[body - 1, k]
        for lane in range(LANES):
            wave[3 * LANES + lane] = waves[body - 1, 3 * LANES + lane] + time * wave[2 * LANES + lane]
        turn_lanes(hinges, body, wave, parent, child, speed)
        move_lanes(tree, body, parent, child, speed)
        if tree.mass[body] > 0.0:
            mass += tree.mass[body]
            weigh_lanes(tree, body, child, sums)
        for k in range(BODY * LANES):
            storage[body, k] = child[k]
    close_shapes(mass, sums, shapes)
    return mass
