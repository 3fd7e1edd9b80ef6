"""Deep water for submerged robots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above
from serpenoid.kernels.records import Sea, Water
from serpenoid.robots.base import Robot
from serpenoid.worlds.initial_pose import lying_pose, moved_pose
from serpenoid.worlds.water import Hydrodynamics, WaterSurface

# Coefficients of a round body: added mass of the displaced water, cylinder drag across, skin friction along.
ROUND_BODY = Hydrodynamics(added_mass=1.0, quadratic_drag=1.1, longitudinal_drag=0.03)


@dataclass(frozen=True)
class DeepWater(WaterSurface):
    """Still water that submerges the whole robot, with drag and added mass of a round body.

    Simulated by the tree engine. The SEA snake of 4.07 kg displaces 2.66 l, so it sinks without floats.
    """

    hydrodynamics: Hydrodynamics = ROUND_BODY
    """added mass, drag and damping"""
    depth: Annotated[float, above(0.0, usual=(0.5, 5.0))] = 1.0
    """depth of the robot's lowest point at the start [m]"""
    neutral: bool = True
    """whether massless floats balance the weight of every link; otherwise the robot sinks or rises"""

    def environment(self, robot: Robot) -> Water | Sea:
        """Return the record of this water; weight and buoyancy cancel link by link for a neutral robot."""
        water = super().environment(robot)
        return water._replace(gravity=0.0) if self.neutral else water

    def resting_pose(self, robot: Robot, shape: NDArray) -> tuple[float, ...]:
        """Return the level pose at the initial depth."""
        return moved_pose(lying_pose(robot, shape, lambda places: np.zeros(len(places))), (0.0, 0.0, -self.depth))
