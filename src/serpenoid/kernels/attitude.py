"""Roll and pitch of a frame in the world, for arrays of any shape (not compiled).

`up` is the world's vertical in the frame's own axes, the last row of its rotation: (R31, R32, R33).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def vertical(quaternion: NDArray) -> NDArray:
    """Return `up` (..., 3) of unit quaternions w x y z (..., 4)."""
    w, x, y, z = np.moveaxis(np.asarray(quaternion, dtype=float), -1, 0)
    return np.stack((2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)), axis=-1)


def roll_of(up: NDArray) -> NDArray:
    """Return the roll atan2(R32, R33) [rad] within +-pi."""
    return np.arctan2(up[..., 1], up[..., 2])


def pitch_of(up: NDArray) -> NDArray:
    """Return the pitch -asin(R31) [rad]; positive values lift the end of the x axis, which points backwards."""
    return -np.arcsin(np.clip(up[..., 0], -1.0, 1.0))


def roll_history(poses: NDArray) -> NDArray:
    """Return the unwrapped roll [rad] over time, (..., samples), of poses x y z and quaternion (..., samples, 7)."""
    return np.unwrap(roll_of(vertical(poses[..., 3:])), axis=-1)


def pitch_history(poses: NDArray) -> NDArray:
    """Return the pitch [rad] over time, (..., samples), of poses (..., samples, 7)."""
    return pitch_of(vertical(poses[..., 3:]))
