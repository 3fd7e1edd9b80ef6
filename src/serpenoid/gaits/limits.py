"""Check of a motion against a robot's joint limits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue
from serpenoid.kernels.records import Motion
from serpenoid.robots.base import Robot

SAMPLES = 33  # samples per polynomial segment


def check_limits(robot: Robot, motion: Motion) -> None:
    """Raise if a motion moves a joint beyond the robot's `joint_range` (joints, 2) [rad], if it has one."""
    if robot.joint_range is None:
        return
    lower, upper = robot.joint_range.T
    angles = np.concatenate([reach_between(motion), reach_outside(motion)])
    least, most = angles.min(axis=0), angles.max(axis=0)
    over = np.flatnonzero((most > upper + 1e-9) | (least < lower - 1e-9))
    if over.size:
        joint = int(over[0])
        angle = most[joint] if most[joint] > upper[joint] + 1e-9 else least[joint]
        field, value = f"gait: angle of {robot.joint_names[joint]}", round(float(angle), 4)
        raise InvalidValue(field, value, f"from {lower[joint]:.4g} to {upper[joint]:.4g} rad, the joint's limits")


def reach_outside(motion: Motion) -> NDArray:
    """Return bounds of the angles (2 or 4, joints) [rad] before the first and after the last knot, at any phase."""
    ends = [polynomial_at(motion, np.diff(motion.knots))[0, -1]]
    if motion.knots[0] > motion.time_start:
        ends.append(motion.coefficients[0, 0])
    return np.array([motion.offset + end + side * motion.swing for end in ends for side in (-1.0, 1.0)])


def reach_between(motion: Motion) -> NDArray:
    """Return the smallest and largest angle of each joint (2, joints) [rad] between the knots, by sampling."""
    local = np.linspace(0.0, 1.0, SAMPLES)[:, None] * np.diff(motion.knots)  # (samples, segments)
    phase = np.multiply.outer(motion.knots[:-1] + local - motion.time_start, motion.rate) + motion.lag
    phase = motion.phase_start + phase
    waves = motion.amplitude * np.sin(phase)
    for m, (sine, cosine) in enumerate(motion.harmonics, 2):
        waves += sine * np.sin(m * phase) + cosine * np.cos(m * phase)
    angles = motion.offset + waves + polynomial_at(motion, local)
    return np.array([angles.min(axis=(0, 1)), angles.max(axis=(0, 1))])


def polynomial_at(motion: Motion, local: NDArray) -> NDArray:
    """Evaluate the polynomials (samples, segments, joints) at times (samples, segments) [s] after each segment's
    start.
    """
    powers = np.asarray(local)[..., None] ** np.arange(motion.coefficients.shape[1])
    return np.einsum("nsk,skj->nsj", powers.reshape(-1, *powers.shape[-2:]), motion.coefficients)
