"""Mass matrix of a tree by composite bodies, and the closed sums of NATRIX as an independent reference."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inlined, inner
from serpenoid.kernels.lie import add, adjoint, cross, dot, row, skew, small_adjoint, symmetric_product
from serpenoid.kernels.records import ARMATURE, Tree
from serpenoid.kernels.tree.frames import (
    ARM,
    AXIS,
    CENTER,
    MASS,
    absorb_inertia,
    get_inertia,
    place,
    weigh_body,
)


@inlined
def mass_matrix(tree, angles, work, out):
    """Write the (6 + joints, 6 + joints) mass matrix for (base twist in base axes, joint rates), by composite bodies.

    The column of joint b is the momentum M*_b (0, u) of its subtree, transferred along its ancestors. Armature enters
    only the diagonal.
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
        out[5 + body, 5 + body] += tree.hinges[body - 1, ARMATURE]
        for k in range(3):
            out[k, 5 + body], out[3 + k, 5 + body] = force[k], torque[k]
            out[5 + body, k], out[5 + body, 3 + k] = force[k], torque[k]
    base_block(work, out)


@inner
def base_block(work, out):
    """Write the (6, 6) inertia of the whole about the base's origin, (9) of NATRIX for the composite body."""
    h, inertia = row(work, 0, CENTER), get_inertia(work, 0)
    axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    for k in range(3):
        force, torque = cross(axes[k], h), symmetric_product(inertia, axes[k])
        out[k, k] = work[0, MASS]
        for i in range(3):
            out[i, 3 + k], out[3 + k, i] = force[i], force[i]
            out[3 + i, 3 + k] = torque[i]


def spatial_inertia(mass: float, center: NDArray, inertia: NDArray) -> NDArray:
    """Return the (6, 6) inertia of a body about its frame's origin in body axes, (9)."""
    S = skew(center)
    return np.block([[mass * np.eye(3), -mass * S], [mass * S, inertia - mass * S @ S]])


def closed_sums(
    tree: Tree, angles: NDArray, rates: NDArray, twist: NDArray, wrenches: NDArray
) -> tuple[NDArray, NDArray, NDArray]:
    """Return M (6, 6), M_q (6, joints) and beta (6,) of (14)-(16) of NATRIX, corrected.

        M = sum Ad^T M_j Ad,  M_q by joint k = sum over j behind k of Ad_jg0^T M_j Ad_jgk A_k,
        beta = sum Ad^T (-ad(eta_j)^T M_j eta_j - F_j + M_j sum over k before j of Ad_jgk zeta_k)

    The sums over bodies use Ad as matrices, as printed, and are not compiled. They check the recursion independently,
    including its kinematics.
    """
    bodies = tree.parent.size
    from_base = [np.eye(6)]  # Ad of jg0
    eta, drift = [np.asarray(twist, dtype=float)], [np.zeros(6)]
    joint = np.hstack([np.zeros((bodies, 3)), tree.axis])
    M, M_q, beta = np.zeros((6, 6)), np.zeros((6, bodies - 1)), np.zeros(6)
    for j in range(bodies):
        if j > 0:
            a, k = skew(tree.axis[j]), tree.parent[j]
            R = tree.rotation[j] @ (np.eye(3) + np.sin(angles[j - 1]) * a + (1.0 - np.cos(angles[j - 1])) * a @ a)
            step = adjoint(R.T, -R.T @ tree.offset[j])
            from_base.append(step @ from_base[k])
            eta.append(step @ eta[k] + joint[j] * rates[j - 1])
            drift.append(step @ drift[k] + small_adjoint(eta[j]) @ joint[j] * rates[j - 1])
        inertia = spatial_inertia(tree.mass[j], tree.center[j], tree.inertia[j])
        share = from_base[j].T @ inertia
        M += share @ from_base[j]
        own = inertia @ drift[j] - small_adjoint(eta[j]).T @ inertia @ eta[j]
        beta += from_base[j].T @ (own - wrenches[j] if len(wrenches) else own)
        k = j
        while k > 0:
            M_q[:, k - 1] += share @ from_base[j] @ np.linalg.solve(from_base[k], joint[k])
            k = tree.parent[k]
    return M, M_q, beta
