"""Distances of a run from its goals, route and obstacles over time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.bodies import part_of
from serpenoid.analysis.run_geometry import goal_places, run_geometry
from serpenoid.errors import require
from serpenoid.robots.rotations import rotations
from serpenoid.robots.shapes import segments
from serpenoid.trajectory import Trajectory
from serpenoid.worlds.geometry import Footprint


def goal_distance(run: Trajectory) -> NDArray:
    """Return the distance from each goal of the run's controller [m], (time, goals).

    Each goal is for the head, the centre of mass, or a pushed object.
    """
    goals = run_geometry(run).goals
    away = [np.linalg.norm(run[goal.of][:, :2] - goal_places(goal, run.times), axis=1) for goal in goals]
    return np.stack(away, axis=1) if away else np.empty((run.times.size, 0))


def path_distance(run: Trajectory) -> NDArray:
    """Return the distance of the head from the route to follow [m], (time,)."""
    route = run_geometry(run).route
    require(len(route) > 1, "run", "no route", "a run with a route to follow")
    head = run["base_pose"][:, None, :2]
    return point_distances(head, route[:-1], route[1:]).min(axis=(1, 2))


def footprints(run: Trajectory) -> list[Footprint]:
    """Return the footprints of the obstacles of a run."""
    found = (shape.footprint() for shape in run_geometry(run).standing)
    return [foot for foot in found if foot is not None]


def clearance(run: Trajectory) -> NDArray:
    """Return the distance between the body's skin and the nearest obstacle's surface [m], (time,); negative inside.

    The skin is that of a round body, as for the planner; other bodies count as lines. Infinite without obstacles.
    """
    start, end = body_line(run)
    body_radius = float(part_of(run, "robot").radius or 0.0)
    least = np.full(run.times.size, np.inf)
    for foot in footprints(run):
        gap = segment_distances(start, end, np.array(foot.start, float), np.array(foot.end, float))
        gap -= foot.radius + body_radius
        least = np.minimum(least, gap.min(axis=1))
    return least


def body_line(run: Trajectory) -> tuple[NDArray, NDArray]:
    """Return both ends of every segment of the body, seen from above, each (time, pieces, 2) [m]."""
    pose, pieces = run["link_pose"], segments(part_of(run, "robot"))
    body = [piece.body for piece in pieces]
    turn, place = rotations(pose[:, body, 3:]), pose[:, body, :3]
    ends = (np.stack([piece[k] for piece in pieces]) for k in (1, 2))
    start, end = ((place + np.einsum("tpij,pj->tpi", turn, own))[..., :2] for own in ends)
    return start, end


def segment_distances(start: NDArray, end: NDArray, other: NDArray, far: NDArray) -> NDArray:
    """Return the distance (...) of segments given by their ends (..., 2) from one segment (2,), (2,); negative if they
    cross.

    It is evaluated at one of the four ends. For crossing segments it is minus the shortest separating distance.
    """
    ends = np.stack([start, end], axis=-2)
    own = point_distances(ends, other[None], far[None])[..., 0].min(axis=-1)
    others = np.minimum(*(to_segments(point, start, end) for point in (other, far)))
    least = np.minimum(own, others)
    sides = side(start, end, other) * side(start, end, far), side(other, far, start) * side(other, far, end)
    return np.where((sides[0] < 0.0) & (sides[1] < 0.0), -least, least)


def side(a: NDArray, b: NDArray, point: NDArray) -> NDArray:
    """Return on which side of the line through a and b a point lies: the cross product [m^2]."""
    along, away = b - a, point - a
    return along[..., 0] * away[..., 1] - along[..., 1] * away[..., 0]


def point_distances(points: NDArray, starts: NDArray, ends: NDArray) -> NDArray:
    """Return the distance (..., segments) of points (..., 2) from segments given by their ends (segments, 2)."""
    return to_segments(points[..., None, :], starts, ends)


def to_segments(point: NDArray, start: NDArray, end: NDArray) -> NDArray:
    """Return the distance of points (..., 2) from segments with ends (..., 2), all broadcast together."""
    along = end - start
    square = (along**2).sum(axis=-1)
    share = ((point - start) * along).sum(axis=-1) / np.where(square > 0.0, square, 1.0)
    nearest = start + np.clip(share, 0.0, 1.0)[..., None] * along
    return np.linalg.norm(point - nearest, axis=-1)
