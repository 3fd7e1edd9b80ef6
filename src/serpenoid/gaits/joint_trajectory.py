"""Joint trajectory through given shapes, as a smooth curve with an optional superposed wave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import check_fields, usual
from serpenoid.errors import InvalidValue, require
from serpenoid.gaits.base import Gait, polynomial
from serpenoid.gaits.waves import Undulation
from serpenoid.kernels.records import Motion
from serpenoid.robots.base import Robot


@dataclass(frozen=True)
class JointTrajectory(Gait):
    """Splines through shapes at given times, with continuous acceleration and zero velocity at both ends."""

    times: Annotated[tuple[float, ...], usual(0.0, 60.0)] = (0.0,)
    """time of each shape, ascending [s]; the joints rest before the first and after the last"""
    shapes: Annotated[tuple[tuple[float, ...], ...], usual(-1.5, 1.5)] = ((),)
    """joint angles at those times, one list per time [rad]; an empty list means straight"""
    wave: Undulation | None = None
    """wave added to the shapes; none: the shapes alone"""

    def __post_init__(self) -> None:
        check_fields(self)
        ascending = len(self.times) >= 1 and bool(np.all(np.diff(self.times) > 0.0))
        require(ascending, "times", self.times, "at least one, ascending")
        require(len(self.shapes) == len(self.times), "shapes", self.shapes, f"{len(self.times)} lists, one per time")

    @property
    def frequency(self) -> float:  # type: ignore[override]
        """Frequency of the superposed wave [Hz]; 0 without one."""
        return self.wave.frequency if self.wave else 0.0

    def motion(self, robot: Robot) -> Motion:
        angles = np.array([self.shape(i, robot.joints) for i in range(len(self.shapes))])
        spline = spline_motion(np.array(self.times, dtype=float), angles)
        if self.wave is None:
            return spline
        return self.wave.motion(robot)._replace(knots=spline.knots, coefficients=spline.coefficients)

    def shape(self, index: int, joints: int) -> NDArray:
        """Return one shape as an array; raise if its length does not match the robot."""
        shape = self.shapes[index]
        if len(shape) not in (0, joints):
            raise InvalidValue("shapes", shape, f"{joints} joint angles each")
        return np.array(shape, dtype=float) if shape else np.zeros(joints)


def spline_motion(times: NDArray, angles: NDArray) -> Motion:
    """Return cubic splines through angles (times, joints), with zero velocity at both ends."""
    if times.size == 1:
        return polynomial(np.array([times[0], times[0] + 1.0]), angles[None])
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(times, angles, bc_type="clamped")
    return polynomial(times, spline.c[::-1].transpose(1, 0, 2))
