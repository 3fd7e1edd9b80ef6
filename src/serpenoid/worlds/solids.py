"""Solid shapes in space for poles, pipes, stairs and rough ground, and shapes that move during a run."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, check_fields, usual
from serpenoid.errors import require
from serpenoid.robots import meshes
from serpenoid.robots.rotations import rotations
from serpenoid.worlds.geometry import Extent, Mesh, Outline, Plane, Point, Point3, Shape


class Bounded(Shape):
    """Bounded shape."""

    def extent(self) -> Extent:
        vertices = self.triangles().vertices
        return Extent(vertices.min(axis=0), vertices.max(axis=0))

    def mesh(self, within: Extent) -> Mesh:
        return self.triangles()

    @abstractmethod
    def triangles(self) -> Mesh:
        """Return all triangles."""


@dataclass(frozen=True)
class Axial(Bounded):
    """Shape of revolution."""

    start: Annotated[Point3, usual(-5.0, 5.0)]
    """middle of one end [m]; of a round end, the centre of its hemisphere"""
    end: Annotated[Point3, usual(-5.0, 5.0)]
    """middle of the other end [m]"""

    def __post_init__(self) -> None:
        check_fields(self)
        require(tuple(self.end) != tuple(self.start), "end", self.end, "different from start")

    @property
    def ends(self) -> tuple[NDArray, NDArray]:
        """Both ends as arrays."""
        return np.array(self.start), np.array(self.end)


@dataclass(frozen=True)
class Cylinder(Axial):
    """Cylinder, such as a peg or a pole."""

    radius: Annotated[float, above(0.0, usual=(0.01, 0.5))]
    """[m]"""

    def triangles(self) -> Mesh:
        return Mesh(*meshes.tube(*self.ends, self.radius), True)


@dataclass(frozen=True)
class Frustum(Axial):
    """Conical frustum: a tapering pole, or a section of a bulge."""

    start_radius: Annotated[float, above(0.0, usual=(0.01, 0.5))]
    """radius at the start [m]"""
    end_radius: Annotated[float, above(0.0, usual=(0.01, 0.5))]
    """radius at the end [m]"""

    def triangles(self) -> Mesh:
        return Mesh(*meshes.frustum(*self.ends, self.start_radius, self.end_radius), True)


@dataclass(frozen=True)
class Capsule(Axial):
    """Cylinder with round ends."""

    radius: Annotated[float, above(0.0, usual=(0.01, 0.5))]
    """[m]"""

    def triangles(self) -> Mesh:
        return Mesh(*meshes.capsule(*self.ends, self.radius), True)


@dataclass(frozen=True)
class Pipe(Axial):
    """Straight transparent pipe, open at both ends."""

    look = "glass"
    word = "pipe"
    radius: Annotated[float, above(0.0, usual=(0.02, 0.5))]
    """inner radius [m]"""
    thickness: Annotated[float, above(0.0, usual=(0.001, 0.02))] = 0.005
    """thickness of the wall [m]"""

    def triangles(self) -> Mesh:
        return Mesh(*meshes.hollow_tube(*self.ends, self.radius, self.radius + self.thickness), True)


@dataclass(frozen=True)
class Box(Bounded):
    """Box, such as a step, a slope or a block."""

    center: Annotated[Point3, usual(-5.0, 5.0)]
    """its middle [m]"""
    size: Annotated[Point3, above(0.0, usual=(0.02, 2.0))]
    """full lengths of its edges along its own x y z [m]"""
    turn: Annotated[tuple[float, float, float, float], usual(-1.0, 1.0)] = (1.0, 0.0, 0.0, 0.0)
    """quaternion w x y z from the box's axes to the world's"""

    def __post_init__(self) -> None:
        check_turned(self)

    def triangles(self) -> Mesh:
        x, y, z = 0.5 * np.array(self.size)
        vertices, faces = meshes.extrude(np.array([(-y, -z), (y, -z), (y, z), (-y, z)]), -x, x)
        return Mesh(to_world(vertices, self), faces)


@dataclass(frozen=True)
class HeightField(Bounded):
    """Rough ground as heights over a grid."""

    look = "rough"
    word = "ground"
    corner: Annotated[Point, usual(-5.0, 5.0)]
    """x y of the first height [m]"""
    spacing: Annotated[float, above(0.0, usual=(0.01, 0.5))]
    """distance between neighbours of the grid [m]"""
    heights: Annotated[tuple[tuple[float, ...], ...], usual(-0.5, 0.5)]
    """z of the ground [m], rows along x in order of y"""
    row_spacing: Annotated[float | None, above(0.0, usual=(0.01, 0.5))] = None
    """distance between rows, along y [m]; none: as along x"""

    def __post_init__(self) -> None:
        check_fields(self)
        width = len(self.heights[0]) if self.heights else 0
        require(len(self.heights) >= 2 and width >= 2, "heights", self.heights, "at least 2 x 2 numbers")
        for row in self.heights:
            require(len(row) == width, "heights", self.heights, f"rows of {width} numbers, like the first")

    @property
    def spacings(self) -> Point:
        """Distances between neighbours along x and along y [m]."""
        return self.spacing, self.spacing if self.row_spacing is None else self.row_spacing

    def triangles(self) -> Mesh:
        rows, width = len(self.heights), len(self.heights[0])
        x, y = np.meshgrid(*(np.arange(count) * d for count, d in zip((width, rows), self.spacings)))
        vertices = np.column_stack([x.ravel() + self.corner[0], y.ravel() + self.corner[1], np.ravel(self.heights)])
        first = (np.arange(rows - 1)[:, None] * width + np.arange(width - 1)).ravel()
        right, above = first + 1, first + width
        return Mesh(vertices, np.concatenate([np.stack(t, axis=1) for t in (
            (first, right, right + width), (first, right + width, above))]))  # fmt: skip

    def outline(self, plane: Plane, within: Extent) -> Outline | None:
        """Return its edge from above, or the line of its highest points from the side."""
        if plane == "xy":
            shown = super().outline(plane, within)
            return shown and Outline(np.concatenate([shown.points, shown.points[:1]]), False)
        across = 0 if plane == "xz" else 1
        top = np.array(self.heights).max(axis=across)
        line = self.corner[across] + self.spacings[across] * np.arange(top.size)
        return Outline(np.column_stack([line, top]), False)


@dataclass(frozen=True)
class Moving(Shape):
    """Shape that moves during a run; a variable of the trajectory has its pose."""

    look = "object"
    shape: Shape
    """the shape in its own frame"""
    variable: str
    """trajectory variable of the frame: position (time, axis) [m] or pose (time, pose)"""
    name: str = "object"
    """name in legends"""

    def extent(self) -> Extent:
        return self.shape.extent()

    def mesh(self, within: Extent) -> Mesh:
        return self.shape.mesh(within)

    def outline(self, plane: Plane, within: Extent) -> Outline | None:
        return self.shape.outline(plane, within)


def check_turned(shape: Any) -> None:
    """Raise unless the quaternion `turn` of a solid has length 1."""
    check_fields(shape)
    require(bool(abs(np.linalg.norm(shape.turn) - 1.0) < 1e-6), "turn", shape.turn, "of length 1")


def to_world(vertices: NDArray, shape: Any) -> NDArray:
    """Transform points (n, 3) from the axes of a solid with `center` and `turn` to world axes."""
    return np.array(shape.center) + vertices @ rotations(shape.turn).T
