"""Convex solids: ellipsoids, and hulls of points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, check_fields, usual
from serpenoid.errors import InvalidValue
from serpenoid.robots import meshes
from serpenoid.worlds.geometry import Mesh, Point3
from serpenoid.worlds.solids import Bounded, check_turned, to_world


@dataclass(frozen=True)
class Ellipsoid(Bounded):
    """Ellipsoid; a ball if its radii are equal."""

    center: Annotated[Point3, usual(-5.0, 5.0)]
    """its middle [m]"""
    radii: Annotated[Point3, above(0.0, usual=(0.02, 1.0))]
    """half-axes along its own x y z [m]"""
    turn: Annotated[tuple[float, float, float, float], usual(-1.0, 1.0)] = (1.0, 0.0, 0.0, 0.0)
    """quaternion w x y z from its own axes to the world's"""

    def __post_init__(self) -> None:
        check_turned(self)

    def triangles(self) -> Mesh:
        short = np.array((0.0, 0.0, 1e-6))  # a capsule of negligible length is a ball
        vertices, faces = meshes.capsule(-short, short, 1.0)
        return Mesh(to_world(vertices * np.array(self.radii), self), faces, True)


@dataclass(frozen=True)
class Hull(Bounded):
    """Convex hull of points; meshes collide as their hulls."""

    points: Annotated[tuple[Point3, ...], usual(-5.0, 5.0)]
    """at least four points that are not in one plane [m]"""

    def __post_init__(self) -> None:
        check_fields(self)
        self.triangles()

    def triangles(self) -> Mesh:
        from scipy.spatial import ConvexHull, QhullError

        vertices = np.array(self.points, dtype=float).reshape(-1, 3)
        try:
            hull = ConvexHull(vertices)
        except (QhullError, ValueError):
            raise InvalidValue("points", self.points, "at least four points that are not in one plane") from None
        return Mesh(vertices, outwards(vertices, hull.simplices, hull.equations[:, :3]))


def outwards(vertices: NDArray, faces: NDArray, normals: NDArray) -> NDArray:
    """Order triangles (f, 3) counter-clockwise as seen from outside, along their normals (f, 3)."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    wrong = (np.cross(b - a, c - a) * normals).sum(axis=1) < 0.0
    return np.where(wrong[:, None], faces[:, ::-1], faces)
