"""Whether a motion stays within a robot's joint limits."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.errors import InvalidValue
from serpenoid.kernels.records import Motion

SAMPLES = 33  # per polynomial segment


def check_limits(robot: Any, motion: Motion) -> None:
    """Refuse a motion that takes a joint beyond the robot's `joint_limits` (joints,) [rad], where it has any."""
    limits = getattr(robot, "joint_limits", None)
    if limits is None:
        return
    spans = np.diff(motion.knots)
    local = np.linspace(0.0, 1.0, SAMPLES)[:, None] * spans  # (samples, segments)
    powers = local[..., None] ** np.arange(motion.coefficients.shape[1])  # (samples, segments, degree + 1)
    bend = np.einsum("nsk,skj->nsj", powers, motion.coefficients).reshape(-1, motion.offset.size)
    reach = np.abs(motion.offset + bend).max(axis=0) + np.abs(motion.amplitude)
    over = np.flatnonzero(reach > limits + 1e-9)
    if over.size:
        joint = int(over[0])
        name, value = robot.joint_names[joint], round(float(reach[joint]), 4)
        raise InvalidValue(f"gait: angle of {name}", value, f"within +-{limits[joint]:.4g} rad, the joint's limit")
