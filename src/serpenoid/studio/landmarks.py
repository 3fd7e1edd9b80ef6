"""What a planned run was to reach, to follow and to keep clear of, as things that stand in its scene."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.bodies import part_of
from serpenoid.errors import SerpenoidError
from serpenoid.planning import Goal, Obstacle, Path, RecedingHorizon
from serpenoid.planning.costs import terms
from serpenoid.robots.shapes import circle, extruded
from serpenoid.trajectory import Trajectory

Colour = tuple[int, int, int]
WALL: Colour = (110, 118, 126)
GOAL: Colour = (237, 174, 73)
GOAL_RADIUS = 0.06  # [m]


class Landmark(NamedTuple):
    """Something upright that does not move."""

    outline: NDArray  # (corners, 2) counter-clockwise, convex [m]
    height: float  # share of the robot's height
    colour: Colour


class Landmarks(NamedTuple):
    """All of a run."""

    standing: list[Landmark]
    route: NDArray  # (points, 2) of a path that was to be followed, empty for none [m]


def landmarks_of(run: Trajectory) -> Landmarks:
    """The obstacles, goals and the path of a run that was planned; nothing for other runs."""
    nothing = Landmarks([], np.empty((0, 2)))
    if "controller" not in run.configuration:
        return nothing
    try:
        controller = part_of(run, "controller")
    except SerpenoidError:  # a class of the user's own that is not at hand any more
        return nothing
    if not isinstance(controller, RecedingHorizon):
        return nothing
    costs = terms(controller.problem.cost)
    walls = [Landmark(outline(cost), 1.0, WALL) for cost in costs if isinstance(cost, Obstacle)]
    end = float(run.times[-1])  # a goal that moves is shown where it is last
    places = [np.array(cost.position) + end * np.array(cost.velocity) for cost in costs if isinstance(cost, Goal)]
    goals = [Landmark(place + circle(GOAL_RADIUS), 0.2, GOAL) for place in places]
    routes = [np.array(cost.points, dtype=float) for cost in costs if isinstance(cost, Path)]
    return Landmarks(walls + goals, routes[0] if routes else nothing.route)


def outline(obstacle: Obstacle) -> NDArray:
    """A wall with round ends, or a disc, seen from above."""
    start, end = np.array(obstacle.start, dtype=float), np.array(obstacle.other_end, dtype=float)
    along, corners = end - start, circle(obstacle.radius)
    return np.where((corners @ along > 0.0)[:, None], end, start) + corners


def upright(landmark: Landmark, floor: float, height: float) -> tuple[NDArray, NDArray]:
    """Vertices and faces of a landmark that stands on a floor."""
    middle = landmark.outline.mean(axis=0)
    vertices, faces = extruded(landmark.outline - middle, floor, floor + landmark.height * height)
    return vertices[:, [1, 2, 0]] + np.array([*middle, 0.0]), faces


def in_view(landmarks: Landmarks, lowest: NDArray, highest: NDArray) -> tuple[NDArray, NDArray]:
    """The box that holds a run's bodies, grown to hold the landmarks near it: no farther off than its diagonal."""
    reach = float(np.linalg.norm((highest - lowest)[:2]))
    corners = [lowest[:2], highest[:2]]
    for points in [*(landmark.outline for landmark in landmarks.standing), *landmarks.route[:, None]]:
        if np.all(points > lowest[:2] - reach) and np.all(points < highest[:2] + reach):
            corners += [points.min(axis=0), points.max(axis=0)]
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    return np.array([*low, lowest[2]]), np.array([*high, highest[2]])
