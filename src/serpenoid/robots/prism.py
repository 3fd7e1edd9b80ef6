"""Outer shape of a body in water: polygons extruded along the body's x axis."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import between, check_fields, usual
from serpenoid.errors import InvalidValue, require
from serpenoid.robots.base import Robot

MOST_VERTICES = 64

Section = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Prism:
    """Cross-section extruded along the x axis of a body."""

    body: Annotated[int, between(0, 100_000, usual=(0, 20))]
    """index of the body"""
    start: Annotated[float, usual(-0.2, 0.2)]
    """first station on the body's x axis [m]"""
    end: Annotated[float, usual(-0.2, 0.2)]
    """last station [m]"""
    section: Section
    """vertices (y, z) [m], in order around the section; it must not cross itself"""
    turn: Annotated[float, usual(-3.15, 3.15)] = 0.0
    """rotation of the section's y and z axes about the body's x axis [rad]"""

    def __post_init__(self) -> None:
        check_fields(self)
        require(self.end > self.start, "end", self.end, f"above start = {self.start}")
        check_section(self.section)

    @property
    def volume(self) -> float:
        """Volume [m^3]."""
        return (self.end - self.start) * section_integrals(self.polygon())[0]

    def polygon(self) -> NDArray:
        """Return the vertices of the section in its own axes, counter-clockwise, (vertices, 2)."""
        points = np.array(self.section, dtype=float)
        return points if section_integrals(points)[0] > 0.0 else points[::-1].copy()


def section_integrals(points: NDArray) -> NDArray:
    """Return area and first moments over y and z of a polygon; the area is positive if counter-clockwise."""
    y, z = points.T
    y_next, z_next = np.roll(points, -1, axis=0).T
    cross = y * z_next - y_next * z
    return np.array([cross.sum() / 2.0, (cross * (y + y_next)).sum() / 6.0, (cross * (z + z_next)).sum() / 6.0])


def check_section(section: Section) -> None:
    """Raise unless the section is a simple polygon of finite, distinct vertices."""
    try:
        points = np.array(section, dtype=float)
    except (TypeError, ValueError):
        raise InvalidValue("section", section, "a list of pairs (y, z)") from None
    allowed = f"3 to {MOST_VERTICES} pairs (y, z) of finite numbers"
    require(points.ndim == 2 and points.shape[1:] == (2,), "section", section, allowed)
    require(3 <= len(points) <= MOST_VERTICES and bool(np.isfinite(points).all()), "section", section, allowed)
    met = first_meeting(as_section(points))
    if met is not None:
        allowed = f"a polygon that does not cross itself (edges {met[0]} and {met[1]} meet)"
        raise InvalidValue("section", section, allowed)
    require(abs(section_integrals(points)[0]) > 0.0, "section", section, "a polygon with an area")


@lru_cache(256)
def first_meeting(section: Section) -> tuple[int, int] | None:
    """Return the first two edges of a polygon that intersect; cached, because robots are checked often."""
    points = np.array(section)
    pairs = ((i, j) for i in range(len(points)) for j in range(i + 1, len(points)))
    return next((pair for pair in pairs if edges_meet(points, *pair)), None)


def edges_meet(points: NDArray, i: int, j: int) -> bool:
    """Return whether edges i < j touch anywhere but at the vertex that neighbours share."""
    count = len(points)
    a, b, c, d = points[i], points[(i + 1) % count], points[j], points[(j + 1) % count]
    if j == i + 1 or (i == 0 and j == count - 1):
        shared, first, second = (b, a, d) if j == i + 1 else (a, b, c)
        u, v = first - shared, second - shared
        return bool(not u.any() or not v.any() or (cross(u, v) == 0.0 and u @ v > 0.0))
    sides = [cross(b - a, c - a), cross(b - a, d - a), cross(d - c, a - c), cross(d - c, b - c)]
    if any(side == 0.0 and inside(*ends) for side, ends in zip(sides, ((a, b, c), (a, b, d), (c, d, a), (c, d, b)))):
        return True
    return bool(sides[0] * sides[1] < 0.0 and sides[2] * sides[3] < 0.0)


def inside(a: NDArray, b: NDArray, point: NDArray) -> bool:
    """Return whether a point on the line through a and b is between them."""
    return bool((a - point) @ (b - point) <= 0.0)


def cross(u: NDArray, v: NDArray) -> float:
    """Return u_y v_z - u_z v_y."""
    return float(u[0] * v[1] - u[1] * v[0])


def regular_polygon(count: int, radius: float) -> Section:
    """Return a polygon of `count` vertices on a circle, at angles (k + 1/2) 360 deg / count from +y."""
    angles = (np.arange(count) + 0.5) * 2.0 * np.pi / count
    return as_section(radius * np.column_stack((np.cos(angles), np.sin(angles))))


def rounded_triangle(circumradius: float, growth: float, points_per_corner: int = 6) -> Section:
    """Return an equilateral triangle, apex up, offset by `growth`, with an arc from -60 to 60 deg at every corner."""
    bisectors = np.radians([90.0, 210.0, 330.0])
    arc = np.radians(np.linspace(-60.0, 60.0, points_per_corner))
    rays = (bisectors[:, None] + arc).ravel()
    corners = np.repeat(bisectors, points_per_corner)
    centre = circumradius * np.column_stack((np.cos(corners), np.sin(corners)))
    return as_section(centre + growth * np.column_stack((np.cos(rays), np.sin(rays))))


def as_section(points: NDArray) -> Section:
    """Convert an array of vertices to plain numbers."""
    return tuple((float(y), float(z)) for y, z in points)


@runtime_checkable
class Prismatic(Protocol):
    """Robot whose bodies have outer shapes."""

    def prisms(self) -> tuple[Prism, ...]:
        """Return the outer shapes."""
        ...


def outer_prisms(robot: Robot) -> tuple[Prism, ...]:
    """Return the outer shapes of a robot's bodies, possibly none."""
    return tuple(robot.prisms()) if isinstance(robot, Prismatic) else ()
