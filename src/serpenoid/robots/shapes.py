"""Visual shapes of a robot: solids in the frames of its bodies, and its centre line, for plots and scenes."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue
from serpenoid.kernels.records import Tree
from serpenoid.robots.base import PlanarRobot, Robot, TreeRobot
from serpenoid.robots.body_shapes import BodyShape, ShapedBodies, lone_capsules
from serpenoid.robots.meshes import capsule, extrude, tube
from serpenoid.robots.prism import Prism, outer_prisms

CAPSULE_RATIO = 0.17  # radius over length of a planar link, which has no thickness of its own
THIN_RATIO = 0.05  # the same in worlds with obstacles
JOINED = 1e-6  # largest distance [m] of a link's end from the hinge that connects it
ROD_RATIO = 0.08  # radius over length of a rod that represents a body without an outer shape


@runtime_checkable
class RoundModules(Protocol):
    """Robot of cylinders with a radius."""

    module_radius: float  # [m]


class Solid(NamedTuple):
    """Closed triangle mesh that moves with a body."""

    body: int
    vertices: NDArray  # (v, 3) in the body's frame [m]
    faces: NDArray  # (f, 3) indices, counter-clockwise seen from outside
    smooth: bool  # round, so that shading hides the triangles


class Segment(NamedTuple):
    """Piece of the body's centre line."""

    body: int
    start: NDArray  # (3,) in the body's frame [m]
    end: NDArray  # (3,) [m]


def segments(robot: Robot) -> list[Segment]:
    """Return the centre line of the body, piece by piece."""
    if isinstance(robot, PlanarRobot):
        return [Segment(i, along(0.0), along(length)) for i, length in enumerate(robot.chain().length)]
    prisms = outer_prisms(robot)
    if prisms:
        return [Segment(prism.body, along(prism.start), along(prism.end)) for prism in prisms]
    capsules = lone_capsules(robot)
    if capsules:
        return [capsule_segment(robot.tree(), body, shape) for body, shape in capsules.items()]
    if isinstance(robot, TreeRobot):
        return tree_segments(robot.tree())
    raise InvalidValue("robot", robot, "a PlanarRobot or a TreeRobot")


def tree_segments(tree: Tree) -> list[Segment]:
    """Return lines from each body's origin to its children's; without children, to twice its centre of mass."""
    found = []
    for body in range(tree.mass.size):
        ends = [tree.offset[child] for child in np.flatnonzero(tree.parent == body)]
        for end in ends or [2.0 * tree.center[body]]:
            if np.linalg.norm(end) > 0.0:
                found.append(Segment(body, np.zeros(3), np.asarray(end)))
    return found


def hinges_of(tree: Tree, body: int) -> list[NDArray]:
    """Return the hinges of a body in its frame [m]: its own, then those of its children."""
    own = [np.zeros(3)] if tree.parent[body] >= 0 else []
    return own + [tree.offset[child] for child in np.flatnonzero(tree.parent == body)]


def ends_freely(point: NDArray, hinges: list[NDArray]) -> bool:
    """Return whether no hinge joins another link at this end of a link."""
    return all(np.linalg.norm(point - hinge) > JOINED for hinge in hinges)


def capsule_segment(tree: Tree, body: int, shape: BodyShape) -> Segment:
    """Return the line of a link that is a capsule, from head to tail, including the caps at free ends."""
    low, high = shape.ends()
    cap, hinges = shape.size[0] * (high - low) / np.linalg.norm(high - low), hinges_of(tree, body)
    low = low - cap * ends_freely(low, hinges)
    high = high + cap * ends_freely(high, hinges)
    children = np.flatnonzero(tree.parent == body)
    rear = tree.offset[children[0]] if children.size else low + high  # the hinge of a tip is at its origin
    ahead = np.linalg.norm(high - rear) <= np.linalg.norm(low - rear)
    return Segment(body, low, high) if ahead else Segment(body, high, low)


def solids(robot: Robot, thin: bool = False) -> list[Solid]:
    """Return the robot as solids: planar links as capsules, else outer shapes, else rods and boxes.

    Engines treat planar links as lines; drawn `thin`, they visibly touch the same objects.
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


def thickness(robot: Robot) -> float:
    """Return the largest distance of a body's surface from its centre line, the median over the bodies [m]."""
    lines = {segment.body: segment for segment in segments(robot)}
    far: dict[int, float] = {}
    for solid in solids(robot):
        if solid.body in lines:
            start, end = lines[solid.body][1:]
            way = (end - start) / np.linalg.norm(end - start)
            away = float(np.linalg.norm(np.cross(solid.vertices - start, way), axis=1).max())
            far[solid.body] = max(away, far.get(solid.body, 0.0))
    return float(np.median(list(far.values())))


def planar_solid(segment: Segment, ratio: float) -> Solid:
    """Return a planar link; every other one is slightly thicker, so that coinciding round ends do not flicker."""
    radius = ratio * float(segment.end[0]) * (1.0 - 0.02 * (segment.body % 2))
    return Solid(segment.body, *capsule(segment.start, segment.end, radius), True)


@lru_cache(1024)
def prism_mesh(prism: Prism) -> tuple[NDArray, NDArray]:
    """Return a body's outer shape in its own axes; cached, because every run needs it for its initial pose."""
    c, s = np.cos(prism.turn), np.sin(prism.turn)
    mesh = extrude(prism.polygon() @ np.array([[c, s], [-s, c]]), prism.start, prism.end)
    for part in mesh:
        part.flags.writeable = False
    return mesh


def backbone(tree: Tree, covered: set[int]) -> list[Solid]:
    """Return rods along the bodies without outer shapes, visible between the shapes around them."""
    bare = [s for s in tree_segments(tree) if s.body not in covered]
    return [Solid(s.body, *tube(s.start, s.end, ROD_RATIO * float(np.linalg.norm(s.end))), True) for s in bare]


def plain_solids(tree: Tree, covered: set[int]) -> list[Solid]:
    """Return bodies without outer shapes as the boxes of their inertia, joined by rods."""
    joints = [s for s in tree_segments(tree) if (tree.parent == s.body).any() and s.body not in covered]
    rods = [tube(s.start, s.end, ROD_RATIO * float(np.linalg.norm(s.end))) for s in joints]
    bare = [body for body in range(tree.mass.size) if tree.mass[body] > 0.0 and body not in covered]
    boxes = [(body, inertia_box(tree, body)) for body in bare]
    return [Solid(s.body, *rod, True) for s, rod in zip(joints, rods)] + [Solid(b, *box, False) for b, box in boxes]


def inertia_box(tree: Tree, body: int) -> tuple[NDArray, NDArray]:
    """Return the uniform box with a body's mass and inertia: half-size_i = sqrt(3 (I_j + I_k - I_i) / 2 m)."""
    moments, axes = np.linalg.eigh(tree.inertia[body])
    spread = moments.sum() - 2.0 * moments
    half = np.sqrt(np.maximum(1.5 * spread / tree.mass[body], 1e-10))
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], dtype=float) * half[1:]
    vertices, faces = extrude(corners, -half[0], half[0])
    turned = axes * np.linalg.det(axes)
    return tree.center[body] + vertices @ turned.T, faces


def along(x: float) -> NDArray:
    """Return a point on a body's x axis."""
    return np.array([float(x), 0.0, 0.0])
