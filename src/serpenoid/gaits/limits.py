"""Whether a motion stays within a robot's joint limits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue
from serpenoid.kernels.records import Motion

SAMPLES = 33  # per polynomial segment


def check_limits(robot: Any, motion: Motion) -> None:
    """Refuse a motion that takes a joint beyond the robot's `joint_limits` (joints,) [rad], where it has any."""
    limits = getattr(robot, "joint_limits", None)
    if limits is None:
        return
    reach = np.maximum(reach_between(motion), reach_outside(motion))
    over = np.flatnonzero(reach > limits + 1e-9)
    if over.size:
        joint = int(over[0])
        name, value = robot.joint_names[joint], round(float(reach[joint]), 4)
        raise InvalidValue(f"gait: angle of {name}", value, f"within +-{limits[joint]:.4g} rad, the joint's limit")


def reach_outside(motion: Motion) -> NDArray:
    """Largest angle of each joint (joints,) [rad] before the first knot and after the last, at any phase."""
    ends = [polynomial_at(motion, np.diff(motion.knots))[0, -1]]
    if motion.knots[0] > motion.time_start:
        ends.append(motion.coefficients[0, 0])
    return np.max([np.abs(motion.offset + end) for end in ends], axis=0) + np.abs(motion.amplitude)


def reach_between(motion: Motion) -> NDArray:
    """Largest angle of each joint (joints,) [rad] between the knots, seen at many times."""
    local = np.linspace(0.0, 1.0, SAMPLES)[:, None] * np.diff(motion.knots)  # (samples, segments)
    phase = np.multiply.outer(motion.knots[:-1] + local - motion.time_start, motion.rate) + motion.lag
    waves = motion.amplitude * np.sin(motion.phase_start + phase)
    return np.abs(motion.offset + waves + polynomial_at(motion, local)).max(axis=(0, 1))


def polynomial_at(motion: Motion, local: NDArray) -> NDArray:
    """(samples, segments, joints) of the polynomials at times (samples, segments) [s] after each segment's begin."""
    powers = np.asarray(local)[..., None] ** np.arange(motion.coefficients.shape[1])
    return np.einsum("nsk,skj->nsj", powers.reshape(-1, *powers.shape[-2:]), motion.coefficients)
