"""The moving frame method as the paper writes it, slow and obvious; every function also takes complex angles."""

import numpy as np


def skew(v):
    return np.array([[0 * v[0], -v[2], v[1]], [v[2], 0 * v[0], -v[0]], [-v[1], v[0], 0 * v[0]]])


def turn(axis, angle):
    """Rotation about a unit vector; complex angles stay complex."""
    K = skew(np.asarray(axis))
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def frame_connections(tree, base, angles):
    """4 x 4 matrices E(b) of every body's frame (at its joint), from E(b) = E(parent) E(b/parent), (19)."""
    found = [base]
    for body in range(1, tree.parent.size):
        relative = np.eye(4, dtype=complex)
        relative[:3, :3] = tree.rotation[body] @ turn(tree.axis[body], angles[body - 1])
        relative[:3, 3] = tree.offset[body]
        found.append(found[tree.parent[body]] @ relative)
    return found


def lineage(tree, body):
    """The bodies from this one towards the base, without the base."""
    found = []
    while body > 0:
        found.append(body)
        body = tree.parent[body]
    return found


def b_matrix(tree, base, angles):
    """(85) to (114): -R(n) skew(s) e(n) over the transposed product of relative rotations times e(n).

    s, the way from joint n to a centre, is written in frame n, as the paper does; six columns more for a floating base.
    """
    E = frame_connections(tree, base, angles)
    first = 1 if tree.fixed_base else 0
    offset = 0 if tree.fixed_base else 6
    B = np.zeros((6 * (tree.parent.size - first), tree.parent.size - 1 + offset), complex)
    for body in range(first, tree.parent.size):
        row = 6 * (body - first)
        for n in [*lineage(tree, body), 0]:
            between = np.linalg.inv(E[n]) @ E[body]
            s = (between @ np.append(tree.center[body], 1.0))[:3]
            lever, relative = -E[n][:3, :3] @ skew(s), between[:3, :3].T
            if n > 0:
                B[row : row + 3, n - 1 + offset] = lever @ tree.axis[n]
                B[row + 3 : row + 6, n - 1 + offset] = relative @ tree.axis[n]
            elif not tree.fixed_base:
                B[row : row + 3, :3] = E[0][:3, :3]
                B[row : row + 3, 3:6], B[row + 3 : row + 6, 3:6] = lever, relative
    return B


def base_of(state):
    """E(0) of a state, real."""
    w, x, y, z = state[3:7]
    half = np.hypot(np.hypot(x, y), z)
    E = np.eye(4, dtype=complex)
    E[:3, :3] = turn(np.array([x, y, z]) / max(half, 1e-300), 2 * np.arctan2(half, w))
    E[:3, 3] = state[:3]
    return E


def moved(base, twist, seconds):
    """E(0) after a time so short that only the first order counts; an imaginary time gives the complex step."""
    shift = np.zeros((4, 4), complex)
    shift[:3, :3], shift[:3, 3] = skew(twist[3:]), twist[:3]
    return base + seconds * base @ shift


def b_matrix_rate(tree, state, step=1e-30):
    """B' by the complex step along the motion of the state: exact to rounding, no formula of a derivative used."""
    joints = tree.parent.size - 1
    angles, twist, rates = state[7 : 7 + joints], state[7 + joints : 13 + joints], state[13 + joints :]
    if tree.fixed_base:
        twist = np.zeros(6)
    B = b_matrix(tree, moved(base_of(state), twist, 1j * step), angles + 1j * step * rates)
    return B.imag / step


def body_velocities(tree, state, step=1e-30):
    """X': centre velocities and body angular velocities by the complex step through the frame connections."""
    joints = tree.parent.size - 1
    angles, twist, rates = state[7 : 7 + joints], state[7 + joints : 13 + joints], state[13 + joints :]
    if tree.fixed_base:
        twist = np.zeros(6)
    E = frame_connections(tree, moved(base_of(state), twist, 1j * step), angles + 1j * step * rates)
    rows = []
    for body in range(1 if tree.fixed_base else 0, tree.parent.size):
        centre = (E[body] @ np.append(tree.center[body], 1.0))[:3]
        W = E[body][:3, :3].real.T @ E[body][:3, :3].imag
        rows += [centre.imag / step, np.array([W[2, 1], W[0, 2], W[1, 0]]) / step]
    return np.concatenate(rows)


def reduced_equations(tree, state, gravity):
    """M*, N* and the weight's F* by the full matrices M and D of (63) and (73)."""
    joints = tree.parent.size - 1
    B = b_matrix(tree, base_of(state), state[7 : 7 + joints]).real
    rate = b_matrix_rate(tree, state)
    velocities = state[13 + joints :] if tree.fixed_base else state[7 + joints :]
    motion = (B @ velocities).reshape(-1, 6)
    M, D, Q = np.zeros((B.shape[0],) * 2), np.zeros((B.shape[0],) * 2), np.zeros(B.shape[0])
    first = 1 if tree.fixed_base else 0
    for body in range(first, tree.parent.size):
        row = 6 * (body - first)
        M[row : row + 3, row : row + 3] = tree.mass[body] * np.eye(3)
        M[row + 3 : row + 6, row + 3 : row + 6] = tree.inertia[body]
        D[row + 3 : row + 6, row + 3 : row + 6] = skew(motion[body - first, 3:])
        Q[row : row + 3] = tree.mass[body] * np.asarray(gravity)
    return B.T @ M @ B, B.T @ (M @ rate + D @ M @ B), B.T @ Q
