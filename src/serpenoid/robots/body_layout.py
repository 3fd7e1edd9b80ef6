"""Layout of a tree's hinges along its body, as gaits for snakes need it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.records import Tree

NEARLY = np.cos(np.radians(30.0))  # alignment above which a hinge counts as parallel to an axis


class BodyLayout(NamedTuple):
    """A tree stretched out at joint angles zero, in the axes of its base."""

    yaw: tuple[int, ...]  # joints about z
    pitch: tuple[int, ...]  # level joints across the body
    arc: tuple[float, ...]  # of each joint from the base along the body [m]
    length: float  # to the farthest tip [m]


def body_layout(tree: Tree, lines: Iterable[tuple[int, NDArray]]) -> BodyLayout:
    """Return axes and positions of all hinges at angle zero; `lines` are bodies and rear ends of their lines [m]."""
    count = len(tree.parent)
    turns, places, arcs = np.tile(np.eye(3), (count, 1, 1)), np.zeros((count, 3)), np.zeros(count)
    for i in range(1, count):
        parent = int(tree.parent[i])
        turns[i] = turns[parent] @ tree.rotation[i]
        places[i] = places[parent] + turns[parent] @ tree.offset[i]
        arcs[i] = arcs[parent] + np.linalg.norm(tree.offset[i])
    axes = np.einsum("bij,bj->bi", turns, tree.axis)[1:]
    across = np.cross([0.0, 0.0, 1.0], body_direction(places))
    yaw = np.flatnonzero(np.abs(axes[:, 2]) >= NEARLY)
    pitch = np.flatnonzero(np.abs(axes @ across) >= NEARLY)
    length = max((float(arcs[body] + np.linalg.norm(end)) for body, end in lines), default=float(arcs.max()))
    return BodyLayout(tuple(yaw.tolist()), tuple(pitch.tolist()), tuple(arcs[1:].tolist()), length)


def body_direction(places: NDArray) -> NDArray:
    """Return the level unit vector from the base to the farthest hinge; x if all hinges coincide."""
    level = places[np.argmax(np.linalg.norm(places, axis=1))] * (1.0, 1.0, 0.0)
    size = float(np.linalg.norm(level))
    return level / size if size > 0.0 else np.array([1.0, 0.0, 0.0])
