"""Regular waves of small steepness at the surface of water, deep or of finite depth (Airy)."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, exp, inf, pi, sin, sqrt, tanh
from typing import Annotated

from serpenoid.configuration import above, at_least, check_fields, usual
from serpenoid.errors import require
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.kernels.records import Wave

STEEPEST = 1.0 / 7.0  # height over length at which waves break
SHALLOWEST = 0.78  # height over depth at which waves break
DEEPEST = 1e9  # represents water of unlimited depth [m]


@dataclass(frozen=True)
class Waves:
    """Regular wave: elevation (height / 2) cos(k s - w t + phase), with s = x cos(direction) + y sin(direction)."""

    height: Annotated[float, at_least(0.0, usual=(0.0, 0.1))] = 0.0
    """height from trough to crest [m]; 0: still water"""
    length: Annotated[float, above(0.0, usual=(0.5, 10.0))] = 2.0
    """wavelength [m]"""
    direction: Annotated[float, usual(-pi, pi)] = 0.0
    """direction of travel, from the world's x axis [rad]; a straight robot faces -x"""
    phase: Annotated[float, usual(-pi, pi)] = 0.0
    """phase at the origin at time zero [rad]; 0: a crest"""
    depth: Annotated[float | None, above(0.0, usual=(0.5, 10.0))] = None
    """depth of the water [m]; none: deep water"""

    def __post_init__(self) -> None:
        check_fields(self)
        most = STEEPEST * self.length
        require(self.height <= most, "height", self.height, f"at most length / 7 = {most:.4g}, where waves break")
        if self.depth is not None:
            most = SHALLOWEST * self.depth
            require(self.height <= most, "height", self.height, f"at most 0.78 depth = {most:.4g}, where waves break")

    @property
    def number(self) -> float:
        """Wave number k = 2 pi / length [rad/m]."""
        return 2.0 * pi / self.length

    def rate(self, gravity: float = STANDARD_GRAVITY) -> float:
        """Return the angular frequency [rad/s] by the dispersion relation w^2 = g k tanh(k depth)."""
        return sqrt(gravity * self.number * tanh(self.number * (inf if self.depth is None else self.depth)))

    def period(self, gravity: float = STANDARD_GRAVITY) -> float:
        """Return the period [s]."""
        return 2.0 * pi / self.rate(gravity)

    def record(self, gravity: float) -> Wave:
        """Return the record for compiled code."""
        return Wave(
            amplitude=0.5 * self.height,
            number=self.number,
            rate=self.rate(gravity),
            phase=float(self.phase),
            cosine=cos(self.direction),
            sine=sin(self.direction),
            depth=DEEPEST if self.depth is None else float(self.depth),
            bottom=0.0 if self.depth is None else exp(-2.0 * self.number * self.depth),
        )
