"""Shapes in which a floating robot holds its head level at a height: quasi-static gaze control."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue, require
from serpenoid.robots.base import Robot
from serpenoid.robots.natrix import PITCH_JOINTS, SHELL_JOINTS
from serpenoid.worlds.flotation import UPRIGHT, Afloat, Flotation
from serpenoid.worlds.water import WaterSurface

RISE = 0.005  # largest change of height between two solutions [m]
SMALL = 1e-6  # step of the forward differences [rad]
CLOSE = 1e-8  # of weight, and of weight times 1 m: residual of a solution
MOST_STEPS = 30
LONGEST = 0.2  # largest change of an angle in one step [rad]
SINGULAR = 1e-12  # least determinant of the derivatives for a step
MOST_EFFECT = np.pi / 6.0  # shell angle of about the largest roll moment: a quarter of the section's period [rad]


class GazeShapes:
    """Solver for the two pitch joints of the neck and one angle of all shells that hold the head level at a height.

    The head is link 0, so its pose is known: upright at that height. Heave force, roll and pitch moment of weight and
    buoyancy vanish in still water. These are three equations for three angles, solved by Newton's method from the last
    solution. If a shape leans more than the shells can balance, they stay at their largest effect.
    """

    def __init__(self, robot: Robot, world: WaterSurface, height: float | None = None):
        require(robot.joints > max(SHELL_JOINTS), "robot", type(robot).__name__, "a robot with shells, such as NATRIX")
        self.flotation = Flotation(robot, world)
        self.reach = np.full((robot.joints, 2), np.inf) if robot.joint_range is None else robot.joint_range
        self.angles = np.zeros(3)  # of both pitch joints and the shells
        start = self.flotation.upright().height
        self.height = start if height is None else float(height)
        for level in np.linspace(start, self.height, 1 + int(np.ceil(abs(self.height - start) / RISE))):
            if not self.solved(np.zeros(robot.joints), float(level)):
                allowed = f"a height that the neck reaches afloat: from {start:.3f} m, at rest, to below {level:.3f} m"
                raise InvalidValue("height", self.height, allowed)

    def shape(self, others: NDArray) -> NDArray:
        """Return joint angles (joints,) with the given angles of all other joints."""
        if not self.solved(others, self.height):
            self.angles[2] = np.copysign(MOST_EFFECT, self.angles[2])
            if not self.solved(others, self.height, (0, 1)):
                raise InvalidValue("height", self.height, "a height that the neck reaches in every shape of the gait")
        return self.placed(others, self.angles)

    def solved(self, others: NDArray, height: float, free: tuple[int, ...] = (0, 1, 2)) -> bool:
        """Solve for a height by the `free` angles; return whether a solution was found within the joints' range."""
        angles, pose = self.angles.copy(), Afloat(UPRIGHT, height)
        rows = [(1, 2, 0)[k] for k in free]  # pitch moment, heave force, roll moment
        for _ in range(MOST_STEPS):
            residual = self.residual(others, angles, pose)[rows]
            if np.abs(residual).max() < CLOSE:
                shape, self.angles = self.placed(others, angles), angles
                return bool(((shape >= self.reach[:, 0]) & (shape <= self.reach[:, 1])).all())
            units = SMALL * np.eye(3)[list(free)]
            slopes = np.array([(self.residual(others, angles + u, pose)[rows] - residual) / SMALL for u in units])
            if abs(np.linalg.det(slopes)) < SINGULAR or abs(angles[2]) > 2.0 * MOST_EFFECT:
                return False
            angles[list(free)] -= np.clip(np.linalg.solve(slopes.T, residual), -LONGEST, LONGEST)
        return False

    def residual(self, others: NDArray, angles: NDArray, pose: Afloat) -> NDArray:
        """Return roll moment, pitch moment [N m] and heave force [N] over the weight."""
        self.flotation.shape = self.placed(others, angles)
        force, moment = np.split(self.flotation.wrench(pose), 2)
        return np.array([moment[0], moment[1], force[2]]) / self.flotation.weight

    def placed(self, others: NDArray, angles: NDArray) -> NDArray:
        """Return joint angles with those of pitch joints and shells replaced."""
        shape = np.array(others, dtype=float)
        shape[list(PITCH_JOINTS)] = angles[:2]
        shape[list(SHELL_JOINTS)] = angles[2]
        return shape

    @property
    def base_pose(self) -> tuple[float, ...]:
        """Pose of the head: level at the height."""
        return Afloat(UPRIGHT, self.height).base_pose


def gaze_shape(
    robot: Robot, world: WaterSurface, height: float | None = None, others: NDArray | None = None
) -> NDArray:
    """Return joint angles (joints,) with which the head floats level at a height [m], by default its height at rest.

    `others` (joints,) are the angles of the yaw joints, zero by default.
    """
    shapes = GazeShapes(robot, world, height)
    return shapes.shape(np.zeros(robot.joints) if others is None else np.asarray(others, dtype=float))
