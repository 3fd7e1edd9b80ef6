"""Start poses of robots in space."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue
from serpenoid.support.kernel_inputs import numbers


def start_pose(given: Any, turn: float) -> NDArray:
    """Return the pose (7,) of the base, turned about the vertical [rad] where it stands."""
    pose = numbers("base_pose", given, (7,)).copy()
    if abs(np.linalg.norm(pose[3:]) - 1.0) > 1e-6:
        raise InvalidValue("base_pose", given, "x y z and a quaternion w x y z of length 1")
    pose[3:] /= np.linalg.norm(pose[3:])
    if turn:
        c, s, (w, x, y, z) = np.cos(0.5 * turn), np.sin(0.5 * turn), pose[3:]
        pose[3:] = c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w
    return pose
