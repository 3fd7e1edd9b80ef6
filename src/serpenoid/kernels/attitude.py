"""Roll and pitch of a frame in the world, the one definition; arrays of any shape, not compiled.

`up` is the world's vertical in the frame's own axes, the last row of its rotation: (R31, R32, R33).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def vertical(quaternion: NDArray) -> NDArray:
    """up (..., 3) of unit quaternions w x y z (..., 4)."""
    w, x, y, z = np.moveaxis(np.asarray(quaternion, dtype=float), -1, 0)
    return np.stack((2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)), axis=-1)


def roll_of(up: NDArray) -> NDArray:
    """atan2(R32, R33) [rad], within half a turn either way."""
    return np.arctan2(up[..., 1], up[..., 2])


def pitch_of(up: NDArray) -> NDArray:
    """-asin(R31) [rad]: positive lifts the end of the x axis that points backwards."""
    return -np.arcsin(np.clip(up[..., 0], -1.0, 1.0))


def roll_history(poses: NDArray) -> NDArray:
    """Roll [rad] over time, unwrapped, (..., samples), of poses x y z and quaternion (..., samples, 7)."""
    return np.unwrap(roll_of(vertical(poses[..., 3:])), axis=-1)


def pitch_history(poses: NDArray) -> NDArray:
    """Pitch [rad] over time, (..., samples), of poses (..., samples, 7)."""
    return pitch_of(vertical(poses[..., 3:]))
