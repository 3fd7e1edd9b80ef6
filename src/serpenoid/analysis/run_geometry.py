"""What stood round a run: the shapes of its world, and what its controller was to reach and to keep clear of."""

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

STILL = (1.0, 0.0, 0.0, 0.0)  # the quaternion w x y z of no turn


class RunGeometry(NamedTuple):
    """All that a picture of a run shows beside the robot."""

    standing: tuple[Shape, ...]
    moving: tuple[Moving, ...]
    goals: tuple[GoalPoint, ...]
    route: NDArray  # (points, 2) [m], empty for none
    obstacle: str  # what the world calls the shapes that have no word of their own
    world: World | None = None  # None where its class is not at hand any more

    def word(self, shape: Shape) -> str:
        """What a legend calls a shape."""
        if shape.surface() is not None:
            return "water" if shape.look == "water" else "ground"
        return shape.word or self.obstacle

    @property
    def floor(self) -> Shape | None:
        """The endless plane that the robot is on: the first of the world; None where there is none."""
        return next((shape for shape in self.standing if shape.surface() is not None), None)

    @property
    def crowded(self) -> bool:
        """Whether there is anything that the robot may touch beside a floor."""
        return bool(self.moving) or any(shape.surface() is None for shape in self.standing)


def run_geometry(run: Trajectory) -> RunGeometry:
    """What stood round a run; nothing where the run does not tell its world and controller."""
    marks, world = landmarks_of(run), world_of(run)
    own, word = ((), World.obstacle) if world is None else (world.geometry(), world.obstacle)
    shapes = tuple(dict.fromkeys((*own, *marks.obstacles)))  # an obstacle of the world is in both
    moving = tuple(shape for shape in shapes if isinstance(shape, Moving) and shape.variable in run)
    standing = tuple(shape for shape in shapes if not isinstance(shape, Moving))
    return RunGeometry(standing, moving, marks.goals, np.array(marks.route, dtype=float).reshape(-1, 2), word, world)


def world_of(run: Trajectory) -> World | None:
    """A run's world; None where its class is not at hand any more."""
    try:
        return part_of(run, "world")
    except SerpenoidError:
        return None


def landmarks_of(run: Trajectory) -> Landmarks:
    """What a run's controller had in mind."""
    try:
        controller = part_of(run, "controller")
    except SerpenoidError:
        return Landmarks()
    return controller.landmarks() if isinstance(controller, Guided) else Landmarks()


def moving_poses(run: Trajectory, shape: Moving) -> NDArray:
    """(samples, 7) pose of a shape that a run carries: x y z [m], quaternion w x y z."""
    values = run[shape.variable]
    if values.shape[1] == 7:
        return values
    return np.column_stack([values, np.tile(STILL, (len(values), 1))])


def goal_places(goal: GoalPoint, times: NDArray) -> NDArray:
    """(times, 2) where a goal is [m]."""
    return np.array(goal.position) + np.outer(times, goal.velocity)
