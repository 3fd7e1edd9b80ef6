"""Forward dynamics of a tree under joint torques by the articulated-body algorithm, in time linear in the bodies."""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.compile import inlined, inner, kernel
from serpenoid.kernels.lie import (
    IDENTITY,
    add,
    cross,
    dot,
    put,
    row,
    scale,
    subtract,
    symmetric_inverse,
    symmetric_product,
)
from serpenoid.kernels.records import ARMATURE, DAMPING
from serpenoid.kernels.tree.frames import (
    ANGULAR,
    ARM,
    AXIS,
    CENTER,
    FORCE,
    INERTIA,
    LINEAR,
    MASS,
    MOMENT,
    SPIN,
    place_base,
    place_body,
)
from serpenoid.kernels.tree.recursion import load_body

# Columns of a body's row in the second workspace: the articulated inertia ((A, B), (B^T, C)) and the hinge's terms.
A, B, C = 0, 6, 15  # A, C as (xx, yy, zz, xy, xz, yz), B in rows
U_FORCE, U_MOMENT = 21, 24  # inertia times hinge axis
INVERSE, DRIVE = 27, 28  # 1 / d, and the remaining hinge torque over d
ARTICULATED = 29


@kernel
def articulated_workspace(tree):
    """Allocate an array (bodies, ARTICULATED) for forward_dynamics()."""
    return np.zeros((tree.parent.size, ARTICULATED))


@inlined
def forward_dynamics(tree, angles, rates, torques, twist, wrenches, work, inertia, out):
    """Compute the rate of the base's twist (zero for a fixed base) and the joint accelerations [rad/s^2].

    out (6 + joints,) receives both. torques (joints,) of the drive [N m], twist (6,), wrenches (bodies, 6) or (0, 6) in
    body axes. `work` comes from workspace(), `inertia` from articulated_workspace().
    """
    set_out(tree, angles, rates, twist, wrenches, work, inertia)
    fold(tree, rates, torques, twist, work, inertia, out)


@inner
def fold(tree, rates, torques, twist, work, inertia, out):
    """Complete forward_dynamics(): eliminate hinges from the tips to the base, then compute accelerations outwards."""
    for body in range(tree.parent.size - 1, 0, -1):
        torque = torques[body - 1] - tree.hinges[body - 1, DAMPING] * rates[body - 1]
        release(tree, body, torque, work, inertia)
    linear, angular = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if not tree.fixed_base:
        linear, angular = solve_articulated(work, inertia)
    put(work, 0, LINEAR, linear)
    put(work, 0, SPIN, angular)
    spread_out(tree, work, inertia, out)
    twist_rate = subtract(linear, cross((twist[3], twist[4], twist[5]), (twist[0], twist[1], twist[2])))
    if tree.fixed_base:
        twist_rate = linear
    for k in range(3):
        out[k], out[3 + k] = twist_rate[k], angular[k]


@inner
def set_out(tree, angles, rates, twist, wrenches, work, inertia):
    """Run the forward loop: poses, angular velocities, zeta, rigid inertias and beta of every body."""
    place_base(IDENTITY, (0.0, 0.0, 0.0), work)
    put(work, 0, ANGULAR, (twist[3], twist[4], twist[5]))
    load_body(tree, 0, wrenches, work)
    stiffen(0, work, inertia)
    for body in range(1, tree.parent.size):
        place_body(tree, body, angles[body - 1], work)
        omega, axis, arm = row(work, tree.parent[body], ANGULAR), row(work, body, AXIS), row(work, body, ARM)
        turning = scale(rates[body - 1], axis)
        put(work, body, ANGULAR, add(omega, turning))
        put(work, body, LINEAR, cross(omega, cross(omega, arm)))
        put(work, body, SPIN, cross(omega, turning))
        load_body(tree, body, wrenches, work)
        stiffen(body, work, inertia)


@inner
def stiffen(body, work, inertia):
    """Initialise the articulated inertia of a body with its rigid one: A = m 1, B = -[h], C = I."""
    h, m = row(work, body, CENTER), work[body, MASS]
    a = inertia[body]
    a[A], a[A + 1], a[A + 2] = m, m, m
    a[A + 3], a[A + 4], a[A + 5] = 0.0, 0.0, 0.0
    a[B], a[B + 1], a[B + 2] = 0.0, h[2], -h[1]
    a[B + 3], a[B + 4], a[B + 5] = -h[2], 0.0, h[0]
    a[B + 6], a[B + 7], a[B + 8] = h[1], -h[0], 0.0
    for k in range(6):
        a[C + k] = work[body, INERTIA + k]


@inner
def six(array, index, k):
    """Return six neighbouring numbers of a row."""
    a = array[index]
    return (a[k], a[k + 1], a[k + 2], a[k + 3], a[k + 4], a[k + 5])


@inner
def release(tree, body, torque, work, inertia):
    """Eliminate a hinge and add the remaining articulated inertia and force of its body to the parent.

    Ia = I - U U^T / d,  pa = p + Ia zeta + U (torque - u.p) / d,  U = I (0, u),  d = u.U + armature
    """
    u, arm = row(work, body, AXIS), row(work, body, ARM)
    rows = (row(inertia, body, B), row(inertia, body, B + 3), row(inertia, body, B + 6))
    a, c = six(inertia, body, A), six(inertia, body, C)
    f, n = (dot(rows[0], u), dot(rows[1], u), dot(rows[2], u)), symmetric_product(c, u)
    inverse = 1.0 / (dot(u, n) + tree.hinges[body - 1, ARMATURE])
    drive = inverse * (torque - dot(u, row(work, body, MOMENT)))
    put(inertia, body, U_FORCE, f)
    put(inertia, body, U_MOMENT, n)
    inertia[body, INVERSE], inertia[body, DRIVE] = inverse, drive
    g, k = scale(inverse, f), scale(inverse, n)
    a = (
        a[0] - f[0] * g[0], a[1] - f[1] * g[1], a[2] - f[2] * g[2],
        a[3] - f[0] * g[1], a[4] - f[0] * g[2], a[5] - f[1] * g[2],
    )  # fmt: skip
    b0, b1 = subtract(rows[0], scale(f[0], k)), subtract(rows[1], scale(f[1], k))
    b2 = subtract(rows[2], scale(f[2], k))
    c = (
        c[0] - n[0] * k[0], c[1] - n[1] * k[1], c[2] - n[2] * k[2],
        c[3] - n[0] * k[1], c[4] - n[0] * k[2], c[5] - n[1] * k[2],
    )  # fmt: skip
    linear, angular = row(work, body, LINEAR), row(work, body, SPIN)
    force = add(row(work, body, FORCE), add(symmetric_product(a, linear), scale(drive, f)))
    force = add(force, (dot(b0, angular), dot(b1, angular), dot(b2, angular)))
    moment = add(row(work, body, MOMENT), add(symmetric_product(c, angular), scale(drive, n)))
    moment = add(moment, add(add(scale(linear[0], b0), scale(linear[1], b1)), scale(linear[2], b2)))
    parent = tree.parent[body]
    put(work, parent, FORCE, add(row(work, parent, FORCE), force))
    put(work, parent, MOMENT, add(row(work, parent, MOMENT), add(moment, cross(arm, force))))
    hand_over(inertia[parent], a, (b0, b1, b2), c, arm)


@inner
def hand_over(parent, a, b, c, r):
    """Add an articulated inertia to the parent's row, shifted by r: B' = B - A [r], C' = C - B^T [r] + [r] B'."""
    # Rows of A [r]: row x [r] = row cross r.
    shifted0 = subtract(b[0], cross((a[0], a[3], a[4]), r))
    shifted1 = subtract(b[1], cross((a[3], a[1], a[5]), r))
    shifted2 = subtract(b[2], cross((a[4], a[5], a[2]), r))
    # (r x columns of B')_ij, and B^T [r] = -([r] B)^T.
    for k in range(6):
        parent[A + k] += a[k]
    for k in range(3):
        parent[B + k] += shifted0[k]
        parent[B + 3 + k] += shifted1[k]
        parent[B + 6 + k] += shifted2[k]
    p0 = subtract(scale(r[1], shifted2), scale(r[2], shifted1))
    p1 = subtract(scale(r[2], shifted0), scale(r[0], shifted2))
    p2 = subtract(scale(r[0], shifted1), scale(r[1], shifted0))
    q0 = subtract(scale(r[1], b[2]), scale(r[2], b[1]))
    q1 = subtract(scale(r[2], b[0]), scale(r[0], b[2]))
    q2 = subtract(scale(r[0], b[1]), scale(r[1], b[0]))
    parent[C] += c[0] + p0[0] + q0[0]
    parent[C + 1] += c[1] + p1[1] + q1[1]
    parent[C + 2] += c[2] + p2[2] + q2[2]
    parent[C + 3] += c[3] + p0[1] + q1[0]
    parent[C + 4] += c[4] + p0[2] + q2[0]
    parent[C + 5] += c[5] + p1[2] + q2[1]


@inner
def solve_articulated(work, inertia):
    """Return acceleration of the floating base's origin and angular acceleration, by the Schur complement of A."""
    rows = (row(inertia, 0, B), row(inertia, 0, B + 3), row(inertia, 0, B + 6))
    inverse, c = symmetric_inverse(six(inertia, 0, A)), six(inertia, 0, C)
    columns = (
        (rows[0][0], rows[1][0], rows[2][0]),
        (rows[0][1], rows[1][1], rows[2][1]),
        (rows[0][2], rows[1][2], rows[2][2]),
    )
    x, y, z = (
        symmetric_product(inverse, columns[0]),
        symmetric_product(inverse, columns[1]),
        symmetric_product(inverse, columns[2]),
    )
    schur = (
        c[0] - dot(columns[0], x), c[1] - dot(columns[1], y), c[2] - dot(columns[2], z),
        c[3] - dot(columns[0], y), c[4] - dot(columns[0], z), c[5] - dot(columns[1], z),
    )  # fmt: skip
    force, moment = row(work, 0, FORCE), row(work, 0, MOMENT)
    right = subtract((dot(x, force), dot(y, force), dot(z, force)), moment)
    angular = symmetric_product(symmetric_inverse(schur), right)
    coupled = (dot(rows[0], angular), dot(rows[1], angular), dot(rows[2], angular))
    return scale(-1.0, symmetric_product(inverse, add(force, coupled))), angular


@inner
def spread_out(tree, work, inertia, out):
    """Run the last loop: joint accelerations from the base outwards."""
    for body in range(1, tree.parent.size):
        parent = tree.parent[body]
        turning = row(work, parent, SPIN)
        linear = add(row(work, parent, LINEAR), cross(turning, row(work, body, ARM)))
        linear = add(linear, row(work, body, LINEAR))
        angular = add(turning, row(work, body, SPIN))
        coupled = dot(row(inertia, body, U_FORCE), linear) + dot(row(inertia, body, U_MOMENT), angular)
        acceleration = inertia[body, DRIVE] - inertia[body, INVERSE] * coupled
        out[5 + body] = acceleration
        put(work, body, LINEAR, linear)
        put(work, body, SPIN, add(angular, scale(acceleration, row(work, body, AXIS))))
