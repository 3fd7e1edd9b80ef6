"""Speed of gaits without slip, by their reduced models."""

from __future__ import annotations

from math import cos, pi
from typing import TYPE_CHECKING

import numpy as np

from serpenoid.gaits import ConicalSidewinding, Rolling, RollingHelix, Sidewinding
from serpenoid.robots import SeaSnake

if TYPE_CHECKING:
    from serpenoid.gaits.base import Gait


def ideal_speed(gait: Gait, robot: SeaSnake) -> float:
    """Return the speed [m/s] of a gait by its reduced model; NaN if it has none."""
    if isinstance(gait, Sidewinding):
        return tread_speed(gait, robot)
    if isinstance(gait, RollingHelix):
        return helix_speed(gait, robot)
    return rolling_speed(gait, robot) if isinstance(gait, Rolling) else float("nan")


def tread_speed(gait: Sidewinding, robot: SeaSnake) -> float:
    """Return the speed [m/s] of sidewinding as a tread on a rolling elliptic cylinder (p. 49).

    The cylinder rolls without slip, so it advances by its perimeter per cycle. Its half-axes are the amplitudes of the
    centreline. Curvature A / 2 m, integrated twice along a wave of k radians per metre, gives A / (2 m k^2). For
    conical sidewinding it is a cone, and the speed is that of its middle.
    """
    wave = gait.spatial_frequency / (robot.joints * robot.module_length)  # [rad/m]
    spacing = 2.0 * robot.module_length
    middle = 1.0 - 0.5 * abs(gait.taper) if isinstance(gait, ConicalSidewinding) else 1.0
    across, high = (middle * a / (spacing * wave**2) for a in (gait.amplitude, gait.dorsal_amplitude))
    angle = np.linspace(0.0, 2.0 * pi, 2001)
    girth = float(np.sum(np.hypot(np.diff(across * np.cos(angle)), np.diff(high * np.sin(angle)))))
    return girth * gait.frequency


def rolling_speed(gait: Rolling | RollingHelix, robot: SeaSnake) -> float:
    """Return 2 pi R f [m/s], the speed of a round body that rotates about its own centreline."""
    return 2.0 * pi * robot.radius * gait.frequency


def helix_speed(gait: RollingHelix, robot: SeaSnake) -> float:
    """Return the axial speed [m/s] of a smooth rolling helix: 2 pi R f cos(psi), psi the angle of its coils."""
    return rolling_speed(gait, robot) * cos(np.arctan2(abs(gait.pitch) / (2.0 * pi), gait.radius))
