"""Bending to one side and then to the other, as a polynomial in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from serpenoid.configuration import above, check_fields, usual
from serpenoid.gaits.base import Gait, polynomial
from serpenoid.gaits.waves import yaw_mask
from serpenoid.kernels.records import Motion
from serpenoid.robots.base import Robot


@dataclass(frozen=True)
class Bending(Gait):
    """Bend all yaw joints equally to one side and back, then to the other side: (17) of the NATRIX paper.

    q = scale t^2 (half_period - t)^2 up to the half period, then its mirror image -q(t - half_period), then
    straight.
    """

    half_period: Annotated[float, above(0.0, usual=(2.0, 20.0))] = 10.0
    """t_f, duration of the bend to one side [s]"""
    scale: Annotated[float, usual(-0.01, 0.01)] = 1.0 / 640.0
    """[rad/s^4]; the bend peaks at scale t_f^4 / 16"""

    def __post_init__(self) -> None:
        check_fields(self)

    def motion(self, robot: Robot) -> Motion:
        end = self.half_period
        bend = self.scale * np.array([0.0, 0.0, end * end, -2.0 * end, 1.0])
        yaw = yaw_mask(robot)
        coefficients = np.stack([np.outer(bend, yaw), np.outer(-bend, yaw)])
        return polynomial(np.array([0.0, end, 2.0 * end]), coefficients)
