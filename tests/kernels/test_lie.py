"""Rotations and twists against scipy and against their axioms."""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from serpenoid.kernels import lie

random = np.random.default_rng(4)
QUATERNIONS = [tuple(q / np.linalg.norm(q)) for q in random.normal(size=(20, 4))]
QUATERNIONS += [(1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0)]


def square(values):
    """Return a 9-tuple as an array (3, 3)."""
    return np.array(values).reshape(3, 3)


@pytest.mark.parametrize("quaternion", QUATERNIONS)
def test_quaternions_and_rotations_are_scipys(quaternion):
    theirs = Rotation.from_quat(quaternion, scalar_first=True).as_matrix()
    R = lie.rotation_of(quaternion)
    np.testing.assert_allclose(square(R), theirs, atol=1e-15)
    back = np.array(lie.quaternion_of(R))
    np.testing.assert_allclose(back * np.sign(back @ np.array(quaternion)), quaternion, atol=1e-15)


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.6, 0.0, 0.8), (0.0, -1.0, 0.0)])
def test_turning_is_the_exponential(axis):
    R = lie.rotation_of(QUATERNIONS[0])
    expected = square(R) @ expm(0.7 * lie.skew(np.array(axis)))
    np.testing.assert_allclose(square(lie.turn(R, axis, 0.7)), expected, atol=1e-15)


def test_the_quaternions_rate_is_that_of_its_rotation():
    q, omega, small = np.array(QUATERNIONS[1]), (0.3, -1.2, 0.7), 1e-6
    rate = np.array(lie.quaternion_rate(tuple(q), omega))
    rates = (square(lie.rotation_of(tuple(q + small * rate))) - square(lie.rotation_of(tuple(q - small * rate)))) / 2e-6
    np.testing.assert_allclose(rates, square(lie.rotation_of(tuple(q))) @ lie.skew(np.array(omega)), atol=1e-9)


def test_adjoints_keep_products_and_brackets():
    poses = [(square(lie.rotation_of(q)), random.normal(size=3)) for q in QUATERNIONS[:2]]
    (R, p), (S, r) = poses
    np.testing.assert_allclose(lie.adjoint(R, p) @ lie.adjoint(S, r), lie.adjoint(R @ S, p + R @ r), atol=1e-14)
    x, y = random.normal(size=(2, 6))
    np.testing.assert_allclose(lie.small_adjoint(x) @ y, -lie.small_adjoint(y) @ x, atol=1e-14)
    twist = np.zeros((4, 4))
    twist[:3, :3], twist[:3, 3] = lie.skew(x[3:]), x[:3]
    pose = expm(twist)
    flow = expm(lie.small_adjoint(x))
    np.testing.assert_allclose(flow, lie.adjoint(np.ascontiguousarray(pose[:3, :3]), pose[:3, 3].copy()), atol=1e-13)


def test_inertias_turn_and_invert_as_matrices():
    A = random.normal(size=(3, 3))
    inertia = A @ A.T + np.eye(3)
    R = lie.rotation_of(QUATERNIONS[2])
    xx, yy, zz, xy, xz, yz = lie.rotate_inertia(R, inertia)
    turned = np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    np.testing.assert_allclose(turned, square(R) @ inertia @ square(R).T, atol=1e-14)
    v = random.normal(size=3)
    solved = lie.symmetric_product(lie.symmetric_inverse((xx, yy, zz, xy, xz, yz)), tuple(v))
    np.testing.assert_allclose(turned @ np.array(solved), v, atol=1e-13)
