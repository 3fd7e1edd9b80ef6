"""Geometry around a run: shapes of its world, and goals, route and obstacles of its controller."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.bodies import part_of
from serpenoid.control.landmarks import GoalPoint, Guided, Landmarks
from serpenoid.errors import SerpenoidError
from serpenoid.trajectory import Trajectory
from serpenoid.worlds.base import World
from serpenoid.worlds.geometry import Shape
from serpenoid.worlds.solids import Moving

STILL = (1.0, 0.0, 0.0, 0.0)  # identity quaternion w x y z


class RunGeometry(NamedTuple):
    """All geometry in a picture of a run except the robot."""

    standing: tuple[Shape, ...]
    moving: tuple[Moving, ...]
    goals: tuple[GoalPoint, ...]
    route: NDArray  # (points, 2) [m], empty for none
    obstacle: str  # the world's word for shapes without their own
    world: World | None = None  # None if its class is unavailable

    def word(self, shape: Shape) -> str:
        """Return the legend of a shape."""
        if shape.surface() is not None:
            return "water" if shape.look == "water" else "ground"
        return shape.word or self.obstacle

    @property
    def floor(self) -> Shape | None:
        """Infinite plane under the robot, the first of the world; None without one."""
        return next((shape for shape in self.standing if shape.surface() is not None), None)

    @property
    def crowded(self) -> bool:
        """True if there is anything except a floor that the robot may touch."""
        return bool(self.moving) or any(shape.surface() is None for shape in self.standing)


def run_geometry(run: Trajectory) -> RunGeometry:
    """Return the geometry around a run; empty if the run does not identify its world and controller."""
    marks, world = landmarks_of(run), world_of(run)
    own, word = ((), World.obstacle) if world is None else (world.geometry(), world.obstacle)
    shapes = tuple(dict.fromkeys((*own, *marks.obstacles)))  # an obstacle of the world is in both
    moving = tuple(shape for shape in shapes if isinstance(shape, Moving) and shape.variable in run)
    standing = tuple(shape for shape in shapes if not isinstance(shape, Moving))
    return RunGeometry(standing, moving, marks.goals, np.array(marks.route, dtype=float).reshape(-1, 2), word, world)


def world_of(run: Trajectory) -> World | None:
    """Return a run's world; None if its class is unavailable."""
    try:
        return part_of(run, "world")
    except SerpenoidError:
        return None


def landmarks_of(run: Trajectory) -> Landmarks:
    """Return the goals, route and obstacles of a run's controller."""
    try:
        controller = part_of(run, "controller")
    except SerpenoidError:
        return Landmarks()
    return controller.landmarks() if isinstance(controller, Guided) else Landmarks()


def moving_poses(run: Trajectory, shape: Moving) -> NDArray:
    """Return the pose (samples, 7) of a moving shape of a run: x y z [m], quaternion w x y z."""
    values = run[shape.variable]
    if values.shape[1] == 7:
        return values
    return np.column_stack([values, np.tile(STILL, (len(values), 1))])


def goal_places(goal: GoalPoint, times: NDArray) -> NDArray:
    """Return the positions (times, 2) of a goal [m]."""
    return np.array(goal.position) + np.outer(times, goal.velocity)
