"""Rotations in plain arrays beside scipy's."""

import numpy as np
from scipy.spatial.transform import Rotation

from serpenoid.robots.rotations import quaternion, quaternions, rotations, turned_about


def test_matrices_and_quaternions_are_those_of_scipy():
    given = np.random.default_rng(0).normal(size=(3, 50, 4))
    peer = Rotation.from_quat(given.reshape(-1, 4), scalar_first=True)
    np.testing.assert_allclose(rotations(given).reshape(-1, 3, 3), peer.as_matrix(), atol=1e-14)
    wanted = peer.as_quat(canonical=True, scalar_first=True)
    np.testing.assert_allclose(quaternions(rotations(given)).reshape(-1, 4), wanted, atol=1e-14)


def test_half_turns_have_their_axis():
    for axis in np.vstack([np.eye(3), [[0.6, 0.8, 0.0], [0.0, 0.6, 0.8], [-0.6, 0.0, 0.8]]]):
        matrix = turned_about(axis, np.pi)
        np.testing.assert_allclose(matrix, Rotation.from_rotvec(np.pi * axis).as_matrix(), atol=1e-15)
        np.testing.assert_allclose(np.abs(np.dot(quaternion(matrix)[1:], axis)), 1.0, atol=1e-15)


def test_turns_about_many_axes():
    rng = np.random.default_rng(1)
    axes, angles = rng.normal(size=(20, 3)), rng.normal(size=20)
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    wanted = Rotation.from_rotvec(angles[:, None] * axes).as_matrix()
    np.testing.assert_allclose(turned_about(axes, angles), wanted, atol=1e-14)
