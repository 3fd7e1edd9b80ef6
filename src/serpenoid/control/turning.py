"""Inertial turning of a sidewinding snake: feedback from the heading of its virtual chassis to the gait."""

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
    """Gait reversal when the snake has turned around, and a taper that steers it back to its direction (4.3.3).

    The heading is that of the virtual chassis, from the IMUs of all links, averaged over a cycle. The first cycle
    defines the direction to keep. Beta moves between the wells by (4.21), with the sign that makes them stable, and
    is written to the shape parameter `reversal`. `front_taper` and `rear_taper` are used if the shape has them.
    """

    well_stiffness: Annotated[float, at_least(0.0, usual=(0.5, 6.0))] = 2.0
    """K_b, steepness of the wells [1/(s rad^2)]"""
    heading_stiffness: Annotated[float, at_least(0.0, usual=(0.5, 6.0))] = 2.0
    """K_h, gain of the heading [1/s]; it switches above pi^2/16 K_b and keeps two wells below pi^2/4 K_b"""
    taper: Annotated[float, between(0.0, 1.0, usual=(0.0, 0.8))] = 0.6
    """fraction of the amplitude removed at the end of the tapered half; 0: no steering"""
    begin: Annotated[float, at_least(0.0, usual=(0.03, 0.3))] = pi / 36.0
    """heading error above which one half is tapered [rad]"""
    end: Annotated[float, at_least(0.0, usual=(0.01, 0.2))] = pi / 90.0
    """heading error below which the taper ends [rad]"""
    tapered: Literal["front", "rear"] = "front"
    """half that is tapered if the heading is too large"""
    target: Annotated[float, usual(-pi, pi)] = 0.0
    """desired heading relative to the first cycle [rad]"""
    cycle: Annotated[float, above(0.0, usual=(0.5, 5.0))] = 2.0
    """time over which the heading is averaged [s]"""
    filter: ComplementaryFilter = ComplementaryFilter()
    """attitude filter of the IMUs"""

    def __post_init__(self) -> None:
        check_fields(self)
        require(self.end <= self.begin, "end", self.end, f"at most begin, which is {self.begin:g} rad")

    def record(self, robot: Robot, period: float, places: Mapping[str, int]) -> Turning:
        """Return the record for compiled code."""
        reversal, front, rear = (places.get(name, -1) for name in ("reversal", "front_taper", "rear_taper"))
        return Turning(
            self.filter.body(robot), reversal, front, rear, float(self.well_stiffness), float(self.heading_stiffness),
            float(self.taper), float(self.begin), float(self.end), 1.0 if self.tapered == "front" else -1.0,
            float(self.target), max(1, round(self.cycle / period)), float(period),
        )  # fmt: skip


def no_turning(period: float) -> Turning:
    """Return the record of a law without inertial turning."""
    rows = np.zeros((0, 3))
    none = Inertial(np.zeros(0, dtype=np.int64), np.zeros((0, 3, 3)), rows, rows, rows, np.zeros(0), 0.0, 0.0)
    return Turning(none, -1, -1, -1, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1, float(period))
