"""Rotation matrices and quaternions w x y z, each from the other; arrays of any shape, by scipy."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def rotations(quaternions: ArrayLike) -> NDArray:
    """Rotation matrices (..., 3, 3), from a frame's own axes to the world's, of quaternions (..., 4)."""
    from scipy.spatial.transform import Rotation

    array = np.asarray(quaternions, dtype=float)
    matrices = Rotation.from_quat(array.reshape(-1, 4), scalar_first=True).as_matrix()
    return matrices.reshape(*array.shape[:-1], 3, 3)


def quaternion(R: NDArray) -> tuple[float, ...]:
    """Of a rotation (3, 3), w >= 0."""
    return tuple(quaternions(R).tolist())


def quaternions(R: NDArray) -> NDArray:
    """(..., 4) of rotations (..., 3, 3), w >= 0."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(R).as_quat(canonical=True, scalar_first=True)
