"""Exact maxima of a push from rest over the input region.

Forces are a continuous, piecewise linear function of the torque. On a face every row holds, is at a limit, or is at the
edge between the two. Forces are affine in the torque there, and the norms quadratic. A maximum over the region is a
local maximum of such a quadratic on the plane of its face, in the ball of the region. There are few of these candidates
per face. The complete problem is solved at each of them, so that none overestimates.

The ratio is a quotient of norms. Dinkelbach's method maximises (1 - r) |a_obj|^2 - r |qdd|^2 with r the best ratio so
far.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.linear import append_row, solve
from serpenoid.kernels.push.constraints import operators
from serpenoid.kernels.push.sphere import CANDIDATES, ball_candidates
from serpenoid.kernels.push.survey import raise_greatest, survey_work, torques_in_region

HOLDS, LOW, HIGH, EDGE_LOW, EDGE_HIGH = range(5)  # of a row on a face
FLAT = 1e-9  # relative size below which a normal depends on others
QUOTIENTS = 30  # most iterations of Dinkelbach's method; it converges faster than linearly
SETTLED = 1e-12  # relative change of the ratio at which it has converged


class Face(NamedTuple):
    """Affine forces of one face, and its plane in the ball of the region: start + basis[:, :dimension] y."""

    choice: NDArray  # (rows,) int64
    slope: NDArray  # (rows, joints) force per point of the ball
    fixed: NDArray  # (rows,) force at its centre
    start: NDArray  # (joints,) the point nearest to the centre
    basis: NDArray  # (joints, joints) orthonormal; directions in the plane come first
    members: NDArray  # (rows,) int64, scratch
    factor: NDArray  # (rows + 1, rows) scratch
    vector: NDArray  # (joints,) scratch
    column: NDArray  # (rows,) scratch


@kernel
def empty_face(rows, joints):
    """Allocate a face."""
    return Face(
        choice=np.empty(rows, np.int64),
        slope=np.empty((rows, joints)),
        fixed=np.empty(rows),
        start=np.empty(joints),
        basis=np.empty((joints, joints)),
        members=np.empty(rows, np.int64),
        factor=np.empty((rows + 1, rows)),
        vector=np.empty(joints),
        column=np.empty(rows),
    )


class Forms(NamedTuple):
    """Operators in coordinates of the ball, and the quadratic of one goal."""

    drive: NDArray  # (rows, joints)
    torque: NDArray  # (joints, joints) torque of each unit point
    weight: NDArray  # (rows, rows) of the goal, over the forces
    hessian: NDArray  # (joints, joints)
    gradient: NDArray  # (joints,) at the centre


def choices_of(limits: NDArray) -> list[list[int]]:
    """Return the possible choices of every row, for limits (rows, 2)."""
    found = []
    for lower, upper in limits:
        if lower == upper:
            found.append([LOW])
            continue
        below = [LOW, EDGE_LOW] if np.isfinite(lower) else []
        found.append([HOLDS, *below, *([HIGH, EDGE_HIGH] if np.isfinite(upper) else [])])
    return found


@inner
def affine_forces(ops, limits, drive, face):
    """Compute slope and fixed part of the forces; return False if the rows that hold are linearly dependent.

    In that case a different face has the same motions. Dependent rows without limits have no such face; their
    force is zero.
    """
    rows, joints = drive.shape
    count = 0
    for unlimited in (True, False):
        for row in range(rows):
            choice = face.choice[row]
            if np.isinf(limits[row, 0]) != unlimited:
                continue
            face.fixed[row] = limits[row, 0] if choice == LOW else limits[row, 1] if choice == HIGH else 0.0
            for joint in range(joints):
                face.slope[row, joint] = 0.0
            if choice in (LOW, HIGH):
                continue
            if append_row(ops.gram, row, face.members, count, face.factor):
                count += 1
            elif not unlimited:
                return False
    column = face.factor[rows]
    for joint in range(joints + 1):
        for a in range(count):
            row = face.members[a]
            column[a] = 0.0 if joint == joints else drive[row, joint]
            for other in range(rows if joint == joints else 0):
                column[a] -= ops.gram[row, other] * face.fixed[other]
        solve(face.factor, count, column)
        for a in range(count):
            if joint == joints:
                face.fixed[face.members[a]] = column[a]
            else:
                face.slope[face.members[a], joint] = column[a]
    return True


@inner
def orthogonal_part(vector, basis, first):
    """Remove the directions basis[:, first:] from a vector; return its length."""
    for _ in range(2):  # the second pass removes the rounding of the first
        for column in range(first, vector.size):
            share = 0.0
            for axis in range(vector.size):
                share += vector[axis] * basis[axis, column]
            for axis in range(vector.size):
                vector[axis] -= share * basis[axis, column]
    return length_of(vector)


@inner
def length_of(vector):
    """Return the Euclidean length of a vector."""
    total = 0.0
    for axis in range(vector.size):
        total += vector[axis] ** 2
    return np.sqrt(total)


@inner
def complete_basis(basis, first, vector):
    """Fill basis[:, :first] with directions orthogonal to basis[:, first:]."""
    size = vector.size
    for column in range(first - 1, -1, -1):
        longest = 0.0
        for axis in range(size):
            for k in range(size):
                vector[k] = 1.0 if k == axis else 0.0
            length = orthogonal_part(vector, basis, column + 1)
            if length > 1.001 * longest:
                longest = length
                for k in range(size):
                    basis[k, column] = vector[k] / length


@inner
def cut_plane(limits, face):
    """Compute start and basis of the plane on which every edge row is at its limit.

    Return its dimension, or -1 if it misses the ball or its normals depend on one another.
    """
    joints = face.start.size
    dimension = joints
    for joint in range(joints):
        face.start[joint] = 0.0
    for row in range(face.choice.size):
        if face.choice[row] < EDGE_LOW:
            continue
        missing = limits[row, 0 if face.choice[row] == EDGE_LOW else 1] - face.fixed[row]
        for joint in range(joints):
            face.vector[joint] = face.slope[row, joint]
            missing -= face.slope[row, joint] * face.start[joint]
        whole = length_of(face.vector)
        length = orthogonal_part(face.vector, face.basis, dimension)
        if dimension == 0 or not length > FLAT * whole:
            return -1
        dimension -= 1
        for joint in range(joints):
            face.basis[joint, dimension] = face.vector[joint] / length
            face.start[joint] += missing / length * face.basis[joint, dimension]
    if length_of(face.start) > 1.0:
        return -1
    complete_basis(face.basis, dimension, face.vector)
    return dimension


@inner
def extent_of(normal, offset, face, dimension):
    """Return the least and greatest value of an affine function of the ball on the plane of a face, with slack."""
    value, reach = offset, 0.0
    for joint in range(normal.size):
        value += normal[joint] * face.start[joint]
    for column in range(dimension):
        along = 0.0
        for joint in range(normal.size):
            along += normal[joint] * face.basis[joint, column]
        reach += along * along
    reach = np.sqrt(reach * max(0.0, 1.0 - length_of(face.start) ** 2))
    slack = FLAT * (abs(value) + abs(offset) + reach)
    return value - reach - slack, value + reach + slack


@inner
def is_reachable(ops, limits, drive, face, dimension):
    """Return whether every condition of a face can hold in the ball; False proves that the face is empty."""
    rows, joints = drive.shape
    for row in range(rows):
        choice = face.choice[row]
        if choice == HOLDS:
            least, most = extent_of(face.slope[row], face.fixed[row], face, dimension)
            if most < limits[row, 0] or least > limits[row, 1]:
                return False
        elif choice < EDGE_LOW and limits[row, 0] < limits[row, 1]:
            offset = 0.0
            for joint in range(joints):
                face.vector[joint] = -drive[row, joint]
            for other in range(rows):
                offset += ops.gram[row, other] * face.fixed[other]
                for joint in range(joints):
                    face.vector[joint] += ops.gram[row, other] * face.slope[other, joint]
            least, most = extent_of(face.vector, offset, face, dimension)
            if (choice == LOW and most < 0.0) or (choice == HIGH and least > 0.0):
                return False
    return True


@inner
def weigh(push, ops, of_object, of_chain, of_force, weight):
    """Compute the matrix over the forces of a sum of the three norms."""
    for row in range(weight.shape[0]):
        for other in range(weight.shape[0]):
            shared = ops.grip[row, 0] * ops.grip[other, 0] + ops.grip[row, 1] * ops.grip[other, 1]
            weight[row, other] = (
                of_object * shared / push.object_mass
                + of_chain * ops.chain_gram[row, other]
                + of_force * ops.gram[row, other]
            )


@inner
def quadratic_on(face, forms, of_chain, unit_mass):
    """Compute Hessian and gradient at the centre of the weighted norms, for the affine forces of a face."""
    rows, joints = forms.drive.shape
    for joint in range(joints + 1):
        for row in range(rows):
            value = 0.0
            for other in range(rows):
                value += forms.weight[row, other] * (face.fixed[other] if joint == joints else face.slope[other, joint])
            face.column[row] = 2.0 * value
        for a in range(joints):
            value = 2.0 * of_chain / unit_mass if a == joint else 0.0
            for row in range(rows):
                value += face.slope[row, a] * face.column[row]
                value -= (
                    2.0
                    * of_chain
                    * (
                        forms.drive[row, a] * (face.fixed[row] if joint == joints else face.slope[row, joint])
                        + (0.0 if joint == joints else face.slope[row, a] * forms.drive[row, joint])
                    )
                )
            if joint == joints:
                forms.gradient[a] = value
            else:
                forms.hessian[a, joint] = value


@inner
def reduce_quadratic(face, forms, dimension, hessian, gradient):
    """Compute Hessian and gradient at the start of a face, in the directions of its plane."""
    joints = face.start.size
    for a in range(dimension):
        for joint in range(joints):
            value = 0.0
            for other in range(joints):
                value += forms.hessian[joint, other] * face.basis[other, a]
            face.vector[joint] = value
        gradient[a] = 0.0
        for joint in range(joints):
            gradient[a] += forms.gradient[joint] * face.basis[joint, a] + face.vector[joint] * face.start[joint]
        for b in range(dimension):
            hessian[b, a] = 0.0
            for joint in range(joints):
                hessian[b, a] += face.basis[joint, b] * face.vector[joint]


@kernel
def candidates_on(face, forms, dimension, torques):
    """Fill the torques of the possible maxima of the quadratic on a face; return their number."""
    joints = face.start.size
    hessian, gradient = np.empty((dimension, dimension)), np.empty(dimension)
    reduce_quadratic(face, forms, dimension, hessian, gradient)
    radius = np.sqrt(max(0.0, 1.0 - length_of(face.start) ** 2))
    points = np.zeros((CANDIDATES, dimension))
    count = ball_candidates(hessian, gradient, radius, points)
    for c in range(count):
        for joint in range(joints):
            face.vector[joint] = face.start[joint]
            for column in range(dimension):
                face.vector[joint] += face.basis[joint, column] * points[c, column]
        for joint in range(joints):
            torques[c, joint] = 0.0
            for a in range(joints):
                torques[c, joint] += face.vector[a] * forms.torque[a, joint]
    return count


@inner
def next_choice(choices, counts, index, choice):
    """Advance to the next combination of choices; return False after the last one."""
    for row in range(choice.size):
        index[row] += 1
        if index[row] < counts[row]:
            choice[row] = choices[row, index[row]]
            return True
        index[row] = 0
        choice[row] = choices[row, 0]
    return False


@kernel
def try_faces(push, ops, unit_mass, choices, counts, weights, forms, face, scratch, greatest, best):
    """Evaluate the candidates of one goal on every face; raise the greatest values and return the largest residual."""
    rows, joints = forms.drive.shape
    weigh(push, ops, weights[0], weights[1], weights[2], forms.weight)
    index, torques, worst = np.zeros(rows, np.int64), np.empty((CANDIDATES, joints)), 0.0
    for row in range(rows):
        face.choice[row] = choices[row, 0]
    while True:
        if affine_forces(ops, push.limits, forms.drive, face):
            dimension = cut_plane(push.limits, face)
            if dimension >= 0 and is_reachable(ops, push.limits, forms.drive, face, dimension):
                quadratic_on(face, forms, weights[1], unit_mass)
                for c in range(candidates_on(face, forms, dimension, torques)):
                    residual = raise_greatest(push, ops, torques[c], True, scratch, greatest, best)
                    worst = worst if residual <= worst else residual
        if not next_choice(choices, counts, index, face.choice):
            return worst


@kernel
def raise_to_maxima(push, shapes, unit_mass, choices, counts, greatest, best):
    """Raise the greatest values (count, 4) of every shape, and their torques, to the exact maxima.

    choices (rows, 5) and counts (rows,) are the possible choices of every row. Return the largest residual.
    """
    rows, joints = push.link.size, shapes.shape[1]
    unit, drive, torque = np.eye(joints), np.empty((rows, joints)), np.empty((joints, joints))
    forms = Forms(
        drive=drive,
        torque=torque,
        weight=np.empty((rows, rows)),
        hessian=np.empty((joints, joints)),
        gradient=np.empty(joints),
    )
    face, scratch, weights, worst = empty_face(rows, joints), survey_work(rows), np.zeros(3), 0.0
    for c in range(shapes.shape[0]):
        ops = operators(push, 0.0, shapes[c], scratch.still[:2])
        torques_in_region(ops.mobility, unit_mass, unit, torque)
        for row in range(rows):
            for joint in range(joints):
                drive[row, joint] = 0.0
                for other in range(joints):
                    drive[row, joint] += ops.drive[row, other] * torque[joint, other]
        for goal in range(3 + QUOTIENTS):
            before = greatest[c, 3]
            for k in range(3):
                weights[k] = 1.0 if k == goal else 0.0
            if goal > 2:
                weights[0], weights[1] = 1.0 - before, -before
            residual = try_faces(
                push, ops, unit_mass, choices, counts, weights, forms, face, scratch, greatest[c], best[c]
            )
            worst = worst if residual <= worst else residual
            if goal > 2 and not greatest[c, 3] > before * (1.0 + SETTLED):
                break
    return worst
