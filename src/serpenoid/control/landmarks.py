"""Goals, routes and obstacles of controllers, for pages and plots."""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

from serpenoid.worlds.geometry import Point, Shape


class GoalPoint(NamedTuple):
    """A goal in the plane."""

    position: Point  # at time zero [m]
    velocity: Point = (0.0, 0.0)  # of a moving goal [m/s]
    of: str = "base_pose"  # variable whose position is to reach it: the head's, unless given


class Landmarks(NamedTuple):
    """All goals, routes and obstacles of a controller."""

    goals: tuple[GoalPoint, ...] = ()
    route: tuple[Point, ...] = ()  # corners of the route to follow [m]
    obstacles: tuple[Shape, ...] = ()


@runtime_checkable
class Guided(Protocol):
    """A controller that reports its goals."""

    def landmarks(self) -> Landmarks:
        """Return goals, route and obstacles."""
        ...
