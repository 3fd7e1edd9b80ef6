"""Inertial turning of a sidewinding snake: what the heading of its virtual chassis does to the gait."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import pi
from typing import Annotated, Literal

import numpy as np

from serpenoid.configuration import above, at_least, between, check_fields, usual
from serpenoid.errors import require
from serpenoid.estimation.attitude import ComplementaryFilter
from serpenoid.kernels.laws.turning import Turning
from serpenoid.kernels.pose.inertial import Inertial
from serpenoid.robots.base import Robot


@dataclass(frozen=True)
class InertialTurning:
    """The gait reverses when the snake has turned round, and a cone steers it back to its direction (4.3.3).

    The heading is that of the virtual chassis, from the IMUs of all links, averaged over a cycle; the first cycle gives
    the direction to be kept. Beta goes from well to well by (4.21), with the sign that makes them stable, and is
    written to the shape parameter `reversal`; `front_taper` and `rear_taper` are used where the shape has them.
    """

    well_stiffness: Annotated[float, at_least(0.0, usual=(0.5, 6.0))] = 2.0
    """K_b, how steep the wells are [1/(s rad^2)]"""
    heading_stiffness: Annotated[float, at_least(0.0, usual=(0.5, 6.0))] = 2.0
    """K_h, how hard the heading pulls [1/s]; it switches above pi^2/16 K_b and holds two wells below pi^2/4 K_b"""
    taper: Annotated[float, between(0.0, 1.0, usual=(0.0, 0.8))] = 0.6
    """share of the amplitude that is gone at the end of the tapered half; 0: no steering"""
    begin: Annotated[float, at_least(0.0, usual=(0.03, 0.3))] = pi / 36.0
    """error of the heading from which on one half is tapered [rad]"""
    end: Annotated[float, at_least(0.0, usual=(0.01, 0.2))] = pi / 90.0
    """error below which it is straight again [rad]"""
    tapered: Literal["front", "rear"] = "front"
    """which half is tapered where the heading is too large"""
    target: Annotated[float, usual(-pi, pi)] = 0.0
    """wanted heading, against that of the first cycle [rad]"""
    cycle: Annotated[float, above(0.0, usual=(0.5, 5.0))] = 2.0
    """time over which the heading is averaged [s]"""
    filter: ComplementaryFilter = ComplementaryFilter()
    """how IMUs become an attitude"""

    def __post_init__(self) -> None:
        check_fields(self)
        require(self.end <= self.begin, "end", self.end, f"at most begin, which is {self.begin:g} rad")

    def record(self, robot: Robot, period: float, places: Mapping[str, int]) -> Turning:
        """What compiled code takes."""
        reversal, front, rear = (places.get(name, -1) for name in ("reversal", "front_taper", "rear_taper"))
        return Turning(
            self.filter.body(robot), reversal, front, rear, float(self.well_stiffness), float(self.heading_stiffness),
            float(self.taper), float(self.begin), float(self.end), 1.0 if self.tapered == "front" else -1.0,
            float(self.target), max(1, round(self.cycle / period)), float(period),
        )  # fmt: skip


def no_turning(period: float) -> Turning:
    """The record of a law that does not turn by its heading."""
    rows = np.zeros((0, 3))
    none = Inertial(np.zeros(0, dtype=np.int64), np.zeros((0, 3, 3)), rows, rows, rows, np.zeros(0), 0.0, 0.0)
    return Turning(none, -1, -1, -1, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1, float(period))
