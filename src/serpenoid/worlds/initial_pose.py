"""Initial pose of a robot in space: its links at given joint angles, levelled and lowered onto the ground."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.robots.base import Robot
from serpenoid.robots.rotations import quaternion, rotations, turned_about
from serpenoid.robots.shapes import segments, solids
from serpenoid.support.kernel_inputs import tree_of
from serpenoid.worlds.coil import Coil, fit_coil

HeightOf = Callable[[NDArray], NDArray]  # z of the ground under places (count, 2) [m]
ROUNDNESS = 0.25  # largest relative rms deviation of the radius of a helix
LEAST_TURNS = 0.8  # smallest rotation of a wound body


class Links(NamedTuple):
    """The frames of a tree's links."""

    place: NDArray  # (links, 3) [m]
    turn: NDArray  # (links, 3, 3) from link axes to the axes of the base pose


def links_of(robot: Robot, shape: NDArray) -> Links:
    """Return the link frames of a tree with these joint angles [rad], its base at the origin without rotation."""
    tree = tree_of(robot)
    place, turn = np.zeros((tree.mass.size, 3)), np.tile(np.eye(3), (tree.mass.size, 1, 1))
    hinges = turned_about(tree.axis[1:], shape)
    for body, hinge in enumerate(hinges, start=1):
        parent = tree.parent[body]
        place[body] = place[parent] + turn[parent] @ tree.offset[body]
        turn[body] = turn[parent] @ tree.rotation[body] @ hinge
    return Links(place, turn)


def skin_of(robot: Robot, links: Links) -> NDArray:
    """Return the vertices (points, 3) of a robot's surface, in base axes [m]."""
    return np.concatenate([
        links.place[solid.body] + solid.vertices @ links.turn[solid.body].T for solid in solids(robot)
    ])  # fmt: skip


def line_of(robot: Robot, shape: NDArray) -> NDArray:
    """Return the body's centre line (pieces + 1, 3) from its front end, in base axes [m]."""
    links, pieces = links_of(robot, shape), segments(robot)
    ends = [(piece.body, piece.start) for piece in pieces] + [(pieces[-1].body, pieces[-1].end)]
    return np.array([links.place[body] + links.turn[body] @ end for body, end in ends])


def level_axes(links: Links, straight: Links) -> NDArray:
    """Return the rotation (3, 3) from base axes to level axes.

    z is the mean of the links' up vectors of the straight robot, x points from head to tail.
    """
    bent = links.turn @ straight.turn.transpose(0, 2, 1)  # rotation of each link relative to the straight robot
    up = bent[:, :, 2].mean(axis=0)
    up /= np.linalg.norm(up)
    spread = links.place - links.place.mean(axis=0)
    spread -= np.outer(spread @ up, up)
    along = np.linalg.svd(spread)[2][0]
    along *= 1.0 if along @ bent[:, :, 0].mean(axis=0) >= 0.0 else -1.0
    return np.array([along, np.cross(up, along), up])


def lying_pose(robot: Robot, shape: NDArray, ground: HeightOf) -> tuple[float, ...]:
    """Return the base pose, x y z [m] and quaternion w x y z: centre over the origin, lowest point on the ground."""
    links = links_of(robot, shape)
    level = level_axes(links, links_of(robot, np.zeros_like(shape)))
    skin = skin_of(robot, links) @ level.T
    middle = (links.place @ level.T).mean(axis=0)
    skin[:, :2] -= middle[:2]
    height = float((ground(skin[:, :2]) - skin[:, 2]).max())
    return (-float(middle[0]), -float(middle[1]), height, *quaternion(level))


def base_to_world(pose: tuple[float, ...], points: NDArray) -> NDArray:
    """Transform points (count, 3) from base to world axes [m]."""
    return np.array(pose[:3]) + points @ rotations(pose[3:]).T


def moved_pose(pose: tuple[float, ...], way: tuple[float, float, float]) -> tuple[float, ...]:
    """Return a pose translated by x y z [m]."""
    return (*(place + by for place, by in zip(pose, way)), *pose[3:])


def turned_pose(pose: tuple[float, ...], turn: NDArray) -> tuple[float, ...]:
    """Return a pose rotated about the origin by a rotation vector [rad]."""
    from scipy.spatial.transform import Rotation

    by = Rotation.from_rotvec(turn)
    attitude = by * Rotation.from_quat(pose[3:], scalar_first=True)
    return (*by.apply(pose[:3]).tolist(), *attitude.as_quat(scalar_first=True).tolist())


def rolled_pose(
    robot: Robot, shape: NDArray, like: NDArray, pose: tuple[float, ...], ground: HeightOf
) -> tuple[float, ...]:
    """Return a base pose that keeps the body's centre line, though its modules have rolled.

    The line is that of joint angles `like` at a pose. The lowest point is on the ground.
    """
    from scipy.spatial.transform import Rotation

    own, wanted = line_of(robot, shape), base_to_world(pose, line_of(robot, like))
    turn = Rotation.align_vectors(wanted - wanted.mean(axis=0), own - own.mean(axis=0))[0]
    place = wanted.mean(axis=0) - turn.apply(own.mean(axis=0))
    skin = place + turn.apply(skin_of(robot, links_of(robot, shape)))
    place[2] += float((ground(skin[:, :2]) - skin[:, 2]).max())
    return (*place.tolist(), *turn.as_quat(scalar_first=True).tolist())


def coil_of(robot: Robot, shape: NDArray) -> Coil | None:
    """Fit the helix of a robot with these joint angles [rad], in base axes; None if it is not a helix."""
    places = links_of(robot, shape).place[1:]  # the joints; the snout sticks out of a helix
    if len(places) < 6 or not np.any(shape):
        return None
    coil = fit_coil(places)
    return coil if coil.residual < ROUNDNESS * coil.radius and coil.turns > LEAST_TURNS else None


def wound_pose(
    robot: Robot, shape: NDArray, coil: Coil, point: NDArray, direction: NDArray, start: float
) -> tuple[float, ...]:
    """Return the base pose that aligns a helix with a line, head first.

    The rearmost point of the body is `start` [m] from the line's point.
    """
    from scipy.spatial.transform import Rotation

    turn = Rotation.align_vectors(direction[None], coil.axis[None])[0]
    back = (turn.apply(skin_of(robot, links_of(robot, shape)) - coil.center) @ direction).min()
    place = point + (start - back) * direction - turn.apply(coil.center)
    return (*place.tolist(), *turn.as_quat(scalar_first=True).tolist())
