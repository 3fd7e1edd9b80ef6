"""The moving frame method: B-matrix, its exact rate, and the reduced equations of motion (81) of a tree of bodies.

Equation numbers are those of Kvalvik et al., IMECE2019-10434. States are those of the tree (see docs/architecture.md).
Rows come in blocks of six per moving body (centre's velocity in world axes, angular velocity in body axes); columns
are the joints in order, preceded by the base twist in base axes (linear, angular) where the base floats.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import kernel
from serpenoid.kernels.records import Tree


class Frames(NamedTuple):
    """Pose and motion of every body's frame, in world axes; body b turns about axis[b] through joint[b]."""

    rotation: NDArray  # (bodies, 3, 3) from body to world axes
    axis: NDArray  # (bodies, 3) u = R e
    joint: NDArray  # (bodies, 3) origin of the body's frame [m]
    center: NDArray  # (bodies, 3) [m]
    angular_velocity: NDArray  # (bodies, 3) [rad/s]
    joint_velocity: NDArray  # (bodies, 3) [m/s]
    center_velocity: NDArray  # (bodies, 3) [m/s]


@kernel
def cross(a, b):
    """a x b, both of three numbers, as a tuple."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def turn(axis, angle):
    """Rotation matrix about a unit vector (Rodrigues), as in (18) and (33)."""
    c, s = np.cos(angle), np.sin(angle)
    v = 1.0 - c
    x, y, z = axis[0], axis[1], axis[2]
    return np.array(
        [
            [c + v * x * x, v * x * y - s * z, v * x * z + s * y],
            [v * y * x + s * z, c + v * y * y, v * y * z - s * x],
            [v * z * x - s * y, v * z * y + s * x, c + v * z * z],
        ]
    )


@kernel
def matrix_of_quaternion(w, x, y, z):
    """Rotation matrix of a unit quaternion."""
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


@kernel
def product(a, b, out):
    """out = a b, all 3 x 3."""
    for i in range(3):
        for j in range(3):
            out[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]


@kernel
def image(rotation, vector):
    """R v as a tuple."""
    return (
        rotation[0, 0] * vector[0] + rotation[0, 1] * vector[1] + rotation[0, 2] * vector[2],
        rotation[1, 0] * vector[0] + rotation[1, 1] * vector[1] + rotation[1, 2] * vector[2],
        rotation[2, 0] * vector[0] + rotation[2, 1] * vector[1] + rotation[2, 2] * vector[2],
    )


@kernel
def preimage(rotation, vector):
    """R^T v as a tuple."""
    return (
        rotation[0, 0] * vector[0] + rotation[1, 0] * vector[1] + rotation[2, 0] * vector[2],
        rotation[0, 1] * vector[0] + rotation[1, 1] * vector[1] + rotation[2, 1] * vector[2],
        rotation[0, 2] * vector[0] + rotation[1, 2] * vector[1] + rotation[2, 2] * vector[2],
    )


@kernel
def frames(tree: Tree, state: NDArray) -> Frames:
    """Frame connections E(b) = E(parent) E(b/parent) and their rates, (19) to (60), body by body."""
    bodies = tree.parent.size
    found = Frames(
        np.zeros((bodies, 3, 3)), np.zeros((bodies, 3)), np.zeros((bodies, 3)), np.zeros((bodies, 3)),
        np.zeros((bodies, 3)), np.zeros((bodies, 3)), np.zeros((bodies, 3)),
    )  # fmt: skip
    place_base(tree, state, found)
    relative = np.empty((3, 3))
    for body in range(1, bodies):
        parent = tree.parent[body]
        angle, rate = state[6 + body], state[state.size - bodies + body]
        product(tree.rotation[body], turn(tree.axis[body], angle), relative)
        product(found.rotation[parent], relative, found.rotation[body])
        axis = image(found.rotation[body], tree.axis[body])
        arm = image(found.rotation[parent], tree.offset[body])
        sweep = cross(found.angular_velocity[parent], arm)
        for k in range(3):
            found.axis[body, k] = axis[k]
            found.joint[body, k] = found.joint[parent, k] + arm[k]
            found.joint_velocity[body, k] = found.joint_velocity[parent, k] + sweep[k]
            found.angular_velocity[body, k] = found.angular_velocity[parent, k] + rate * axis[k]
        place_center(tree, body, found)
    return found


@kernel
def place_base(tree, state, found):
    """Body 0 from the state; a fixed base has a pose and no motion."""
    found.rotation[0] = matrix_of_quaternion(state[3], state[4], state[5], state[6])
    found.joint[0] = state[:3]
    if not tree.fixed_base:
        start = 6 + tree.parent.size
        velocity = image(found.rotation[0], state[start : start + 3])
        angular = image(found.rotation[0], state[start + 3 : start + 6])
        for k in range(3):
            found.joint_velocity[0, k] = velocity[k]
            found.angular_velocity[0, k] = angular[k]
    place_center(tree, 0, found)


@kernel
def place_center(tree, body, found):
    """Centre of mass and its velocity from the body's frame."""
    arm = image(found.rotation[body], tree.center[body])
    sweep = cross(found.angular_velocity[body], arm)
    for k in range(3):
        found.center[body, k] = found.joint[body, k] + arm[k]
        found.center_velocity[body, k] = found.joint_velocity[body, k] + sweep[k]


@kernel
def empty_matrix(tree):
    """Zeros of the shape of B, with contiguous columns."""
    bodies = tree.parent.size
    if tree.fixed_base:
        return np.zeros((bodies - 1, 6 * (bodies - 1))).T
    return np.zeros((bodies + 5, 6 * bodies)).T


@kernel
def b_matrix(tree: Tree, found: Frames) -> NDArray:
    """B of X' = B q', (85) to (115): u x (x_C(a) - x_J) over R(a)^T u for each joint between body a and the base."""
    matrix = empty_matrix(tree)
    first = 1 if tree.fixed_base else 0
    for body in range(first, tree.parent.size):
        row = 6 * (body - first)
        ancestor = body
        while ancestor > 0:
            column = ancestor - 1 if tree.fixed_base else ancestor + 5
            b_column(found, body, ancestor, found.axis[ancestor], matrix[row : row + 6, column])
            ancestor = tree.parent[ancestor]
        if not tree.fixed_base:
            for k in range(3):
                matrix[row : row + 3, k] = found.rotation[0, :, k]
                b_column(found, body, 0, found.rotation[0, :, k], matrix[row : row + 6, 3 + k])
    return matrix


@kernel
def b_column(found, body, pivot, axis, out):
    """Six rows of B for one body turned about an axis through the origin of the pivot's frame."""
    velocity = cross(axis, found.center[body] - found.joint[pivot])
    angular = preimage(found.rotation[body], axis)
    for k in range(3):
        out[k] = velocity[k]
        out[3 + k] = angular[k]


@kernel
def b_matrix_rate(tree: Tree, found: Frames) -> NDArray:
    """B' in closed form, which the paper leaves as future work.

    u' = Omega(n) x u; velocity rows: u' x (x_C(a) - x_J(n)) + u x (v_C(a) - v_J(n));
    angular rows: R(a)^T ((Omega(n) - Omega(a)) x u), all Omega in world axes.
    """
    matrix = empty_matrix(tree)
    first = 1 if tree.fixed_base else 0
    for body in range(first, tree.parent.size):
        row = 6 * (body - first)
        ancestor = body
        while ancestor > 0:
            column = ancestor - 1 if tree.fixed_base else ancestor + 5
            b_column_rate(found, body, ancestor, found.axis[ancestor], matrix[row : row + 6, column])
            ancestor = tree.parent[ancestor]
        if not tree.fixed_base:
            for k in range(3):
                swept = cross(found.angular_velocity[0], found.rotation[0, :, k])
                for i in range(3):
                    matrix[row + i, k] = swept[i]
                b_column_rate(found, body, 0, found.rotation[0, :, k], matrix[row : row + 6, 3 + k])
    return matrix


@kernel
def b_column_rate(found, body, pivot, axis, out):
    """Rate of the six rows of b_column."""
    axis_rate = cross(found.angular_velocity[pivot], axis)
    turned = cross(axis_rate, found.center[body] - found.joint[pivot])
    moved = cross(axis, found.center_velocity[body] - found.joint_velocity[pivot])
    relative = cross(found.angular_velocity[pivot] - found.angular_velocity[body], axis)
    angular = preimage(found.rotation[body], relative)
    for k in range(3):
        out[k] = turned[k] + moved[k]
        out[3 + k] = angular[k]


@kernel
def times_mass(tree: Tree, matrix: NDArray) -> NDArray:
    """M B: each body's velocity rows times its mass, its angular rows times its inertia."""
    scaled = np.zeros((matrix.shape[1], matrix.shape[0])).T
    first = tree.parent.size - matrix.shape[0] // 6
    for column in range(matrix.shape[1]):
        for row in range(first_row(tree, column), matrix.shape[0], 6):
            body = first + row // 6
            momentum = image(tree.inertia[body], matrix[row + 3 : row + 6, column])
            for k in range(3):
                scaled[row + k, column] = tree.mass[body] * matrix[row + k, column]
                scaled[row + 3 + k, column] = momentum[k]
    return scaled


@kernel
def first_row(tree, column):
    """Above this row a column of B is zero: a joint moves no body that comes before its own."""
    if tree.fixed_base:
        return 6 * column
    return 6 * max(column - 5, 0)


@kernel
def add_gyroscopic(tree: Tree, found: Frames, weighted: NDArray, out: NDArray) -> None:
    """out += D (M B) of (73) and (83): omega x in the angular rows, omega in body axes."""
    first = tree.parent.size - weighted.shape[0] // 6
    for body in range(first, tree.parent.size):
        row = 6 * (body - first) + 3
        omega = preimage(found.rotation[body], found.angular_velocity[body])
        for column in range(weighted.shape[1]):
            moment = cross(omega, weighted[row : row + 3, column])
            for k in range(3):
                out[row + k, column] += moment[k]


@kernel
def reduce(tree: Tree, left: NDArray, right: NDArray) -> NDArray:
    """left^T right over the rows where neither is zero; columns are contiguous."""
    columns = left.shape[1]
    reduced = np.empty((columns, columns))
    for i in range(columns):
        for j in range(columns):
            start = max(first_row(tree, i), first_row(tree, j))
            reduced[i, j] = inner(left[start:, i], right[start:, j])
    return reduced


@kernel
def inner(a, b):
    """a . b of two contiguous vectors, in a loop that the compiler turns into vector instructions."""
    total = 0.0
    for k in range(a.size):
        total += a[k] * b[k]
    return total


@kernel
def reduced_equations(tree: Tree, state: NDArray, gravity: NDArray):
    """M* = B^T M B (82), N* = B^T (M B' + D M B) (83), and B^T Q (79) of the weights alone.

    M* q'' + N* q' = F* (81), where F* is this weight [N, N m] plus the torque of each joint's motor on its column.
    """
    found = frames(tree, state)
    matrix = b_matrix(tree, found)
    weighted = times_mass(tree, matrix)
    rate = times_mass(tree, b_matrix_rate(tree, found))
    add_gyroscopic(tree, found, weighted, rate)
    weight = np.zeros(matrix.shape[1])
    for column in range(matrix.shape[1]):
        for row in range(first_row(tree, column), matrix.shape[0], 6):
            for k in range(3):
                weight[column] += weighted[row + k, column] * gravity[k]
    return reduce(tree, matrix, weighted), reduce(tree, matrix, rate), weight


@kernel
def velocities(tree: Tree, state: NDArray) -> NDArray:
    """q': the base twist, where the base floats, and the joint rates."""
    joints = tree.parent.size - 1
    return state[state.size - joints :] if tree.fixed_base else state[7 + joints :]


@kernel
def forward(tree: Tree, state: NDArray, torque: NDArray, gravity: NDArray) -> NDArray:
    """q'' = M*^-1 (F* - N* q') (84) under motor torques (joints,) [N m] and gravity (3,) [m/s^2]."""
    mass, coupling, force = reduced_equations(tree, state, gravity)
    rates = velocities(tree, state)
    base = force.size - torque.size
    for i in range(force.size):
        if i >= base:
            force[i] += torque[i - base]
        for j in range(force.size):
            force[i] -= coupling[i, j] * rates[j]
    return np.linalg.solve(mass, force)


@kernel
def inverse(tree: Tree, state: NDArray, joint_acceleration: NDArray, gravity: NDArray):
    """(81) the other way round: q'' and the motor torques [N m] that give the joints their accelerations.

    A floating base is pushed by no motor: its six rows are solved for its own acceleration first.
    """
    mass, coupling, weight = reduced_equations(tree, state, gravity)
    rates = velocities(tree, state)
    base = weight.size - joint_acceleration.size
    acceleration = np.zeros(weight.size)
    acceleration[base:] = joint_acceleration
    missing = -weight
    for i in range(weight.size):
        for j in range(weight.size):
            missing[i] += coupling[i, j] * rates[j] + mass[i, j] * acceleration[j]
    if base > 0:
        acceleration[:base] = np.linalg.solve(mass[:base, :base].copy(), -missing[:base])
        for i in range(base, weight.size):
            for j in range(base):
                missing[i] += mass[i, j] * acceleration[j]
    return acceleration, missing[base:].copy()
