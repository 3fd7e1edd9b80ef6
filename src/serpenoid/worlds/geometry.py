"""World geometry as shapes in world axes, for collision and drawing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, check_fields, usual
from serpenoid.errors import UnknownName, require
from serpenoid.robots.meshes import circle, extrude

Point = tuple[float, float]
Point3 = tuple[float, float, float]
Plane = Literal["xy", "xz", "yz"]
Colour = tuple[int, int, int]

# Colour and opacity by the name of a look.
LOOKS: dict[str, tuple[Colour, float]] = {
    "dry": ((236, 226, 208), 1.0), "viscous": ((226, 232, 214), 1.0), "fluid": ((200, 226, 240), 1.0),
    "floor": ((238, 238, 236), 1.0), "water": ((120, 185, 225), 0.45), "solid": ((110, 118, 126), 1.0),
    "rough": ((212, 191, 156), 1.0), "object": ((222, 150, 60), 1.0), "glass": ((150, 175, 195), 0.35),
}  # fmt: skip
THINNEST = 0.001  # half thickness with which a wall without thickness is drawn [m]


class Extent(NamedTuple):
    """Axis-aligned box in world axes; infinite for unbounded shapes."""

    low: NDArray  # (3,) [m]
    high: NDArray  # (3,) [m]


class Mesh(NamedTuple):
    """Triangles in world axes."""

    vertices: NDArray  # (v, 3) [m]
    faces: NDArray  # (f, 3) indices, counter-clockwise seen from outside
    smooth: bool = False  # round, so that shading hides the triangles


class Outline(NamedTuple):
    """Projection of a shape along a world axis."""

    points: NDArray  # (p, 2) [m]
    filled: bool = True  # a closed polygon, or else an open line


class Footprint(NamedTuple):
    """Area that a shape occupies in the plane: all points closer to a segment than a radius."""

    start: Point  # [m]
    end: Point  # [m]
    radius: float  # [m]


class Shape(ABC):
    """Visible shape of a world. Subclasses are frozen dataclasses; lengths in m, world axes."""

    look = "solid"  # a key of LOOKS
    word = ""  # name in legends; empty for the world's own name

    @abstractmethod
    def extent(self) -> Extent:
        """Return the bounding box of the shape."""

    @abstractmethod
    def mesh(self, within: Extent) -> Mesh:
        """Return the shape as triangles; an infinite shape is cut at the box, which must be finite."""

    def outline(self, plane: Plane, within: Extent) -> Outline | None:
        """Return the outline of the shape projected onto a plane; None if it fills the plane."""
        return Outline(hull(self.mesh(within).vertices[:, plane_columns(plane)]))

    def footprint(self) -> Footprint | None:
        """Return the area that a planar robot must avoid; None if the shape is not an obstacle."""
        return None

    def surface(self) -> Surface | None:
        """Return the surface of a planar shape; None for all others."""
        return None


class Surface(NamedTuple):
    """Infinite plane."""

    point: NDArray | None  # (3,) on it [m]; None if directly under the robot
    normal: NDArray  # (3,) unit vector, upwards

    def heights(self, places: NDArray, floor: float) -> NDArray:
        """Return z of the plane at points (count, 2) [m]; a plane under the robot has the height `floor`."""
        if self.point is None:
            return np.full(len(places), floor)
        return self.point[2] - (places - self.point[:2]) @ self.normal[:2] / self.normal[2]


class Sheet(Shape):
    """Base of all infinite planes."""

    def extent(self) -> Extent:
        return Extent(np.full(3, -np.inf), np.full(3, np.inf))

    def mesh(self, within: Extent) -> Mesh:
        (x, y), (far_x, far_y) = within.low[:2], within.high[:2]
        corners = np.array([(x, y), (far_x, y), (far_x, far_y), (x, far_y)])
        height = self.plane().heights(corners, float(within.low[2]))
        return Mesh(np.column_stack([corners, height]), np.array([(0, 1, 2), (0, 2, 3)]))

    def outline(self, plane: Plane, within: Extent) -> Outline | None:
        if plane == "xy":
            return None
        column = plane_columns(plane)[0]
        ends = np.tile(0.5 * (within.low + within.high)[:2], (2, 1))
        ends[:, column] = within.low[column], within.high[column]
        return Outline(np.column_stack([ends[:, column], self.plane().heights(ends, float(within.low[2]))]), False)

    def surface(self) -> Surface | None:
        return self.plane()

    @abstractmethod
    def plane(self) -> Surface:
        """Return the surface."""


@dataclass(frozen=True)
class Ground(Sheet):
    """Infinite ground plane, level or sloping."""

    point: Annotated[Point3 | None, usual(-5.0, 5.0)] = None
    """a point of the plane [m]; none: directly under a planar robot, which has no thickness"""
    normal: Annotated[Point3, usual(-1.0, 1.0)] = (0.0, 0.0, 1.0)
    """unit vector out of the ground"""
    look: str = "floor"
    """look: dry, viscous, fluid or floor"""

    def __post_init__(self) -> None:
        check_fields(self)
        size = float(np.linalg.norm(self.normal))
        require(abs(size - 1.0) < 1e-6 and self.normal[2] > 1e-3, "normal", self.normal, "of length 1 and upwards")
        if self.look not in LOOKS:
            raise UnknownName("look", self.look, LOOKS)

    def plane(self) -> Surface:
        return Surface(None if self.point is None else np.array(self.point, dtype=float), np.array(self.normal))


@dataclass(frozen=True)
class WaterLevel(Sheet):
    """The level surface of still water."""

    look = "water"
    height: Annotated[float, usual(-1.0, 1.0)] = 0.0
    """z of the surface [m]"""

    def __post_init__(self) -> None:
        check_fields(self)

    def plane(self) -> Surface:
        return Surface(np.array([0.0, 0.0, self.height]), np.array([0.0, 0.0, 1.0]))

    def outline(self, plane: Plane, within: Extent) -> Outline | None:
        """Return the water from the side, as deep as the box is wide."""
        line = super().outline(plane, within)
        if line is None:
            return None
        low = self.height - float(np.ptp(line.points[:, 0]))
        return Outline(np.concatenate([line.points, np.column_stack([line.points[::-1, 0], [low, low]])]))


class Upright(Shape):
    """Upright planar obstacle without height; drawn as high as its box."""

    def mesh(self, within: Extent) -> Mesh:
        foot = self.standing()
        start, end = np.array(foot.start, dtype=float), np.array(foot.end, dtype=float)
        corners = circle(max(foot.radius, THINNEST))
        outline = np.where((corners @ (end - start) > 0.0)[:, None], end, start) + corners
        middle = outline.mean(axis=0)
        vertices, faces = extrude(outline - middle, float(within.low[2]), float(within.high[2]))
        return Mesh(vertices[:, [1, 2, 0]] + np.array([*middle, 0.0]), faces)

    def extent(self) -> Extent:
        foot = self.standing()
        ends = np.array([foot.start, foot.end], dtype=float)
        low, high = ends.min(axis=0) - foot.radius, ends.max(axis=0) + foot.radius
        return Extent(np.array([*low, -np.inf]), np.array([*high, np.inf]))

    def footprint(self) -> Footprint | None:
        return self.standing()

    @abstractmethod
    def standing(self) -> Footprint:
        """Return the area that it occupies in the plane."""


@dataclass(frozen=True)
class Disc(Upright):
    """Upright round post in the plane."""

    center: Annotated[Point, usual(-5.0, 5.0)]
    """x y of its axis [m]"""
    radius: Annotated[float, above(0.0, usual=(0.02, 1.0))]
    """[m]"""

    def __post_init__(self) -> None:
        check_fields(self)

    def standing(self) -> Footprint:
        return Footprint(self.center, self.center, self.radius)


@dataclass(frozen=True)
class Wall(Upright):
    """Upright straight wall with round ends in the plane."""

    word = "wall"
    start: Annotated[Point, usual(-5.0, 5.0)]
    """x y of one end of its centre line [m]"""
    end: Annotated[Point, usual(-5.0, 5.0)]
    """x y of the other end [m]"""
    radius: Annotated[float, at_least(0.0, usual=(0.0, 0.2))]
    """half thickness [m]"""

    def __post_init__(self) -> None:
        check_fields(self)
        apart = tuple(self.end) != tuple(self.start)
        require(apart, "end", self.end, "different from start; use disc for a round post")

    def standing(self) -> Footprint:
        return Footprint(self.start, self.end, self.radius)


def plane_columns(plane: str) -> list[int]:
    """Return the two columns of a plane's name."""
    if plane not in ("xy", "xz", "yz"):
        raise UnknownName("plane", plane, ("xy", "xz", "yz"))
    return ["xyz".index(letter) for letter in plane]


def hull(points: NDArray) -> NDArray:
    """Return the corners (k, 2) of the convex hull of points, counter-clockwise."""
    from scipy.spatial import ConvexHull

    return points[ConvexHull(points).vertices]
