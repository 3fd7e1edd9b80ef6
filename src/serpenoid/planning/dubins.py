"""Shortest paths of bounded curvature between two poses in the plane (Dubins, 1957)."""

from __future__ import annotations

from collections.abc import Iterator
from math import acos, atan2, cos, hypot, pi, sin, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LEFT, STRAIGHT, RIGHT = 1.0, 0.0, -1.0


class Pose(NamedTuple):
    """Position and heading in the plane."""

    x: float  # [m]
    y: float  # [m]
    heading: float  # [rad]


class Segment(NamedTuple):
    """Arc or line of a path."""

    curvature: float  # [1/m], positive to the left
    length: float  # [m]


def dubins_paths(start: Pose, end: Pose, radius: float) -> Iterator[tuple[Segment, ...]]:
    """Yield the paths arc, line, arc and arc, arc, arc between two poses with turns of one radius [m]."""
    dx, dy = (end.x - start.x) / radius, (end.y - start.y) / radius
    distance, bearing = hypot(dx, dy), atan2(dy, dx)
    a, b = start.heading - bearing, end.heading - bearing
    for first, last in ((LEFT, LEFT), (RIGHT, RIGHT), (LEFT, RIGHT), (RIGHT, LEFT)):
        for turns in (with_line(distance, a, b, first, last), with_arcs(distance, a, b, first, last)):
            if turns is not None:
                kinds = (first, STRAIGHT if turns[3] else -first, last)
                yield tuple(Segment(kind / radius, turn * radius) for kind, turn in zip(kinds, turns))


def with_line(distance: float, a: float, b: float, first: float, last: float) -> tuple[float, ...] | None:
    """Return the lengths of arc, line and arc for a unit radius, and 1; None if the circles overlap."""
    x, y = distance + first * sin(a) - last * sin(b), -first * cos(a) + last * cos(b)
    apart = hypot(x, y)
    if first == last:
        line, heading = apart, atan2(y, x) if apart > 0.0 else a
    else:
        if apart < 2.0:
            return None
        line = sqrt(apart**2 - 4.0)
        heading = atan2(y, x) + first * atan2(2.0, line)
    return (first * (heading - a)) % (2.0 * pi), line, (last * (b - heading)) % (2.0 * pi), 1.0


def with_arcs(distance: float, a: float, b: float, first: float, last: float) -> tuple[float, ...] | None:
    """Return the lengths of three arcs for a unit radius, and 0; None if the outer circles are too far apart."""
    if first != last:
        return None
    x, y = distance + first * sin(a) - first * sin(b), -first * cos(a) + first * cos(b)
    apart = hypot(x, y)
    if apart > 4.0:
        return None
    # the middle circle touches both outer ones; it lies so that the middle arc is longer than a half turn
    toward, half = atan2(y, x), acos(apart / 4.0)
    middle = toward - first * half  # direction from the first centre to the middle one
    other = toward + pi + first * half  # and from the last centre
    one = (first * (middle - (a - first * 0.5 * pi))) % (2.0 * pi)
    two = (-first * ((other + pi) - (middle + pi))) % (2.0 * pi)
    three = (first * ((b - first * 0.5 * pi) - other)) % (2.0 * pi)
    return one, two, three, 0.0


def along(start: Pose, segments: tuple[Segment, ...], spacing: float) -> NDArray:
    """Return points of a path (points, 4): x, y [m], heading [rad], curvature [1/m]."""
    found, pose = [np.array([[*start, segments[0].curvature]])], start
    for curvature, length in segments:
        s = np.linspace(0.0, length, max(2, int(length / spacing) + 1))[1:]
        heading = pose.heading + curvature * s
        if curvature == 0.0:
            x, y = pose.x + s * cos(pose.heading), pose.y + s * sin(pose.heading)
        else:
            x = pose.x + (np.sin(heading) - sin(pose.heading)) / curvature
            y = pose.y - (np.cos(heading) - cos(pose.heading)) / curvature
        found.append(np.column_stack([x, y, heading, np.full(s.size, curvature)]))
        pose = Pose(float(x[-1]), float(y[-1]), float(heading[-1]))
    return np.vstack(found)
