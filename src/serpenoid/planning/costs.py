"""What a planner is asked to do: small cost objects that add up, and the base of a user's own."""

from __future__ import annotations

import re
from collections import namedtuple
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue, finite, nonnegative, positive, require
from serpenoid.kernels.ilqr.costs import register_residuals
from serpenoid.worlds.geometry import Disc, Wall

Point = tuple[float, float]


class Records:
    """Where the records of users' costs can be found again by name, as the cache of compiled code must."""

    @classmethod
    def new(cls, owner: str, names: list[str]) -> type:
        """A NamedTuple class with these fields for the cost of this name."""
        name = re.sub(r"\W", "_", owner)
        record: Any = namedtuple(name, names)  # type: ignore[misc]
        record.__module__, record.__qualname__ = __name__, f"{cls.__qualname__}.{name}"
        setattr(cls, name, record)
        return record


class Cost:
    """A cost of a plan; costs add up with +.

    A cost of one's own is a frozen dataclass with numbers as fields and a method `residuals(self, knot)`, which is
    compiled and returns a number or a tuple of at most 16 numbers; the cost is the sum of their squares at every knot.
    A knot has state, torque, time, final, points (ends of the links) and direction (unit vectors of the links).

        @dataclass(frozen=True)
        class KeepHeadStraight(Cost):
            weight: float = 1.0

            def residuals(self, knot):
                return self.weight * knot.state[3]
    """

    Record: ClassVar[type | None] = None  # the NamedTuple that crosses into compiled code; None for built-in costs

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "residuals" in vars(cls):
            names = [name for base in reversed(cls.__mro__) for name in numeric_fields(base)]
            cls.Record = Records.new(f"{cls.__module__}.{cls.__qualname__}", names)
            register_residuals(cls.Record, vars(cls)["residuals"])

    def __add__(self, other: Cost) -> Cost:
        if not isinstance(other, Cost):
            return NotImplemented
        return Sum((*terms(self), *terms(other)))

    def record(self) -> Any:
        """The fields as the NamedTuple of a user's cost: numbers as floats, sequences as arrays."""
        assert self.Record is not None
        return self.Record(*(as_number(name, getattr(self, name)) for name in self.Record._fields))  # type: ignore


def numeric_fields(cls: type) -> list[str]:
    """Names annotated in a class itself, class variables left out."""
    return [name for name, kind in vars(cls).get("__annotations__", {}).items() if "ClassVar" not in str(kind)]


def as_number(name: str, value: Any) -> Any:
    """A field of a user's cost as compiled code takes it."""
    if isinstance(value, int | float):
        return finite(name, value)
    try:
        array = np.ascontiguousarray(value, dtype=float)
    except (TypeError, ValueError):
        raise InvalidValue(name, value, "a number or an array of numbers") from None
    require(bool(np.isfinite(array).all()), name, value, "finite numbers")
    return array


@dataclass(frozen=True)
class Sum(Cost):
    """Costs added up."""

    terms: tuple[Cost, ...]
    """the costs"""

    def __post_init__(self) -> None:
        require(len(self.terms) > 0, "terms", self.terms, "at least one cost")
        for term in self.terms:
            require(isinstance(term, Cost), "terms", term, "costs")


def terms(cost: Cost) -> tuple[Cost, ...]:
    """The summands of a cost."""
    if isinstance(cost, Sum):
        return tuple(inner for term in cost.terms for inner in terms(term))
    return (cost,)


@dataclass(frozen=True)
class Goal(Cost):
    """Distance of the head's tip from a goal, (16) and (17)."""

    position: Point
    """where the head is to go [m]"""
    weight: float = 1.0
    """alpha [1/m]"""
    smoothing: float = 0.001
    """radius within which the distance is rounded off [m]"""
    velocity: Point = (0.0, 0.0)
    """of a goal that moves, from its position at time zero on [m/s]"""

    def __post_init__(self) -> None:
        point("position", self.position)
        point("velocity", self.velocity)
        nonnegative("weight", self.weight)
        positive("smoothing", self.smoothing)


@dataclass(frozen=True)
class Torque(Cost):
    """Sum of the squared torques, (16)."""

    weight: float = 0.01
    """beta [1/(N m)^2]"""

    def __post_init__(self) -> None:
        nonnegative("weight", self.weight)


@dataclass(frozen=True)
class Velocity(Cost):
    """Squared difference between the velocity of the centre of mass and a wanted one."""

    velocity: Point
    """wanted velocity, world axes [m/s]"""
    weight: float = 1.0
    """[s^2/m^2]"""

    def __post_init__(self) -> None:
        point("velocity", self.velocity)
        nonnegative("weight", self.weight)


@dataclass(frozen=True)
class JointLimits(Cost):
    """Squared excess of every joint angle beyond its limits."""

    lower: float
    """[rad]"""
    upper: float
    """[rad]"""
    weight: float = 100.0
    """[1/rad^2]"""

    def __post_init__(self) -> None:
        finite("lower", self.lower)
        require(finite("upper", self.upper) > self.lower, "upper", self.upper, f"above lower = {self.lower}")
        positive("weight", self.weight)


@dataclass(frozen=True)
class Obstacle(Cost):
    """A wall with round ends that no link should touch, (18); a disc where both ends are the same point."""

    start: Point
    """one end of the wall's middle line, or the disc's centre [m]"""
    end: Point | None = None
    """the other end [m]; none: a disc"""
    radius: float = 0.0
    """half the wall's thickness, or the disc's radius, with half the snake's width [m]"""
    height: float = 1.0
    """A, the cost inside [-]"""
    slope: float = 50.0
    """k, how steeply the cost rises at the surface [1/m]"""

    def __post_init__(self) -> None:
        point("start", self.start)
        if self.end is not None:
            point("end", self.end)
        nonnegative("radius", self.radius)
        require(self.end is not None or self.radius > 0.0, "radius", self.radius, "above 0 for a disc")
        positive("height", self.height)
        positive("slope", self.slope)

    @property
    def other_end(self) -> Point:
        """The wall's other end, the centre again for a disc."""
        return self.start if self.end is None else self.end

    @property
    def shape(self) -> Disc | Wall:
        """What pages and plots show."""
        if tuple(self.other_end) == tuple(self.start):
            return Disc(self.start, self.radius)
        return Wall(self.start, self.other_end, self.radius)


@dataclass(frozen=True)
class Path(Cost):
    """The way that is left along a polyline from the point nearest to the head, and the distance from the line."""

    points: tuple[Point, ...]
    """corners of the line [m]"""
    weight: float = 1.0
    """of the way left [1/m]"""
    lateral_weight: float = 5.0
    """of the squared distance from the line [1/m^2]"""

    def __post_init__(self) -> None:
        require(len(self.points) >= 2, "points", self.points, "at least two points")
        for corner in self.points:
            point("points", corner)
        gaps = np.linalg.norm(np.diff(np.array(self.points, dtype=float), axis=0), axis=1)
        require(bool((gaps > 0.0).all()), "points", self.points, "points that differ from their neighbours")
        nonnegative("weight", self.weight)
        nonnegative("lateral_weight", self.lateral_weight)

    def nearest(self, places: NDArray) -> tuple[NDArray, NDArray]:
        """Distance from the line, and way left along it from the nearest point, of places (count, 2) [m]."""
        corners = np.array(self.points, dtype=float)
        distance, left = np.full(len(places), np.inf), np.zeros(len(places))
        lengths = np.linalg.norm(np.diff(corners, axis=0), axis=1)
        for i, (start, end) in enumerate(zip(corners, corners[1:])):
            share = np.clip((places - start) @ (end - start) / lengths[i] ** 2, 0.0, 1.0)
            gap = np.linalg.norm(places - start - share[:, None] * (end - start), axis=1)
            nearer = gap < distance
            distance = np.where(nearer, gap, distance)
            left = np.where(nearer, (1.0 - share) * lengths[i] + lengths[i + 1 :].sum(), left)
        return distance, left


def point(field: str, value: Any) -> None:
    """Refuse what is not two finite numbers."""
    good = isinstance(value, tuple | list | np.ndarray) and len(value) == 2
    require(good and all(is_number(number) for number in value), field, value, "two finite numbers")


def is_number(value: Any) -> bool:
    """Whether a value is a finite number."""
    return isinstance(value, int | float | np.floating | np.integer) and bool(np.isfinite(value))


__all__ = ["Cost", "Goal", "JointLimits", "Obstacle", "Path", "Sum", "Torque", "Velocity", "terms"]
