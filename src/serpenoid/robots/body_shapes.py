"""Simple solids fixed to the bodies of a tree, for drawing and collision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import check_fields, usual
from serpenoid.errors import require
from serpenoid.robots.base import Robot
from serpenoid.robots.meshes import capsule, circle, extrude, loft, tube
from serpenoid.robots.rotations import rotations

SAME = 1e-6  # distance between a sphere and the end of a cylinder that it closes, as a fraction of its size
# Number of sizes per kind: radius, or radius and half length along z, or three half sizes.
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}


@dataclass(frozen=True)
class BodyShape:
    """A solid that moves with a body."""

    kind: Literal["sphere", "capsule", "cylinder", "box", "ellipsoid"]
    """kind of solid"""
    size: Annotated[tuple[float, ...], usual(0.0, 0.5)]
    """radius; or radius and half the length along z, without caps; or, of box and ellipsoid, three half sizes [m]"""
    position: Annotated[tuple[float, float, float], usual(-0.5, 0.5)] = (0.0, 0.0, 0.0)
    """its middle in the body's frame [m]"""
    rotation: Annotated[tuple[float, float, float, float], usual(-1.0, 1.0)] = (1.0, 0.0, 0.0, 0.0)
    """quaternion w x y z from the solid's axes to the body's"""

    def __post_init__(self) -> None:
        check_fields(self)
        count = SIZES[self.kind]
        require(
            len(self.size) == count and min(self.size) > 0.0, "size", self.size, f"{count} above 0 for a {self.kind}"
        )
        length = float(np.linalg.norm(self.rotation))
        require(abs(length - 1.0) < 1e-6, "rotation", self.rotation, "of length 1")

    def mesh(self) -> tuple[NDArray, NDArray]:
        """Return vertices (v, 3) in the body's frame [m] and faces (f, 3)."""
        vertices, faces = getattr(self, f"_{self.kind}")()
        return np.asarray(self.position) + vertices @ rotations(self.rotation).T, faces

    @property
    def smooth(self) -> bool:
        """True if shading hides the triangles."""
        return self.kind != "box"

    def ends(self) -> tuple[NDArray, NDArray]:
        """Return the ends of the axis of a capsule or cylinder in the body's frame, without caps [m]."""
        low, high = np.asarray(self.position) + np.array(self._ends()) @ rotations(self.rotation).T
        return low, high

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
        return extrude(corners, -x, x)


@runtime_checkable
class ShapedBodies(Protocol):
    """Robot whose bodies have their own solids."""

    def body_shapes(self) -> list[tuple[int, BodyShape]]:
        """Return every solid with the number of its body."""


def with_capsules(shapes: Sequence[BodyShape]) -> tuple[BodyShape, ...]:
    """Return solids of a body with each cylinder that has a sphere of its radius on both ends as one capsule."""
    found = list(shapes)
    for cylinder in (shape for shape in shapes if shape.kind == "cylinder"):
        caps = [next((ball for ball in found if caps_end(ball, cylinder, end)), None) for end in cylinder.ends()]
        if None not in caps:
            found[found.index(cylinder)] = replace(cylinder, kind="capsule")
            found = [shape for shape in found if shape not in caps]
    return tuple(found)


def caps_end(ball: BodyShape, cylinder: BodyShape, end: NDArray) -> bool:
    """Return whether a solid is the sphere that rounds one end of a cylinder."""
    near = SAME * max(cylinder.size)
    return ball.kind == "sphere" and np.allclose((*ball.position, *ball.size), (*end, cylinder.size[0]), 0.0, near)


def lone_capsules(robot: Robot) -> dict[int, BodyShape]:
    """Return the capsule of each body that has one; empty unless the robot is a chain of such links on a free base.

    Such a robot is a snake of round links.
    """
    shapes = robot.body_shapes() if isinstance(robot, ShapedBodies) else []
    found = dict(shapes)
    if len(found) < len(shapes) or any(shape.kind != "capsule" for shape in found.values()):
        return {}
    tree = robot.tree()
    chain = not tree.fixed_base and len(set(tree.parent.tolist())) == len(tree.parent)
    return found if chain else {}


def ball(half: NDArray, rings: int = 13) -> tuple[NDArray, NDArray]:
    """Return an ellipsoid about the origin, given by its half axes."""
    angle = np.linspace(0.0, np.pi, rings)
    vertices, faces = loft(-np.cos(angle), np.sin(angle)[:, None, None] * circle(1.0)[None])
    return vertices * half, faces
