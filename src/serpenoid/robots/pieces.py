"""Collision capsules along the links of a robot."""

from __future__ import annotations

from typing import NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.records import Tree
from serpenoid.robots.base import PlanarRobot, Robot
from serpenoid.robots.body_shapes import BodyShape, ShapedBodies, lone_capsules
from serpenoid.robots.meshes import turned_to
from serpenoid.robots.prism import outer_prisms, section_integrals
from serpenoid.robots.rotations import quaternion
from serpenoid.robots.shapes import ROD_RATIO, THIN_RATIO, RoundModules, Segment, ends_freely, hinges_of, segments
from serpenoid.support.kernel_inputs import tree_of


class Piece(NamedTuple):
    """Capsule that covers a section of a link."""

    link: int
    start: NDArray  # (3,) middle of its first round end, in the link's frame [m]
    end: NDArray  # (3,)
    radius: float  # [m]
    middle: NDArray  # (3,) middle of the link's line, which supports its weight [m]
    half: NDArray  # (3,) vector from the middle to the line's end [m]


def touches_with_solids(robot: Robot) -> TypeGuard[ShapedBodies]:
    """Return whether a robot collides with its own solids, each of which may touch the ground at several points."""
    return isinstance(robot, ShapedBodies) and bool(robot.body_shapes()) and not lone_capsules(robot)


def pieces_of(robot: Robot) -> list[Piece]:
    """Return capsules along the links, shortened at free ends of links."""
    tree, lines = tree_of(robot), segments(robot)
    return [trim_segment(tree, line, radius) for line, radius in zip(lines, radii_of(robot, lines))]


def radii_of(robot: Robot, lines: list[Segment]) -> list[float]:
    """Return the radius of each link [m]; a prism has the radius of the circle with its area."""
    prisms, capsules = outer_prisms(robot), lone_capsules(robot)
    if prisms:
        return [float(np.sqrt(section_integrals(prism.polygon())[0] / np.pi)) for prism in prisms]
    if capsules:
        return [shape.size[0] for shape in capsules.values()]
    if isinstance(robot, RoundModules):
        return [robot.module_radius] * len(lines)
    return [ROD_RATIO * float(np.linalg.norm(line.end - line.start)) for line in lines]


def trim_segment(tree: Tree, segment: Segment, radius: float) -> Piece:
    """Return a segment as a capsule that does not extend beyond the free ends of the segment."""
    hinges = hinges_of(tree, segment.body)
    start, end = segment.start.astype(float), segment.end.astype(float)
    length = float(np.linalg.norm(end - start))
    inset = min(radius, 0.49 * length) * (end - start) / length
    ends = start + inset * ends_freely(start, hinges), end - inset * ends_freely(end, hinges)
    return Piece(segment.body, *ends, radius, 0.5 * (start + end), 0.5 * (end - start))


def outline(robot: Robot) -> list[tuple[int, BodyShape]]:
    """Return the collision solids of a robot with their bodies, for files and other programs.

    Empty for a tree without an outer shape.
    """
    if isinstance(robot, ShapedBodies):
        return robot.body_shapes()
    if isinstance(robot, PlanarRobot):
        lines = segments(robot)
        radius = [float(THIN_RATIO * segment.end[0] if robot.radius is None else robot.radius) for segment in lines]
        return [(line.body, capsule_along(line.start, line.end, r)) for line, r in zip(lines, radius)]
    if outer_prisms(robot) or isinstance(robot, RoundModules):
        return [(piece.link, capsule_along(piece.start, piece.end, piece.radius)) for piece in pieces_of(robot)]
    return []


def capsule_along(start: NDArray, end: NDArray, radius: float) -> BodyShape:
    """Return the capsule whose axis runs between two points of a body."""
    axes = np.roll(turned_to(end - start), 2, axis=1)  # y, z, x: x becomes z
    middle, half = 0.5 * (start + end), 0.5 * float(np.linalg.norm(end - start))
    return BodyShape("capsule", (radius, half), tuple(middle.tolist()), quaternion(axes))  # type: ignore[arg-type]
