"""What a robot looks like: solids in the frames of its bodies, and the line of its body, for plots and scenes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue
from serpenoid.kernels.records import Tree
from serpenoid.robots.base import PlanarRobot, TreeRobot
from serpenoid.robots.body_shapes import BodyShape, ShapedBodies
from serpenoid.robots.meshes import capsule, extruded, tube, turned_to
from serpenoid.robots.prism import Prism, outer_prisms

CAPSULE_RATIO = 0.17  # radius over length of a planar link, which has no thickness of its own
THIN_RATIO = 0.05  # the same where there are things that it may touch
ROD_RATIO = 0.08  # radius over length of a rod that stands for a body without an outer shape


@runtime_checkable
class RoundModules(Protocol):
    """A robot of cylinders, which says how thick they are."""

    module_radius: float  # [m]


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
    prisms = outer_prisms(robot)
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


def solids(robot: Any, thin: bool = False) -> list[Solid]:
    """The robot as solids: links of the plane as capsules, outer shapes where it has them, rods and boxes where not.

    Links of the plane are lines to the engines; drawn `thin`, they touch what they touch there.
    """
    if isinstance(robot, PlanarRobot):
        return [planar_solid(segment, THIN_RATIO if thin else CAPSULE_RATIO) for segment in segments(robot)]
    prisms = outer_prisms(robot)
    if prisms:
        skins = [Solid(prism.body, *prism_mesh(prism), False) for prism in prisms]
        return skins + backbone(robot.tree(), {prism.body for prism in prisms})
    if isinstance(robot, RoundModules):
        return [Solid(s.body, *tube(s.start, s.end, robot.module_radius), True) for s in segments(robot)]
    shapes = robot.body_shapes() if isinstance(robot, ShapedBodies) else []
    own = [Solid(body, *shape.mesh(), shape.smooth) for body, shape in shapes]
    return own + plain_solids(robot.tree(), {solid.body for solid in own})


def thickness(robot: TreeRobot) -> float:
    """How far the surface of a body lies from its line, at most; the median over the bodies [m]."""
    lines = {segment.body: segment for segment in segments(robot)}
    far: dict[int, float] = {}
    for solid in solids(robot):
        if solid.body in lines:
            start, end = lines[solid.body][1:]
            way = (end - start) / np.linalg.norm(end - start)
            away = float(np.linalg.norm(np.cross(solid.vertices - start, way), axis=1).max())
            far[solid.body] = max(away, far.get(solid.body, 0.0))
    return float(np.median(list(far.values())))


def outline(robot: Any) -> list[tuple[int, BodyShape]]:
    """The robot in simple solids, each with its body, for files and other programs; of a prism the box round it.

    Empty for a tree that has no outer shape.
    """
    if isinstance(robot, ShapedBodies):
        return robot.body_shapes()
    prisms = outer_prisms(robot)
    if prisms:
        return [(prism.body, box_round(prism_mesh(prism)[0])) for prism in prisms]
    found = []
    for segment in segments(robot):
        length = float(np.linalg.norm(segment.end - segment.start))
        if isinstance(robot, PlanarRobot):
            radius = float(getattr(robot, "radius", THIN_RATIO * length))
            found.append((segment.body, stretched(segment, "capsule", (radius, 0.5 * length))))
        elif isinstance(robot, RoundModules):
            found.append((segment.body, stretched(segment, "cylinder", (robot.module_radius, 0.5 * length))))
    return found


def box_round(vertices: NDArray) -> BodyShape:
    """The box along a body's axes round points (v, 3)."""
    least, most = vertices.min(axis=0), vertices.max(axis=0)
    return BodyShape("box", tuple((0.5 * (most - least)).tolist()), tuple((0.5 * (least + most)).tolist()))  # type: ignore[arg-type]


def stretched(segment: Segment, kind: Any, size: tuple[float, ...]) -> BodyShape:
    """A round solid whose z axis lies along a segment of the body."""
    from serpenoid.robots.rotations import quaternion

    axes = np.roll(turned_to(segment.end - segment.start), 2, axis=1)  # y, z, x: x becomes z
    middle = 0.5 * (segment.start + segment.end)
    return BodyShape(kind, size, tuple(middle.tolist()), quaternion(axes))  # type: ignore[arg-type]


def planar_solid(segment: Segment, ratio: float) -> Solid:
    """A link of the plane; every other one a little thicker, so that round ends in one place do not flicker."""
    radius = ratio * float(segment.end[0]) * (1.0 - 0.02 * (segment.body % 2))
    return Solid(segment.body, *capsule(segment.start, segment.end, radius), True)


@lru_cache(1024)
def prism_mesh(prism: Prism) -> tuple[NDArray, NDArray]:
    """A body's outer shape in the body's own axes; kept, for every run starts by laying the robot down."""
    c, s = np.cos(prism.turn), np.sin(prism.turn)
    mesh = extruded(prism.polygon() @ np.array([[c, s], [-s, c]]), prism.start, prism.end)
    for part in mesh:
        part.flags.writeable = False
    return mesh


def backbone(tree: Tree, covered: set[int]) -> list[Solid]:
    """Rods along the bodies that have no outer shape of their own, seen where the shapes round them part."""
    bare = [s for s in tree_segments(tree) if s.body not in covered]
    return [Solid(s.body, *tube(s.start, s.end, ROD_RATIO * float(np.linalg.norm(s.end))), True) for s in bare]


def plain_solids(tree: Tree, covered: set[int]) -> list[Solid]:
    """Bodies without outer shapes: each the box that has its inertia, joined by rods."""
    joints = [s for s in tree_segments(tree) if (tree.parent == s.body).any() and s.body not in covered]
    rods = [tube(s.start, s.end, ROD_RATIO * float(np.linalg.norm(s.end))) for s in joints]
    bare = [body for body in range(tree.mass.size) if tree.mass[body] > 0.0 and body not in covered]
    boxes = [(body, inertia_box(tree, body)) for body in bare]
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
