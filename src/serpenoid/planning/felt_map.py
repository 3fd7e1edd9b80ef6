"""Map of the pegs that a robot has touched."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Truth
from serpenoid.errors import InvalidValue, Unsupported
from serpenoid.worlds.peg_board import PegBoard, peg_tree

TOUCH = 0.005  # largest distance of a contact from the surface of the peg that it belongs to [m]


class FeltMap:
    """Pegs known by touch. A tactile skin is assumed: a contact reveals position and radius of its peg."""

    def __init__(self, board: Any):
        if not isinstance(board, PegBoard):
            raise Unsupported("map felt needs a peg board: use map all")
        self.whole = board
        self.known = np.zeros(len(board.pegs()), dtype=bool)

    def touch(self, truth: Truth) -> bool:
        """Add the pegs in contact; return whether there is a new one."""
        before = int(self.known.sum())
        points: NDArray = np.asarray(truth.needed("touch_point"))[:, :2]
        points = points[np.isfinite(points).all(axis=1)]
        if len(points) and self.known.size:
            distance, peg = peg_tree(self.whole).query(points)
            self.known[peg[distance < self.whole.peg_radius + TOUCH]] = True
        return int(self.known.sum()) > before

    def board(self) -> PegBoard:
        """Return the board with the known pegs alone; walls are always known."""
        pegs = self.whole.pegs()[self.known]
        if not len(pegs):
            return replace(self.whole, layout="poisson", density=0.0)
        return replace(self.whole, layout="list", places=tuple(map(tuple, pegs.tolist())))


def check_goal(goal: tuple[float, float] | None, world: Any) -> None:
    """Raise if a goal is inside a peg."""
    if goal is None or not isinstance(world, PegBoard) or not len(world.pegs()):
        return
    distance, peg = peg_tree(world).query(np.array(goal))
    if distance < world.peg_radius:
        place = tuple(np.round(world.pegs()[peg], 3).tolist())
        raise InvalidValue("controller.goal", goal, f"outside the pegs; there is one at {place}")
