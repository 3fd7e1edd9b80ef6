"""What a robot looks like: solids in the frames of its bodies, and the line of its body, for plots and scenes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue
from serpenoid.kernels.records import Tree
from serpenoid.robots.base import PlanarRobot, TreeRobot
from serpenoid.robots.prism import Prism

CAPSULE_RATIO = 0.17  # radius over length of a planar link, which has no thickness of its own
ROD_RATIO = 0.08  # radius over length of a rod that stands for a body without an outer shape
ROUND = 24  # corners of a round section


class Solid(NamedTuple):
    """A closed triangle mesh that moves with a body."""

    body: int
    vertices: NDArray  # (v, 3) in the body's frame [m]
    faces: NDArray  # (f, 3) indices, counter-clockwise seen from outside
    smooth: bool  # round, so that shading hides the triangles


class Segment(NamedTuple):
    """A piece of the line of the body."""

    body: int
    start: NDArray  # (3,) in the body's frame [m]
    end: NDArray  # (3,) [m]


def segments(robot: Any) -> list[Segment]:
    """The line of the body, piece by piece."""
    if isinstance(robot, PlanarRobot):
        return [Segment(i, along(0.0), along(length)) for i, length in enumerate(robot.chain().length)]
    prisms = robot.prisms() if hasattr(robot, "prisms") else ()
    if prisms:
        return [Segment(prism.body, along(prism.start), along(prism.end)) for prism in prisms]
    if isinstance(robot, TreeRobot):
        return tree_segments(robot.tree())
    raise InvalidValue("robot", robot, "a PlanarRobot or a TreeRobot")


def tree_segments(tree: Tree) -> list[Segment]:
    """From each body's origin to its children's; a body without children reaches twice as far as its centre of mass."""
    found = []
    for body in range(tree.mass.size):
        ends = [tree.offset[child] for child in np.flatnonzero(tree.parent == body)]
        for end in ends or [2.0 * tree.center[body]]:
            if np.linalg.norm(end) > 0.0:
                found.append(Segment(body, np.zeros(3), np.asarray(end)))
    return found


def solids(robot: Any) -> list[Solid]:
    """The robot as solids: links of the plane as capsules, outer shapes where it has them, rods and boxes where not."""
    if isinstance(robot, PlanarRobot):
        return [Solid(s.body, *capsule(s.start, s.end, CAPSULE_RATIO * float(s.end[0])), True) for s in segments(robot)]
    prisms = robot.prisms() if hasattr(robot, "prisms") else ()
    if prisms:
        skins = [Solid(prism.body, *prism_mesh(prism), False) for prism in prisms]
        return skins + backbone(robot.tree(), {prism.body for prism in prisms})
    radius = getattr(robot, "module_radius", None)
    if radius is not None:
        return [Solid(s.body, *tube(s.start, s.end, radius), True) for s in segments(robot)]
    return plain_solids(robot.tree())


def prism_mesh(prism: Prism) -> tuple[NDArray, NDArray]:
    """A body's outer shape in the body's own axes."""
    c, s = np.cos(prism.turn), np.sin(prism.turn)
    return extruded(prism.polygon() @ np.array([[c, s], [-s, c]]), prism.start, prism.end)


def backbone(tree: Tree, covered: set[int]) -> list[Solid]:
    """Rods along the bodies that have no outer shape of their own, seen where the shapes round them part."""
    bare = [s for s in tree_segments(tree) if s.body not in covered]
    return [Solid(s.body, *tube(s.start, s.end, ROD_RATIO * float(np.linalg.norm(s.end))), True) for s in bare]


def plain_solids(tree: Tree) -> list[Solid]:
    """A tree without outer shapes: each body the box that has its inertia, joined by rods."""
    joints = [s for s in tree_segments(tree) if (tree.parent == s.body).any()]
    rods = [tube(s.start, s.end, ROD_RATIO * float(np.linalg.norm(s.end))) for s in joints]
    boxes = [(body, inertia_box(tree, body)) for body in range(tree.mass.size) if tree.mass[body] > 0.0]
    return [Solid(s.body, *rod, True) for s, rod in zip(joints, rods)] + [Solid(b, *box, False) for b, box in boxes]


def inertia_box(tree: Tree, body: int) -> tuple[NDArray, NDArray]:
    """The uniform box with a body's mass and inertia: half-size_i = sqrt(3 (I_j + I_k - I_i) / 2 m)."""
    moments, axes = np.linalg.eigh(tree.inertia[body])
    spread = moments.sum() - 2.0 * moments
    half = np.sqrt(np.maximum(1.5 * spread / tree.mass[body], 1e-10))
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], dtype=float) * half[1:]
    vertices, faces = extruded(corners, -half[0], half[0])
    turned = axes * np.linalg.det(axes)
    return tree.center[body] + vertices @ turned.T, faces


def along(x: float) -> NDArray:
    """A point on a body's x axis."""
    return np.array([float(x), 0.0, 0.0])


def circle(radius: float, corners: int = ROUND) -> NDArray:
    """(corners, 2) counter-clockwise."""
    angles = np.arange(corners) * 2.0 * np.pi / corners
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


def extruded(polygon: NDArray, start: float, end: float) -> tuple[NDArray, NDArray]:
    """A prism: a counter-clockwise polygon (y, z) drawn along x, its ends closed from their middles."""
    return lofted(np.array([start, start, end, end]), np.stack([0.0 * polygon, polygon, polygon, 0.0 * polygon]))


def lofted(stations: NDArray, sections: NDArray) -> tuple[NDArray, NDArray]:
    """A skin over sections (stations, corners, 2) at places along x."""
    count, corners = sections.shape[:2]
    x = np.broadcast_to(stations[:, None, None], (count, corners, 1))
    vertices = np.concatenate([x, sections], axis=2).reshape(-1, 3)
    ring, corner = np.meshgrid(np.arange(count - 1), np.arange(corners), indexing="ij")
    a, b = ring * corners + corner, ring * corners + (corner + 1) % corners
    first = np.stack([a, b, b + corners], axis=-1)
    second = np.stack([a, b + corners, a + corners], axis=-1)
    faces = np.concatenate([first, second]).reshape(-1, 3)
    edges = vertices[faces]
    area = np.linalg.norm(np.cross(edges[:, 1] - edges[:, 0], edges[:, 2] - edges[:, 0]), axis=1)
    return vertices, faces[area > 1e-16]


def tube(start: NDArray, end: NDArray, radius: float) -> tuple[NDArray, NDArray]:
    """A cylinder between two points."""
    length = float(np.linalg.norm(end - start))
    vertices, faces = extruded(circle(radius), 0.0, length)
    return start + vertices @ turned_to(end - start).T, faces


def capsule(start: NDArray, end: NDArray, radius: float, rings: int = 6) -> tuple[NDArray, NDArray]:
    """A cylinder between two points, its ends rounded beyond them."""
    length = float(np.linalg.norm(end - start))
    angle = np.linspace(0.0, np.pi / 2.0, rings)
    stations = np.concatenate([-radius * np.cos(angle), length + radius * np.sin(angle)])
    scale = np.concatenate([np.sin(angle), np.cos(angle)])
    vertices, faces = lofted(stations, scale[:, None, None] * circle(radius)[None])
    return start + vertices @ turned_to(end - start).T, faces


def turned_to(direction: NDArray) -> NDArray:
    """A rotation that takes x to a direction."""
    x = direction / np.linalg.norm(direction)
    helper = np.array([0.0, 1.0, 0.0]) if abs(x[1]) < 0.9 else np.array([0.0, 0.0, 1.0])
    z = np.cross(x, helper)
    z /= np.linalg.norm(z)
    return np.column_stack([x, np.cross(z, x), z])
