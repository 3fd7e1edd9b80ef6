"""Constrained dynamics of a planar chain that pushes an object: constraint rows and their coupling.

Coordinates are the chain's centre of mass and the absolute link angles, in which the mass matrix is block diagonal. The
norms are the same in any other coordinates. Equation numbers are those of Reyes and Ma, "Studying slippage on pushing
applications with snake robots" (2017), with the corrections of docs/papers/reports/pushing.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.linear import factorise, solve
from serpenoid.kernels.push.records import Levers
from serpenoid.kernels.records import ARMATURE, Chain

UNMOVED = 1e-10  # share of the norm of the free motion up to which a locked robot counts as at rest


class Operators(NamedTuple):
    """Linear operators of one shape for the response to any torque; rows as in Push."""

    jacobian: NDArray  # (rows, n + 2) J_s: velocity of a row per (centre of mass, link angles)
    grip: NDArray  # (rows, 2) G^T: direction of the force of a row on the object in world axes
    chain_gram: NDArray  # (rows, rows) J_s Ms^-1 J_s^T [1/kg]
    gram: NDArray  # (rows, rows) G_c = J_s Ms^-1 J_s^T + G^T Iobj^-1 G [1/kg]
    drive: NDArray  # (rows, joints) J_s Ms^-1 B [1/(kg m)]
    mobility: NDArray  # (joints, joints) B^T Ms^-1 B [1/(kg m^2)]
    row_response: NDArray  # (rows, n + 2) (Ms^-1 J_s^T)^T
    torque_response: NDArray  # (joints, n + 2) (Ms^-1 B)^T


def levers(chain: Chain, hinges: NDArray | None = None) -> Levers:
    """Compute levers from the centre of mass, once per robot (not compiled); default hinges have damping only."""
    n = chain.mass.size
    joint = np.tril(np.tile(chain.length, (n, 1)), -1)  # from the front of link 0
    center = joint + np.diag(chain.center)
    total = float(chain.mass.sum())
    mean = chain.mass @ center / total
    lever = center - mean
    plain = np.column_stack([chain.joint_damping, np.zeros(n - 1)])
    return Levers(
        total, joint - mean, np.ascontiguousarray((lever.T * chain.mass) @ lever), chain.inertia.copy(),
        plain if hinges is None else hinges,
    )  # fmt: skip


@kernel
def link_angles(heading, shape):
    """Return the absolute angles of the links (n,) [rad]."""
    angles = np.empty(shape.size + 1)
    angles[0] = heading
    for joint in range(shape.size):
        angles[joint + 1] = angles[joint] + shape[joint]
    return angles


@inner
def factor_rotation(levers, angles, factor):
    """Factorise the rotational block of Ms: coupling_kl cos(theta_k - theta_l) + inertia_k [k = l], armature."""
    for k in range(angles.size):
        for m in range(k):
            factor[k, m] = levers.coupling[k, m] * np.cos(angles[k] - angles[m])
        factor[k, k] = levers.coupling[k, k] + levers.inertia[k]
    for j in range(angles.size - 1):
        armature = levers.hinges[j, ARMATURE]
        factor[j, j] += armature
        factor[j + 1, j + 1] += armature
        factor[j + 1, j] -= armature
    factorise(factor, angles.size)


@inner
def point_row(levers, angles, link, position, normal, row):
    """Compute the row (n + 2,) that maps (v_com, theta_dot) to the velocity of a link's point along `normal`.

    The position of the point is measured from the link's front [m].
    """
    row[0], row[1] = normal[0], normal[1]
    for k in range(angles.size):
        lever = levers.joint[link, k] + (position if k == link else 0.0)
        row[k + 2] = lever * (normal[1] * np.cos(angles[k]) - normal[0] * np.sin(angles[k]))


@inner
def solve_mass(levers, factor, force, response):
    """Compute response = Ms^-1 force, both (n + 2,) over (centre of mass, link angles)."""
    for k in range(force.size):  # a slice assignment would also compile numpy's error messages
        response[k] = force[k] if k > 1 else force[k] / levers.mass
    solve(factor, force.size - 2, response[2:])


@inner
def constraint_rows(push, angles, slide, jacobian, grip):
    """Fill J_s (rows, n + 2) and G^T (rows, 2); the ground resists the object along the unit vector `slide`.

    slide = (0, 0) means the contact normal.
    """
    for row in range(push.link.size):
        link = push.link[row]
        if link < 0:
            for k in range(angles.size + 2):
                jacobian[row, k] = 0.0
            unset = slide[0] == 0.0 and slide[1] == 0.0
            for axis in range(2):
                grip[row, axis] = grip[0, axis] if unset else slide[axis]
            continue
        c, s = np.cos(angles[link]), np.sin(angles[link])
        along, across = push.direction[row, 0], push.direction[row, 1]
        direction = (along * c - across * s, along * s + across * c)
        point_row(push.levers, angles, link, push.position[row], direction, jacobian[row])
        for axis in range(2):
            grip[row, axis] = direction[axis] * push.presses[row]


@kernel
def responses(levers, angles, jacobian):
    """Return (Ms^-1 J_s^T)^T (rows, n + 2) and (Ms^-1 B)^T (joints, n + 2)."""
    n, rows = angles.size, jacobian.shape[0]
    factor = np.zeros((n, n))
    factor_rotation(levers, angles, factor)
    row_response, torque_response = np.empty((rows, n + 2)), np.empty((n - 1, n + 2))
    for row in range(rows):
        solve_mass(levers, factor, jacobian[row], row_response[row])
    unit = np.zeros(n + 2)
    for joint in range(n - 1):
        unit[joint + 2], unit[joint + 3] = -1.0, 1.0
        solve_mass(levers, factor, unit, torque_response[joint])
        unit[joint + 2] = 0.0
    return row_response, torque_response


@kernel
def operators(push, heading, shape, slide):
    """Compute all quantities that are linear in the forces, for one shape."""
    joints, rows = shape.size, push.link.size
    angles = link_angles(heading, shape)
    jacobian, grip = np.empty((rows, joints + 3)), np.empty((rows, 2))
    constraint_rows(push, angles, slide, jacobian, grip)
    row_response, torque_response = responses(push.levers, angles, jacobian)
    chain_gram, gram = np.empty((rows, rows)), np.empty((rows, rows))
    drive, mobility = np.empty((rows, joints)), np.empty((joints, joints))
    for row in range(rows):
        for other in range(rows):
            value = 0.0
            for k in range(joints + 3):
                value += jacobian[row, k] * row_response[other, k]
            chain_gram[row, other] = value
            shared = grip[row, 0] * grip[other, 0] + grip[row, 1] * grip[other, 1]
            gram[row, other] = value + shared / push.object_mass
        for joint in range(joints):
            drive[row, joint] = row_response[row, joint + 3] - row_response[row, joint + 2]
    for joint in range(joints):
        for other in range(joints):
            mobility[joint, other] = torque_response[other, joint + 3] - torque_response[other, joint + 2]
    return Operators(jacobian, grip, chain_gram, gram, drive, mobility, row_response, torque_response)


@inner
def free_slip(drive, torque, pulled, offset):
    """Compute A I^-1 f (rows,), the acceleration of every row without constraint forces; Gc lambda must cancel it."""
    for row in range(offset.size):
        value = pulled[row]
        for joint in range(torque.size):
            value -= drive[row, joint] * torque[joint]
        offset[row] = value


@inner
def object_force(grip, force, wrench):
    """Return the force on the object in world axes, x and y: G lambda + wrench [N]."""
    x, y = wrench[0], wrench[1]
    for row in range(force.size):
        x += grip[row, 0] * force[row]
        y += grip[row, 1] * force[row]
    return x, y


@inner
def free_norm(mobility, torque):
    """Return |qdd|^2 without constraint forces [N^2/kg]."""
    total = 0.0
    for joint in range(torque.size):
        value = 0.0
        for other in range(torque.size):
            value += mobility[joint, other] * torque[other]
        total += value * torque[joint]
    return total


@inner
def chain_norm(ops, torque, force):
    """Return |qdd|^2 = qdd^T Ms qdd [N^2/kg], with Ms qdd = B tau - J_s^T lambda.

    Both factors are summed first: the error is small even if constraints almost stop the robot.
    """
    total = 0.0
    for k in range(torque.size + 3):
        acceleration = 0.0
        pull = (torque[k - 3] if k > 2 else 0.0) - (torque[k - 2] if 1 < k < torque.size + 2 else 0.0)
        for joint in range(torque.size):
            acceleration += ops.torque_response[joint, k] * torque[joint]
        for row in range(force.size):
            acceleration -= ops.row_response[row, k] * force[row]
            pull -= ops.jacobian[row, k] * force[row]
        total += acceleration * pull
    return max(total, 0.0)


@inner
def force_norm(gram, force):
    """Return |lambda|^2 = lambda^T Gc lambda [N^2/kg]."""
    total = 0.0
    for row in range(force.size):
        value = 0.0
        for other in range(force.size):
            value += gram[row, other] * force[other]
        total += value * force[row]
    return total


@inner
def ratio_of(of_object, of_chain, free):
    """Return the slippage ratio (30), in [0, 1]; NaN if nothing moves but by rounding, relative to the free motion."""
    total = of_object + of_chain
    return of_object / total if total > UNMOVED * free else np.nan


@inner
def accelerate(ops, torque, force, acceleration):
    """Compute qdd = Ms^-1 (B tau - J_s^T lambda), converted to (centre of mass, heading, joint angles), (n + 2,)."""
    for k in range(acceleration.size):
        acceleration[k] = 0.0
        for joint in range(torque.size):
            acceleration[k] += ops.torque_response[joint, k] * torque[joint]
        for row in range(force.size):
            acceleration[k] -= ops.row_response[row, k] * force[row]
    for k in range(acceleration.size - 1, 2, -1):
        acceleration[k] -= acceleration[k - 1]
