"""Mass matrix of a tree by composite bodies, and the closed sums of NATRIX as a second way to the same numbers."""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.compile import inlined, kernel
from serpenoid.kernels.lie import add, adjoint, cross, dot, row, small_adjoint, symmetric_product
from serpenoid.kernels.tree_frames import (
    ARM,
    AXIS,
    CENTER,
    MASS,
    POSITION,
    absorb_inertia,
    get_inertia,
    get_rotation,
    place,
    weigh_body,
)


@inlined
def mass_matrix(tree, angles, work, out):
    """(6 + joints, 6 + joints) mass matrix for (base twist in base axes, joint rates), by composite bodies.

    Column of joint b: momentum M*_b (0, u) of all that hangs on it, carried up its line of ancestors.
    """
    place(tree, angles, work)
    bodies = tree.parent.size
    for body in range(bodies):
        weigh_body(tree, body, work)
    out[:] = 0.0
    for body in range(bodies - 1, 0, -1):
        axis, h = row(work, body, AXIS), row(work, body, CENTER)
        force, torque = cross(axis, h), symmetric_product(get_inertia(work, body), axis)
        absorb_inertia(work, tree.parent[body], body)
        ancestor = body
        while ancestor > 0:
            value = dot(row(work, ancestor, AXIS), torque)
            out[5 + body, 5 + ancestor] = value
            out[5 + ancestor, 5 + body] = value
            torque = add(torque, cross(row(work, ancestor, ARM), force))
            ancestor = tree.parent[ancestor]
        for k in range(3):
            out[k, 5 + body], out[3 + k, 5 + body] = force[k], torque[k]
            out[5 + body, k], out[5 + body, 3 + k] = force[k], torque[k]
    base_block(work, out)


@inlined
def base_block(work, out):
    """The (6, 6) inertia of the whole about the base's origin, (9) of NATRIX for the composite body."""
    h, inertia = row(work, 0, CENTER), get_inertia(work, 0)
    axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    for k in range(3):
        force, torque = cross(axes[k], h), symmetric_product(inertia, axes[k])
        out[k, k] = work[0, MASS]
        for i in range(3):
            out[i, 3 + k], out[3 + k, i] = force[i], force[i]
            out[3 + i, 3 + k] = torque[i]


@kernel
def spatial_inertia(mass, center, inertia):
    """(9): (6, 6) inertia of a body about its frame's origin, in body axes."""
    S = np.array(((0.0, -center[2], center[1]), (center[2], 0.0, -center[0]), (-center[1], center[0], 0.0)))
    result = np.zeros((6, 6))
    result[:3, :3] = mass * np.eye(3)
    result[:3, 3:] = -mass * S
    result[3:, :3] = mass * S
    result[3:, 3:] = inertia - mass * (S @ S)
    return result


@kernel
def closed_sums(tree, angles, rates, twist, wrenches, work):
    """(14)-(16) of NATRIX, corrected: M (6, 6), M_q (6, joints) and beta (6,), sums over bodies with Ad as matrices.

    M = sum Ad^T M_j Ad,  M_q by joint k = sum over j behind k of Ad_jg0^T M_j Ad_jgk A_k,
    beta = sum Ad^T (-ad(eta_j)^T M_j eta_j - F_j + M_j sum over k before j of Ad_jgk zeta_k).
    """
    place(tree, angles, work)
    bodies = tree.parent.size
    to_body = np.zeros((bodies, 6, 6))
    eta, drift = np.zeros((bodies, 6)), np.zeros((bodies, 6))
    M, M_q, beta = np.zeros((6, 6)), np.zeros((6, bodies - 1)), np.zeros(6)
    joint = np.zeros((bodies - 1, 6))
    for body in range(bodies):
        R = np.array(get_rotation(work, body)).reshape(3, 3)
        p = np.array(row(work, body, POSITION))
        to_body[body] = adjoint(np.ascontiguousarray(R.T), -(R.T @ p))
        if body == 0:
            eta[0] = twist
        else:
            parent = tree.parent[body]
            step = to_body[body] @ np.linalg.inv(to_body[parent])
            joint[body - 1, 3:] = tree.axis[body]
            eta[body] = step @ eta[parent] + joint[body - 1] * rates[body - 1]
            drift[body] = step @ drift[parent] + small_adjoint(eta[body]) @ joint[body - 1] * rates[body - 1]
        inertia = spatial_inertia(tree.mass[body], tree.center[body], tree.inertia[body])
        share = to_body[body].T @ inertia
        M += share @ to_body[body]
        own = inertia @ drift[body] - small_adjoint(eta[body]).T @ (inertia @ eta[body])
        if wrenches.shape[0] > 0:
            own -= wrenches[body]
        beta += to_body[body].T @ own
        k = body
        while k > 0:
            M_q[:, k - 1] += share @ (to_body[body] @ np.linalg.inv(to_body[k]) @ joint[k - 1])
            k = tree.parent[k]
    return M, M_q, beta
