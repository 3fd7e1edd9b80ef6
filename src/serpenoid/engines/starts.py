"""Initial poses and twists of the base, in space and in the plane."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue
from serpenoid.robots.rotations import turns_about_z
from serpenoid.support.kernel_inputs import numbers

ORIGIN = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
FLAT = 1e-9  # tolerance of poses and twists in the plane [m, -, m/s, rad/s]


def start_pose(given: Any, turn: float) -> NDArray:
    """Return the pose (7,) of the base, rotated in place about the vertical by `turn` [rad]."""
    pose = numbers("base_pose", given, (7,)).copy()
    if abs(np.linalg.norm(pose[3:]) - 1.0) > 1e-6:
        raise InvalidValue("base_pose", given, "x y z and a quaternion w x y z of length 1")
    pose[3:] /= np.linalg.norm(pose[3:])
    if turn:
        c, s, (w, x, y, z) = np.cos(0.5 * turn), np.sin(0.5 * turn), pose[3:]
        pose[3:] = c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w
    return pose


def flat_pose(pose: tuple[float, ...] | None, any_height: bool = False) -> tuple[float, float, float]:
    """Return x, y [m] and heading [rad] of a pose; raise unless it is in the plane, or at least level."""
    x, y, z, qw, qx, qy, qz = (float(value) for value in pose or ORIGIN)
    lifts = 0.0 if any_height else abs(z)
    if max(lifts, abs(qx), abs(qy)) > FLAT or abs(np.hypot(qw, qz) - 1.0) > FLAT:
        allowed = "level: a unit quaternion about z" if any_height else "in the plane: z = 0, a unit quaternion about z"
        raise InvalidValue("base_pose", pose, allowed)
    return x, y, float(turns_about_z(np.array([qw, qx, qy, qz])))


def planar_twist(twist: tuple[float, ...] | None, heading: float) -> tuple[float, NDArray]:
    """Return rotation rate and velocity in world axes of a twist; raise unless it is in the plane."""
    if twist is None:
        return 0.0, np.zeros(2)
    vx, vy, vz, wx, wy, wz = (float(value) for value in twist)
    if max(abs(vz), abs(wx), abs(wy)) > FLAT:
        raise InvalidValue(
            "base_twist", twist, "in the plane: only the linear x, y and the angular z may differ from 0"
        )
    c, s = np.cos(heading), np.sin(heading)
    return wz, np.array([c * vx - s * vy, s * vx + c * vy])
