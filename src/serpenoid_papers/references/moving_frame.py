"""Moving frame method: B-matrix, its exact rate, and the reduced equations of motion (81) of a tree of bodies.

Equation numbers are those of Kvalvik et al., IMECE2019-10434. States are those of docs/theory/tree-and-water.md.
Rows come in blocks of six per moving body (centre's velocity in world axes, angular velocity in body axes). Columns are
the joints in order, preceded by the base twist in base axes (linear, angular) if the base floats.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.lie import add, cross, matrix, rotate, rotate_back, rotation_of, row, subtract
from serpenoid.kernels.linear import copy, factorise, solve
from serpenoid.kernels.records import Tree
from serpenoid.kernels.tree.frames import (
    ANGULAR,
    AXIS,
    LINEAR,
    POSITION,
    get_rotation,
    move,
    place_base,
    place_body,
    workspace,
)

STILL = (0.0, 0.0, 0.0)
TILE = 8  # columns of B


class Space(NamedTuple):
    """Work arrays, allocated once per tree by matrix_space(), because allocation costs more than the arithmetic."""

    b: NDArray  # (rows, columns) like the next two: 6 per moving body, one per degree of freedom
    weighted: NDArray
    rate: NDArray
    mass: NDArray  # (columns, columns)
    coupling: NDArray  # (columns, columns)


@kernel
def frames(tree: Tree, state: NDArray) -> NDArray:
    """Compute frame connections E(b) = E(parent) E(b/parent) and their rates, (19) to (60), in world axes."""
    joints = tree.parent.size - 1
    work = workspace(tree)
    R = rotation_of((state[3], state[4], state[5], state[6]))
    place_base(R, (state[0], state[1], state[2]), work)
    for body in range(1, joints + 1):
        place_body(tree, body, state[6 + body], work)
    linear, angular = STILL, STILL
    if not tree.fixed_base:
        twist = state[7 + joints : 13 + joints]
        linear, angular = rotate(R, (twist[0], twist[1], twist[2])), rotate(R, (twist[3], twist[4], twist[5]))
    move(tree, linear, angular, state[state.size - joints :], work)
    return work


@kernel
def empty_matrix(tree):
    """Return zeros of the shape of B, with contiguous columns."""
    bodies = tree.parent.size
    if tree.fixed_base:
        return np.zeros((bodies - 1, 6 * (bodies - 1))).T
    return np.zeros((bodies + 5, 6 * bodies)).T


@kernel
def matrix_space(tree: Tree) -> Space:
    """Return a Space for reduced_equations(), forward() and inverse()."""
    b = empty_matrix(tree)
    columns = b.shape[1]
    return Space(b, empty_matrix(tree), empty_matrix(tree), np.zeros((columns, columns)), np.zeros((columns, columns)))


@inner
def put_block(out, start, column, velocity, angular):
    """Set six rows of one column."""
    for k in range(3):
        out[start + k, column] = velocity[k]
        out[start + 3 + k, column] = angular[k]


@inner
def base_axis(work, k):
    """Return axis k of the base in world axes."""
    return (work[0, k], work[0, 3 + k], work[0, 6 + k])


@kernel
def b_matrix(tree: Tree, work: NDArray, out: NDArray) -> NDArray:
    """Compute B of X' = B q', (85) to (115): u x (x_C(a) - x_J) over R(a)^T u for each joint between body a and the
    base.

    `work` comes from frames(), `out` from empty_matrix(); `out` is returned.
    """
    first, columns = (1, -1) if tree.fixed_base else (0, 5)
    for body in range(first, tree.parent.size):
        start = 6 * (body - first)
        R = get_rotation(work, body)
        center = add(row(work, body, POSITION), rotate(R, row(tree.center, body, 0)))
        pivot = body
        while pivot > 0:
            axis = row(work, pivot, AXIS)
            lever = subtract(center, row(work, pivot, POSITION))
            put_block(out, start, columns + pivot, cross(axis, lever), rotate_back(R, axis))
            pivot = tree.parent[pivot]
        if not tree.fixed_base:
            lever = subtract(center, row(work, 0, POSITION))
            for k in range(3):
                axis = base_axis(work, k)
                put_block(out, start, k, axis, STILL)
                put_block(out, start, 3 + k, cross(axis, lever), rotate_back(R, axis))
    return out


@kernel
def b_matrix_rate(tree: Tree, work: NDArray, out: NDArray) -> NDArray:
    """Compute B' in closed form, which the paper leaves as future work; Omega and v in world axes.

    u' = Omega(n) x u. Velocity rows: u' x (x_C(a) - x_J(n)) + u x (v_C(a) - v_J(n)). Angular rows: R(a)^T ((Omega(n) -
    Omega(a)) x u). Arguments as of b_matrix().
    """
    first, columns = (1, -1) if tree.fixed_base else (0, 5)
    for body in range(first, tree.parent.size):
        start = 6 * (body - first)
        R, omega = get_rotation(work, body), row(work, body, ANGULAR)
        arm = rotate(R, row(tree.center, body, 0))
        center = add(row(work, body, POSITION), arm)
        velocity = add(row(work, body, LINEAR), cross(omega, arm))
        pivot = body
        while pivot > 0:
            turned, spun = column_rate(work, pivot, row(work, pivot, AXIS), center, velocity, omega)
            put_block(out, start, columns + pivot, turned, rotate_back(R, spun))
            pivot = tree.parent[pivot]
        if not tree.fixed_base:
            for k in range(3):
                axis = base_axis(work, k)
                turned, spun = column_rate(work, 0, axis, center, velocity, omega)
                put_block(out, start, k, cross(row(work, 0, ANGULAR), axis), STILL)
                put_block(out, start, 3 + k, turned, rotate_back(R, spun))
    return out


@inner
def column_rate(work, pivot, axis, center, velocity, omega):
    """Return the two rates of b_matrix_rate for one axis through a pivot's origin, both in world axes."""
    pivot_omega = row(work, pivot, ANGULAR)
    lever = subtract(center, row(work, pivot, POSITION))
    lever_rate = subtract(velocity, row(work, pivot, LINEAR))
    turned = add(cross(cross(pivot_omega, axis), lever), cross(axis, lever_rate))
    return turned, cross(subtract(pivot_omega, omega), axis)


@inner
def first_row(tree, column):
    """Return the first nonzero row of a column of B; a joint does not move bodies before its own."""
    return 6 * column if tree.fixed_base else 6 * max(column - 5, 0)


@kernel
def times_mass(tree: Tree, b: NDArray, out: NDArray) -> None:
    """Compute out = M b of (63), also in place: velocity rows times mass, angular rows times inertia."""
    first = 1 if tree.fixed_base else 0
    for column in range(b.shape[1]):
        for start in range(first_row(tree, column), b.shape[0], 6):
            body = first + start // 6
            mass, v, w = tree.mass[body], b[start : start + 3, column], b[start + 3 : start + 6, column]
            momentum = rotate(matrix(tree.inertia[body]), (w[0], w[1], w[2]))
            put_block(out, start, column, (mass * v[0], mass * v[1], mass * v[2]), momentum)


@kernel
def add_gyroscopic(tree: Tree, work: NDArray, weighted: NDArray, out: NDArray) -> None:
    """Add D (M B) of (73) and (83) to `out`: omega x in the angular rows, omega in body axes."""
    first = 1 if tree.fixed_base else 0
    for body in range(first, tree.parent.size):
        start = 6 * (body - first) + 3
        omega = rotate_back(get_rotation(work, body), row(work, body, ANGULAR))
        for column in range(weighted.shape[1]):
            h = weighted[start : start + 3, column]
            moment = cross(omega, (h[0], h[1], h[2]))
            for k in range(3):
                out[start + k, column] += moment[k]


@kernel
def reduce(tree: Tree, left: NDArray, right: NDArray, out: NDArray) -> None:
    """Compute out = left^T right over the nonzero rows; blocks of columns of the left stay in the cache."""
    columns = left.shape[1]
    for first in range(0, columns, TILE):
        for j in range(columns):
            for i in range(first, min(first + TILE, columns)):
                start = max(first_row(tree, i), first_row(tree, j))
                out[i, j] = dot_product(left[start:, i], right[start:, j])


@kernel
def dot_product(a, b):
    """Return a . b of two contiguous vectors, in a loop that the compiler vectorises."""
    total = 0.0
    for k in range(a.size):
        total += a[k] * b[k]
    return total


@kernel
def reduced_equations(tree: Tree, state: NDArray, gravity: NDArray, space: Space):
    """Compute M* = B^T M B (82), N* = B^T (M B' + D M B) (83), and B^T Q (79) of the weights alone.

    M* q'' + N* q' = F* (81), where F* is this weight [N, N m] plus the torque of each joint's motor on its column. M*
    and N* are stored in the space; the next call overwrites them.
    """
    work = frames(tree, state)
    b, weighted = b_matrix(tree, work, space.b), space.weighted
    times_mass(tree, b, weighted)
    b_matrix_rate(tree, work, space.rate)
    times_mass(tree, space.rate, space.rate)
    add_gyroscopic(tree, work, weighted, space.rate)
    weight = np.zeros(b.shape[1])
    for column in range(b.shape[1]):
        for start in range(first_row(tree, column), b.shape[0], 6):
            for k in range(3):
                weight[column] += weighted[start + k, column] * gravity[k]
    reduce(tree, b, weighted, space.mass)
    reduce(tree, b, space.rate, space.coupling)
    return space.mass, space.coupling, weight


@kernel
def velocities(tree: Tree, state: NDArray) -> NDArray:
    """Return q': the base twist, if the base floats, and the joint rates."""
    joints = tree.parent.size - 1
    return state[state.size - joints :] if tree.fixed_base else state[7 + joints :]


@kernel
def forward(tree: Tree, state: NDArray, torque: NDArray, gravity: NDArray, space: Space) -> NDArray:
    """Return q'' = M*^-1 (F* - N* q') (84) under motor torques (joints,) [N m] and gravity (3,) [m/s^2]."""
    mass, coupling, force = reduced_equations(tree, state, gravity, space)
    rates = velocities(tree, state)
    for i in range(force.size):
        force[i] -= dot_product(coupling[i], rates)
    for i in range(torque.size):
        force[force.size - torque.size + i] += torque[i]
    factorise(mass, force.size)
    solve(mass, force.size, force)
    return force


@kernel
def inverse(tree: Tree, state: NDArray, joint_acceleration: NDArray, gravity: NDArray, space: Space):
    """Solve (84) inversely: return q'' and the motor torques [N m] for given joint accelerations.

    No motor acts on a floating base, so its six rows are solved first for its acceleration.
    """
    mass, coupling, weight = reduced_equations(tree, state, gravity, space)
    rates = velocities(tree, state)
    base = weight.size - joint_acceleration.size
    acceleration = np.zeros(weight.size)
    copy(joint_acceleration, 0, acceleration, base, joint_acceleration.size)
    missing = np.empty(weight.size)
    for i in range(weight.size):
        missing[i] = dot_product(mass[i], acceleration) + dot_product(coupling[i], rates) - weight[i]
    if base > 0:
        block = mass[:base, :base].copy()
        for i in range(base):
            acceleration[i] = -missing[i]
        factorise(block, base)
        solve(block, base, acceleration)
        for i in range(base, weight.size):
            missing[i] += dot_product(mass[i, :base], acceleration[:base])
    return acceleration, missing[base:].copy()
