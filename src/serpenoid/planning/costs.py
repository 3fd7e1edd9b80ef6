"""Costs of planning problems: small objects that add up, and the base class for user-defined costs."""

from __future__ import annotations

import re
from collections import namedtuple
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, check_fields, usual
from serpenoid.errors import finite, require
from serpenoid.kernels.ilqr.costs import register_residuals
from serpenoid.support.kernel_inputs import numbers
from serpenoid.worlds.geometry import Disc, Wall

Point = tuple[float, float]


class Records:
    """Registry of the record classes of user costs by name, which the cache of compiled code requires."""

    @classmethod
    def new(cls, owner: str, names: list[str]) -> type:
        """Create a NamedTuple class with these fields for the cost of this name."""
        name = re.sub(r"\W", "_", owner)
        record: Any = namedtuple(name, names)  # type: ignore[misc]
        record.__module__, record.__qualname__ = __name__, f"{cls.__qualname__}.{name}"
        setattr(cls, name, record)
        return record


class Cost:
    """A cost of a plan; costs add up with +.

    A user-defined cost is a frozen dataclass with numeric fields and a method `residuals(self, knot)`. The method is
    compiled and returns a number or a tuple of at most 16 numbers. The cost is the sum of their squares at every
    knot. Its curvature is that of Gauss-Newton: costs of positions plan slower motions than `Goal` and `Path`.
    A knot has state, torque, time, final, points (ends of the links) and direction (unit vectors of the links).

        @dataclass(frozen=True)
        class KeepHeadStraight(Cost):
            weight: float = 1.0

            def residuals(self, knot):
                return self.weight * knot.state[3]
    """

    Record: ClassVar[type | None] = None  # NamedTuple passed to compiled code; None for built-in costs

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
        """Return the fields as the NamedTuple of a user's cost: numbers as floats, sequences as arrays."""
        assert self.Record is not None
        return self.Record(*(as_number(name, getattr(self, name)) for name in self.Record._fields))  # type: ignore


def numeric_fields(cls: type) -> list[str]:
    """Return the names annotated in a class itself, without class variables."""
    return [name for name, kind in vars(cls).get("__annotations__", {}).items() if "ClassVar" not in str(kind)]


def as_number(name: str, value: Any) -> Any:
    """Convert a field of a user's cost for compiled code."""
    return finite(name, value) if isinstance(value, int | float) else numbers(name, value)


@dataclass(frozen=True)
class Sum(Cost):
    """A sum of costs."""

    terms: tuple[Cost, ...]
    """the costs"""

    def __post_init__(self) -> None:
        require(len(self.terms) > 0, "terms", self.terms, "at least one cost")
        for term in self.terms:
            require(isinstance(term, Cost), "terms", term, "costs")


def terms(cost: Cost) -> tuple[Cost, ...]:
    """Return the summands of a cost."""
    if isinstance(cost, Sum):
        return tuple(inner for term in cost.terms for inner in terms(term))
    return (cost,)


@dataclass(frozen=True)
class Goal(Cost):
    """Distance of the head's tip from a goal, (16) and (17), or its square."""

    position: Annotated[Point, usual(-20.0, 20.0)]
    """goal of the head [m]"""
    weight: Annotated[float, at_least(0.0, usual=(0.1, 10.0), most=1e6)] = 1.0
    """alpha [1/m], or [1/m^2] if squared"""
    smoothing: Annotated[float, above(0.0, usual=(1e-4, 0.1))] = 0.001
    """radius within which the distance is rounded off [m]"""
    velocity: Annotated[Point, usual(-1.0, 1.0)] = (0.0, 0.0)
    """velocity of a moving goal, which is at its position at time zero [m/s]"""
    squared: bool = False
    """whether the squared distance counts, without smoothing"""

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True)
class Torque(Cost):
    """Sum of the squared torques, (16)."""

    weight: Annotated[float, at_least(0.0, usual=(0.001, 1.0))] = 0.01
    """beta [1/(N m)^2]"""

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True)
class Velocity(Cost):
    """Squared error of the velocity of the centre of mass."""

    velocity: Annotated[Point, usual(-1.0, 1.0)]
    """desired velocity, world axes [m/s]"""
    weight: Annotated[float, at_least(0.0, usual=(0.1, 10.0), most=1e6)] = 1.0
    """[s^2/m^2]"""

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True)
class JointLimits(Cost):
    """Squared excess of every joint angle beyond its limits."""

    lower: Annotated[float, usual(-2.0, 0.0)]
    """[rad]"""
    upper: Annotated[float, usual(0.0, 2.0)]
    """[rad]"""
    weight: Annotated[float, above(0.0, usual=(1.0, 1000.0))] = 100.0
    """[1/rad^2]"""

    def __post_init__(self) -> None:
        check_fields(self)
        require(self.upper > self.lower, "upper", self.upper, f"above lower = {self.lower}")


@dataclass(frozen=True)
class Obstacle(Cost):
    """A wall with round ends that the body's skin should not touch, (18); a disc if both ends coincide."""

    start: Annotated[Point, usual(-5.0, 5.0)]
    """one end of the wall's centre line, or the disc's centre [m]"""
    end: Annotated[Point | None, usual(-5.0, 5.0)] = None
    """the other end [m]; none: a disc"""
    radius: Annotated[float, at_least(0.0, usual=(0.0, 1.0))] = 0.0
    """half the wall's thickness, or the disc's radius [m]; the body's radius is added by the planner"""
    height: Annotated[float, above(0.0, usual=(0.1, 10.0))] = 1.0
    """A, cost inside [-]"""
    slope: Annotated[float, above(0.0, usual=(10.0, 200.0))] = 50.0
    """k, slope of the cost at the surface [1/m]"""

    def __post_init__(self) -> None:
        check_fields(self)
        require(self.end is not None or self.radius > 0.0, "radius", self.radius, "above 0 for a disc")

    @property
    def other_end(self) -> Point:
        """Return the wall's other end; the centre for a disc."""
        return self.start if self.end is None else self.end

    @property
    def shape(self) -> Disc | Wall:
        """Return the shape that pages and plots show."""
        if tuple(self.other_end) == tuple(self.start):
            return Disc(self.start, self.radius)
        return Wall(self.start, self.other_end, self.radius)


@dataclass(frozen=True)
class Path(Cost):
    """Remaining length of a polyline from the point nearest to the head, and the distance from the line."""

    points: Annotated[tuple[Point, ...], usual(-10.0, 10.0)]
    """corners of the line [m]"""
    weight: Annotated[float, at_least(0.0, usual=(0.1, 10.0), most=1e6)] = 1.0
    """weight of the remaining length [1/m]"""
    lateral_weight: Annotated[float, at_least(0.0, usual=(0.5, 50.0))] = 20.0
    """weight of the squared distance from the line [1/m^2]"""

    def __post_init__(self) -> None:
        check_fields(self)
        require(len(self.points) >= 2, "points", self.points, "at least two points")
        gaps = np.linalg.norm(np.diff(np.array(self.points, dtype=float), axis=0), axis=1)
        require(bool((gaps > 0.0).all()), "points", self.points, "points that differ from their neighbours")

    def nearest(self, places: NDArray) -> tuple[NDArray, NDArray]:
        """Return, for points (count, 2), the distance from the line and the remaining length from the nearest point
        [m].
        """
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


__all__ = ["Cost", "Goal", "JointLimits", "Obstacle", "Path", "Sum", "Torque", "Velocity", "terms"]
