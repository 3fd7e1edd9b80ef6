"""Positions and velocities of the bodies of a tree, one row per body of a workspace.

All vectors of a workspace are in base axes (or world axes, if the base's rotation is given), each body about its own
origin. Going from child to parent then needs no rotation, only the arm between the two origins.
"""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.lie import (
    IDENTITY,
    add,
    compose,
    cross,
    matrix,
    put,
    rotate,
    rotate_inertia,
    row,
    scale,
    steiner,
    turn,
)

# Columns of a body's row in the workspace; the first 9 are the rotation from body to base axes.
POSITION = 9  # 3: origin [m]
AXIS = 12  # 3: of the hinge to the parent
ARM = 15  # 3: from the parent's origin to the body's [m]
ANGULAR = 18  # 3: angular velocity [rad/s]
LINEAR = 21  # 3: velocity of the origin, or (12)'s linear part of zeta [m/s], [m/s^2]
SPIN = 24  # 3: angular part of zeta + A ddq [rad/s^2]
CENTER = 27  # 3: first moment of mass about the origin [kg m]
INERTIA = 30  # 6: about the origin [kg m^2]
MASS = 36  # 1 [kg]
FORCE = 37  # 3: linear part of beta [N]
MOMENT = 40  # 3: angular part of beta [N m]
COLUMNS = 44


@kernel
def workspace(tree):
    """Allocate a workspace (bodies, COLUMNS) for the functions of the tree."""
    return np.zeros((tree.parent.size, COLUMNS))


@inner
def put_rotation(array, index, R):
    """Write a rotation into the first nine columns of a row."""
    for k in range(9):
        array[index, k] = R[k]


@inner
def get_rotation(array, index):
    """Return the rotation in the first nine columns of a row."""
    a = array[index]
    return (a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8])


@inner
def place_body(tree, body, angle, work):
    """Compute rotation, position, hinge axis and arm of one body from its parent's row."""
    parent = tree.parent[body]
    R = get_rotation(work, parent)
    arm = rotate(R, row(tree.offset, body, 0))
    fixed = tree.rotation[body]
    if not (fixed[0, 0] == 1.0 and fixed[1, 1] == 1.0):
        R = compose(R, matrix(fixed))
    axis = row(tree.axis, body, 0)
    put(work, body, AXIS, rotate(R, axis))
    put_rotation(work, body, turn(R, axis, angle))
    put(work, body, ARM, arm)
    put(work, body, POSITION, add(row(work, parent, POSITION), arm))


@inner
def place_base(R, position, work):
    """Set the pose of body 0."""
    put_rotation(work, 0, R)
    put(work, 0, POSITION, position)


@inner
def place(tree, angles, work):
    """Compute rotations, positions, axes and arms of all bodies, in base axes from the base's origin."""
    place_base(IDENTITY, (0.0, 0.0, 0.0), work)
    for body in range(1, tree.parent.size):
        place_body(tree, body, angles[body - 1], work)


@inner
def move(tree, linear, angular, rates, work):
    """Compute the velocities (5) of all placed bodies from the base's (linear, angular), in the workspace's axes."""
    put(work, 0, LINEAR, linear)
    put(work, 0, ANGULAR, angular)
    for body in range(1, tree.parent.size):
        parent = tree.parent[body]
        omega = row(work, parent, ANGULAR)
        put(work, body, LINEAR, add(row(work, parent, LINEAR), cross(omega, row(work, body, ARM))))
        put(work, body, ANGULAR, add(omega, scale(rates[body - 1], row(work, body, AXIS))))


@inner
def weigh_body(tree, body, work):
    """Compute mass, first moment and inertia about its origin of one placed body; return the last two."""
    mass = tree.mass[body]
    R = get_rotation(work, body)
    center = rotate(R, row(tree.center, body, 0))
    own, shift = rotate_inertia(R, tree.inertia[body]), steiner(mass, center)
    inertia = (
        own[0] + shift[0], own[1] + shift[1], own[2] + shift[2],
        own[3] + shift[3], own[4] + shift[4], own[5] + shift[5],
    )  # fmt: skip
    moment = scale(mass, center)
    work[body, MASS] = mass
    put(work, body, CENTER, moment)
    put_inertia(work, body, inertia)
    return moment, inertia


@inner
def put_inertia(work, body, inertia):
    """Write (xx, yy, zz, xy, xz, yz) into a body's row."""
    for k in range(6):
        work[body, INERTIA + k] = inertia[k]


@inner
def get_inertia(work, body):
    """Return (xx, yy, zz, xy, xz, yz) of a body's row."""
    a = work[body]
    return (a[INERTIA], a[INERTIA + 1], a[INERTIA + 2], a[INERTIA + 3], a[INERTIA + 4], a[INERTIA + 5])


@inner
def absorb_inertia(work, parent, body):
    """Add a body's composite inertia to its parent's: M*_j += Ad^T M*_{j+1} Ad, first line of (12), by the arm r.

    About the parent's origin: h' = h + m r, I' = I + (2 h.r + m r.r) 1 - h r^T - r h^T - m r r^T.
    """
    m, h, r = work[body, MASS], row(work, body, CENTER), row(work, body, ARM)
    g = add(scale(2.0, h), scale(m, r))
    xx, yy, zz = g[0] * r[0], g[1] * r[1], g[2] * r[2]
    s = add(h, scale(m, r))
    work[parent, MASS] += m
    put(work, parent, CENTER, add(row(work, parent, CENTER), s))
    work[parent, INERTIA] += work[body, INERTIA] + yy + zz
    work[parent, INERTIA + 1] += work[body, INERTIA + 1] + xx + zz
    work[parent, INERTIA + 2] += work[body, INERTIA + 2] + xx + yy
    work[parent, INERTIA + 3] += work[body, INERTIA + 3] - s[0] * r[1] - r[0] * h[1]
    work[parent, INERTIA + 4] += work[body, INERTIA + 4] - s[0] * r[2] - r[0] * h[2]
    work[parent, INERTIA + 5] += work[body, INERTIA + 5] - s[1] * r[2] - r[1] * h[2]
