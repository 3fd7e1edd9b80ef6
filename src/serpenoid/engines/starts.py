"""How a tree starts: joint angles and rates, and the pose of its base, as given, as the motion begins, or at rest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.engines.base import Initial
from serpenoid.errors import InvalidValue
from serpenoid.gaits.limits import check_limits
from serpenoid.kernels.motion import motion_samples
from serpenoid.kernels.records import Motion
from serpenoid.robots.base import Robot
from serpenoid.support.kernel_inputs import numbers


def start_joints(
    robot: Robot, given: Initial, motion: Motion | None, driven: bool, rng: np.random.Generator
) -> tuple[NDArray, NDArray]:
    """Angles and rates (joints,): prescribed joints start in the motion, driven ones in its angles and at rest."""
    joints = robot.joints
    position, velocity = (given.joint_array(name, joints) for name in ("joint_position", "joint_velocity"))
    if motion is not None:
        check_limits(robot, motion)
        start, rate, _ = (part[0] for part in motion_samples(motion, np.zeros(1)))
        position = start if position is None or not driven else position
        rate = np.zeros(joints) if driven else rate
        velocity = rate if velocity is None or not driven else velocity
    position = np.zeros(joints) if position is None else position
    velocity = np.zeros(joints) if velocity is None else velocity
    if given.scatter > 0.0:
        position = position + given.scatter * rng.standard_normal(joints) * driven
    return position, velocity


def start_pose(pose: Any, given: Initial, fixed: bool, rng: np.random.Generator) -> NDArray:
    """The base's pose (7,): given, or where it rests; the heading of one that is free is scattered."""
    pose = numbers("base_pose", given.base_pose or pose, (7,)).copy()
    if abs(np.linalg.norm(pose[3:]) - 1.0) > 1e-6:
        raise InvalidValue("base_pose", given.base_pose, "x y z and a quaternion w x y z of length 1")
    pose[3:] /= np.linalg.norm(pose[3:])
    if given.scatter > 0.0 and not fixed:
        half = 0.5 * given.scatter * rng.standard_normal()  # of the turn about the vertical
        c, s, (w, x, y, z) = np.cos(half), np.sin(half), pose[3:]
        pose[3:] = c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w
    return pose
