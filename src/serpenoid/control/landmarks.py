"""What a controller was to reach, to follow or to keep clear of, for pages and plots."""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

from serpenoid.worlds.geometry import Point, Shape


class GoalPoint(NamedTuple):
    """A point of the plane that the head was to reach."""

    position: Point  # at time zero [m]
    velocity: Point = (0.0, 0.0)  # of a goal that moves [m/s]


class Landmarks(NamedTuple):
    """All that a controller had in mind."""

    goals: tuple[GoalPoint, ...] = ()
    route: tuple[Point, ...] = ()  # corners of a line that was to be followed [m]
    obstacles: tuple[Shape, ...] = ()


@runtime_checkable
class Guided(Protocol):
    """A controller that can say where it was going."""

    def landmarks(self) -> Landmarks:
        """Goals, route and obstacles."""
        ...
