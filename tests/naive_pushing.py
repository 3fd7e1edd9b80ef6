"""Naive reference of the pushing kernels: the paper's own coordinates, dense matrices, every case tried."""

from itertools import product

import numpy as np


def naive_push(chain, shape, heading, rows, object_mass):
    """Ms, B, Js and G in the coordinates of the paper: (x, y) of the free end of link 0, heading, joint angles.

    rows: (link, position from the front [m], side, is the contact).
    """
    n = chain.mass.size
    sums = np.tril(np.ones((n, n)))  # link angles from (heading, joints)
    angles = sums @ np.concatenate([[heading], shape])
    across = np.stack([-np.sin(angles), np.cos(angles)], axis=1)

    def point(link, position):
        jacobian = np.zeros((2, n + 2))
        jacobian[:, :2] = np.eye(2)
        for k in range(link + 1):
            jacobian[:, 2:] += np.outer(across[k], sums[k]) * (position if k == link else chain.length[k])
        return jacobian

    mass = np.zeros((n + 2, n + 2))
    for k in range(n):
        jacobian = point(k, chain.center[k])
        mass += chain.mass[k] * jacobian.T @ jacobian
        mass[2:, 2:] += chain.inertia[k] * np.outer(sums[k], sums[k])
    torque_map = np.vstack([np.zeros((3, n - 1)), np.eye(n - 1)])
    constraint = np.array([side * across[link] @ point(link, position) for link, position, side, _ in rows])
    grasp = np.array([side * across[link] if touches else np.zeros(2) for link, _, side, touches in rows]).T
    return mass, torque_map, constraint, grasp


def naive_box(gram, offset, lower, upper, tolerance=1e-9):
    """Try every combination of free and held rows until one satisfies all conditions."""
    rows = offset.size
    scale = np.abs(offset).max() + 1e-300
    for held in product(*[[0] + ([-1] if np.isfinite(lower[i]) else []) + ([1] if np.isfinite(upper[i]) else [])
                          for i in range(rows)]):  # fmt: skip
        held = np.array(held)
        force = np.where(held < 0, lower, np.where(held > 0, upper, 0.0))
        free = held == 0
        if free.any():
            right = -(offset + gram @ force)[free]
            force[free] = np.linalg.lstsq(gram[np.ix_(free, free)], right, rcond=1e-12)[0]
        slip = gram @ force + offset
        good = np.where(free, np.abs(slip), np.where(held < 0, -slip, slip)) <= tolerance * scale
        span = np.maximum(np.abs(force).max(), 1e-300)
        if good.all() and (force >= lower - tolerance * span).all() and (force <= upper + tolerance * span).all():
            return force
    raise AssertionError("no combination satisfies the conditions")


def naive_response(parts, torque, wrench, limits, object_mass, object_inertia):
    """Accelerations, forces and norms for one torque, from dense matrices."""
    mass, torque_map, constraint, grasp = parts
    inverse = np.linalg.inv(mass)
    gram = constraint @ inverse @ constraint.T + grasp.T @ grasp / object_mass
    offset = -constraint @ inverse @ torque_map @ torque + grasp.T @ wrench[:2] / object_mass
    force = naive_box(gram, offset, *limits.T)
    acceleration = inverse @ (torque_map @ torque - constraint.T @ force)
    body = np.append((grasp @ force + wrench[:2]) / object_mass, wrench[2] / object_inertia)
    norms = (
        object_mass * body[:2] @ body[:2] + object_inertia * body[2] ** 2,
        acceleration @ mass @ acceleration,
        force @ gram @ force,
    )
    return acceleration, body, force, norms


def closed_form(parts, mass, kappa):
    """(22)-(29) of the paper with the corrections of the spec page: dict of mappings, for rows that all hold.

    `mass` is a link's mass m; bars are unit-mass quantities. Gc = Js Ms^-1 Js^T + kappa^-1 G^T G. The object's part
    is over x and y.
    """
    whole, B, J, G = parts
    M = np.linalg.inv(whole / mass)  # inverse of the unit-mass matrix
    Gc = np.linalg.inv(J @ M @ J.T + G.T @ G / kappa)
    one = np.eye(M.shape[0])
    hat = J.T @ Gc @ J @ M
    return {
        22: M @ (one - J.T @ Gc @ J @ M) @ B / mass,
        23: M @ J.T @ Gc @ G.T / (kappa * mass),
        24: G @ Gc @ J @ M @ B / (kappa * mass),
        25: (np.eye(2) - G @ Gc @ G.T / kappa) / (kappa * mass),
        28: B.T @ (one - hat).T @ M @ (one - hat) @ B / mass,
        29: B.T @ M @ J.T @ Gc @ G.T @ G @ Gc @ J @ M @ B / (kappa * mass),
    }
