"""Row of pegs across the path of a sidewinding snake, with random or equal openings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between, usual
from serpenoid.errors import require
from serpenoid.worlds.contact import ContactWorld, Solid
from serpenoid.worlds.geometry import Disc, Ground, Shape


@dataclass(frozen=True)
class PegRow(ContactWorld):
    """Row of pegs along x on a level floor; openings and lateral offsets are random by seed."""

    obstacle = "peg"
    pegs: Annotated[int, between(1, 200, usual=(2, 15))] = 9
    """number of pegs"""
    openings: Annotated[tuple[float, float], above(0.0, usual=(0.3, 0.8))] = (0.40, 0.65)
    """smallest and largest opening between peg surfaces [m]; equal values: a regular row"""
    gate: Annotated[float, at_least(0.0, usual=(0.0, 1.0))] = 0.0
    """width of the opening in the middle [m]; 0: random like the others"""
    off_line: Annotated[float, at_least(0.0, usual=(0.0, 0.1))] = 0.05
    """largest offset of a peg from the row's line, to either side [m]"""
    peg_radius: Annotated[float, above(0.0, usual=(0.01, 0.1))] = 0.0375
    """[m]"""
    peg_friction: Annotated[float, at_least(0.0, usual=(0.0, 1.0))] = 0.2
    """coefficient of friction of the pegs [-]"""
    distance: Annotated[float, usual(-1.5, 1.5)] = 0.6
    """y of the row's line [m]"""
    seed: Annotated[int, between(0, 2**31 - 1, usual=(0, 100))] = 0
    """seed of openings and offsets"""

    def __post_init__(self) -> None:
        super().__post_init__()
        low, high = self.openings
        require(low <= high, "openings", self.openings, "the narrowest before the widest")
        require(self.gate == 0.0 or self.pegs > 1, "gate", self.gate, "0 for a single peg")

    def centers(self) -> NDArray:
        """Return x and y (pegs, 2) of the peg axes [m], the centre of the row at x = 0."""
        rng = np.random.default_rng(self.seed)
        gaps = rng.uniform(*self.openings, self.pegs - 1) + 2.0 * self.peg_radius
        if self.gate > 0.0:
            gaps[(self.pegs - 2) // 2] = self.gate + 2.0 * self.peg_radius
        along = np.append(0.0, np.cumsum(gaps))
        off = rng.uniform(-self.off_line, self.off_line, self.pegs)
        return np.column_stack([along - 0.5 * along[-1], self.distance + off])

    def geometry(self) -> tuple[Shape, ...]:
        """Return the floor and the pegs."""
        return (Ground((0.0, 0.0, 0.0)), *(Disc((x, y), self.peg_radius) for x, y in self.centers().tolist()))

    def solids(self) -> tuple[Solid, ...]:
        """Return the floor, and the pegs with their own friction."""
        floor, *pegs = self.geometry()
        smooth = (self.peg_friction, self.peg_friction)
        return (Solid(floor, self.ground_friction), *(Solid(peg, smooth) for peg in pegs))
