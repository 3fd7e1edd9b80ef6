"""Simple solids fixed to the bodies of a tree: what they look like, and what they touch with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import check_fields, usual
from serpenoid.errors import require
from serpenoid.robots.meshes import capsule, circle, extruded, lofted, tube
from serpenoid.robots.rotations import rotations

# How many sizes a kind has: radius; radius and half a length along z; three half sizes.
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}


@dataclass(frozen=True)
class BodyShape:
    """A solid that moves with a body."""

    kind: Literal["sphere", "capsule", "cylinder", "box", "ellipsoid"]
    """what it is"""
    size: Annotated[tuple[float, ...], usual(0.0, 0.5)]
    """radius; or radius and half the length along z, without caps; or, of box and ellipsoid, three half sizes [m]"""
    position: Annotated[tuple[float, float, float], usual(-0.5, 0.5)] = (0.0, 0.0, 0.0)
    """its middle in the body's frame [m]"""
    rotation: Annotated[tuple[float, float, float, float], usual(-1.0, 1.0)] = (1.0, 0.0, 0.0, 0.0)
    """quaternion w x y z from its axes to the body's"""

    def __post_init__(self) -> None:
        check_fields(self)
        count = SIZES[self.kind]
        require(
            len(self.size) == count and min(self.size) > 0.0, "size", self.size, f"{count} above 0 for a {self.kind}"
        )
        length = float(np.linalg.norm(self.rotation))
        require(abs(length - 1.0) < 1e-6, "rotation", self.rotation, "of length 1")

    def mesh(self) -> tuple[NDArray, NDArray]:
        """Vertices (v, 3) in the body's frame [m] and faces (f, 3)."""
        vertices, faces = getattr(self, f"_{self.kind}")()
        return np.asarray(self.position) + vertices @ rotations(self.rotation).T, faces

    @property
    def smooth(self) -> bool:
        """Whether shading hides the triangles."""
        return self.kind != "box"

    def _ends(self) -> tuple[NDArray, NDArray]:
        return np.array([0.0, 0.0, -self.size[1]]), np.array([0.0, 0.0, self.size[1]])

    def _sphere(self) -> tuple[NDArray, NDArray]:
        return ball(np.full(3, self.size[0]))

    def _ellipsoid(self) -> tuple[NDArray, NDArray]:
        return ball(np.asarray(self.size))

    def _capsule(self) -> tuple[NDArray, NDArray]:
        return capsule(*self._ends(), self.size[0])

    def _cylinder(self) -> tuple[NDArray, NDArray]:
        return tube(*self._ends(), self.size[0])

    def _box(self) -> tuple[NDArray, NDArray]:
        x, y, z = self.size
        corners = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]) * (y, z)
        return extruded(corners, -x, x)


@runtime_checkable
class ShapedBodies(Protocol):
    """A robot whose bodies have solids of their own."""

    def body_shapes(self) -> list[tuple[int, BodyShape]]:
        """Every solid with the number of its body."""


def ball(half: NDArray, rings: int = 13) -> tuple[NDArray, NDArray]:
    """An ellipsoid about the origin by its half axes."""
    angle = np.linspace(0.0, np.pi, rings)
    vertices, faces = lofted(-np.cos(angle), np.sin(angle)[:, None, None] * circle(1.0)[None])
    return vertices * half, faces
