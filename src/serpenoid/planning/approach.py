"""Way to an object: a path of bounded curvature that ends behind it, in line with its goal, and keeps clear of it."""

from __future__ import annotations

from math import cos, sin
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.planning.dubins import Pose, along, dubins_paths

RUNS = (0.15, 0.25, 0.35, 0.5, 0.7, 0.9)  # lengths of the straight run before the object [m]
SPACING = 0.01  # of the points of a path [m]


class Cup(NamedTuple):
    """Two links at the head, folded to a V that opens forward; x forward, y left of the joint behind it."""

    side: float  # length of either link [m]
    angle: float  # between a link and the line across [rad]
    radius: float  # of the object [m]

    @property
    def pocket(self) -> tuple[float, float]:
        """Centre of an object that rests in the cup [m]."""
        return self.radius / cos(self.angle) - self.side * sin(self.angle), -self.side * cos(self.angle)

    def bends(self, heading: float, behind: float) -> tuple[float, float]:
        """Return the two joint angles that turn the cup to a heading, from that of the link behind it [rad]."""
        return -2.0 * self.angle, behind - heading + 0.5 * np.pi + self.angle


class Line(NamedTuple):
    """Straight line on which an object is pushed to its goal."""

    x: float  # goal [m]
    y: float  # [m]
    heading: float  # [rad]

    def relative(self, point: NDArray) -> tuple[float, float]:
        """Return the distance of a point left to the goal along the line, and its distance to the left of the line."""
        dx, dy = point[0] - self.x, point[1] - self.y
        c, s = cos(self.heading), sin(self.heading)
        return -(c * dx + s * dy), c * dy - s * dx

    def pose(self, left: float, shift: tuple[float, float]) -> Pose:
        """Return the pose on the line whose point `shift` (forward, left) is a distance before the goal [m]."""
        c, s = cos(self.heading), sin(self.heading)
        ahead, beside = -left - shift[0], -shift[1]
        return Pose(self.x + c * ahead - s * beside, self.y + s * ahead + c * beside, self.heading)


def line_to(goal: NDArray, center: NDArray) -> Line:
    """Return the line from an object's centre to its goal."""
    away = np.asarray(goal) - center
    return Line(float(goal[0]), float(goal[1]), float(np.arctan2(away[1], away[0])))


def approach(start: Pose, center: NDArray, line: Line, cup: Cup, turn: float, clear: float) -> NDArray:
    """Return the points (points, 4) of the shortest path to a run behind the object that keeps clear of it.

    Arguments: radius of the turns and distance from the object to keep [m]. If every path comes too near, return the
    one that keeps most clear.
    """
    left, _ = line.relative(center)
    clear = min(clear, float(np.hypot(start.x - center[0], start.y - center[1])) - SPACING)
    best, least = None, (np.inf, np.inf)
    for run in RUNS:
        end = line.pose(left + run, cup.pocket)
        for segments in dubins_paths(start, end, turn):
            points = along(start, segments, SPACING)
            missing = clear - np.linalg.norm(points[:, :2] - center, axis=1).min()
            cost = max(0.0, missing), sum(part.length for part in segments) + run
            if cost < least:
                best, least = points, cost
    assert best is not None  # a path of arc, line and arc always exists
    return best
