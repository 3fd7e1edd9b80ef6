"""Where a robot in space starts: its links for given joint angles, laid flat and lowered onto the ground."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.robots.base import TreeRobot
from serpenoid.robots.shapes import solids

HeightOf = Callable[[NDArray], NDArray]  # z of the ground under places (count, 2) [m]


class Links(NamedTuple):
    """The frames of a tree's links."""

    place: NDArray  # (links, 3) [m]
    turn: NDArray  # (links, 3, 3) link axes to those that the base is given in


def links_of(robot: TreeRobot, shape: NDArray) -> Links:
    """The frames of a tree with these joint angles [rad], its base at the origin without turn."""
    from scipy.spatial.transform import Rotation

    tree = robot.tree()
    place, turn = np.zeros((tree.mass.size, 3)), np.tile(np.eye(3), (tree.mass.size, 1, 1))
    for body in range(1, tree.mass.size):
        parent = tree.parent[body]
        hinge = Rotation.from_rotvec(tree.axis[body] * shape[body - 1]).as_matrix()
        place[body] = place[parent] + turn[parent] @ tree.offset[body]
        turn[body] = turn[parent] @ tree.rotation[body] @ hinge
    return Links(place, turn)


def skin_of(robot: TreeRobot, links: Links) -> NDArray:
    """(points, 3) corners of what a robot looks like, axes of its base [m]."""
    return np.concatenate([
        links.place[solid.body] + solid.vertices @ links.turn[solid.body].T for solid in solids(robot)
    ])  # fmt: skip


def level_axes(links: Links, straight: Links) -> NDArray:
    """(3, 3) from the base's axes to level ones: z the mean of what is up in each link when the robot lies straight,
    x from head to tail as the body lies."""
    bent = links.turn @ straight.turn.transpose(0, 2, 1)  # by how much each link is turned against the straight robot
    up = bent[:, :, 2].mean(axis=0)
    up /= np.linalg.norm(up)
    spread = links.place - links.place.mean(axis=0)
    spread -= np.outer(spread @ up, up)
    along = np.linalg.svd(spread)[2][0]
    along *= 1.0 if along @ bent[:, :, 0].mean(axis=0) >= 0.0 else -1.0
    return np.array([along, np.cross(up, along), up])


def lying_pose(robot: TreeRobot, shape: NDArray, ground: HeightOf) -> tuple[float, ...]:
    """Pose of the base, x y z [m] and quaternion w x y z: middle over the origin, its lowest point on the ground."""
    from scipy.spatial.transform import Rotation

    links = links_of(robot, shape)
    level = level_axes(links, links_of(robot, np.zeros_like(shape)))
    skin = skin_of(robot, links) @ level.T
    middle = (links.place @ level.T).mean(axis=0)
    skin[:, :2] -= middle[:2]
    height = float((ground(skin[:, :2]) - skin[:, 2]).max())
    turn = Rotation.from_matrix(level).as_quat(scalar_first=True)
    return (-float(middle[0]), -float(middle[1]), height, *turn.tolist())
