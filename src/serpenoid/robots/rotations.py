"""Rotation matrices, quaternions w x y z and rotations about axes, for arrays of any shape.

Importing scipy's rotations instead would delay every start by 0.1 s.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def rotations(quaternions: ArrayLike) -> NDArray:
    """Return rotation matrices (..., 3, 3), from body to world axes, of quaternions (..., 4)."""
    array = np.asarray(quaternions, dtype=float)
    w, x, y, z = np.moveaxis(array / np.linalg.norm(array, axis=-1, keepdims=True), -1, 0)
    rows = (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def turned_about(axes: NDArray, angles: NDArray) -> NDArray:
    """Return rotation matrices (..., 3, 3) by angles (...) [rad] about unit axes (..., 3)."""
    half = 0.5 * np.asarray(angles, dtype=float)[..., None]
    return rotations(np.concatenate([np.cos(half), np.sin(half) * axes], axis=-1))


def turns_about_z(quaternions: ArrayLike) -> NDArray:
    """Return the angles (...) [rad] about z, within -2 pi and 2 pi, of quaternions (..., 4)."""
    array = np.asarray(quaternions, dtype=float)
    return 2.0 * np.arctan2(array[..., 3], array[..., 0])


def quaternion(R: NDArray) -> tuple[float, ...]:
    """Return the quaternion of a rotation (3, 3), w >= 0."""
    return tuple(quaternions(R).tolist())


def quaternions(R: NDArray) -> NDArray:
    """Return quaternions (..., 4), w >= 0, of rotations (..., 3, 3): the largest column of 4 q q^T is parallel to q."""
    a, b, c = np.moveaxis(np.asarray(R, dtype=float), (-2, -1), (0, 1))
    rows = (
        (1.0 + a[0] + b[1] + c[2], c[1] - b[2], a[2] - c[0], b[0] - a[1]),
        (c[1] - b[2], 1.0 + a[0] - b[1] - c[2], a[1] + b[0], c[0] + a[2]),
        (a[2] - c[0], a[1] + b[0], 1.0 - a[0] + b[1] - c[2], b[2] + c[1]),
        (b[0] - a[1], c[0] + a[2], b[2] + c[1], 1.0 - a[0] - b[1] + c[2]),
    )
    products = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    largest = np.argmax(np.diagonal(products, axis1=-2, axis2=-1), axis=-1)
    found = np.take_along_axis(products, largest[..., None, None], axis=-2)[..., 0, :]
    found = found / np.linalg.norm(found, axis=-1, keepdims=True)
    return np.where(found[..., :1] < 0.0, -found, found)
