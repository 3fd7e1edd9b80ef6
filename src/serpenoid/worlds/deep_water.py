"""Water far below its surface, for robots that do not float."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above
from serpenoid.kernels.records import Water
from serpenoid.robots.base import Robot
from serpenoid.worlds.initial_pose import lying_pose, moved_pose
from serpenoid.worlds.water import Hydrodynamics, WaterSurface

# A round body: added mass of the water it displaces, drag of a cylinder across, friction of its skin along.
ROUND_BODY = Hydrodynamics(added_mass=1.0, quadratic_drag=1.1, longitudinal_drag=0.03)


@dataclass(frozen=True)
class DeepWater(WaterSurface):
    """Still water so deep that the robot is under it as a whole; drag and added mass of a round body.

    The engine of trees carries robots through it. The SEA snake of 4.07 kg displaces 2.66 l: it sinks unless floats
    carry what the water does not.
    """

    hydrodynamics: Hydrodynamics = ROUND_BODY
    """added mass, drag and damping"""
    depth: Annotated[float, above(0.0, usual=(0.5, 5.0))] = 1.0
    """of the robot's lowest point at the start [m]"""
    neutral: bool = True
    """whether every link carries floats (without volume or mass of their own) that make up its weight; else it sinks or
    rises"""

    def environment(self, robot: Robot) -> Water:
        """Return the record of this water; weight and buoyancy cancel link by link for a neutral robot."""
        water = super().environment(robot)
        return water._replace(gravity=0.0) if self.neutral else water

    def resting_pose(self, robot: Robot, shape: NDArray) -> tuple[float, ...]:
        """Level, at its depth."""
        return moved_pose(lying_pose(robot, shape, lambda places: np.zeros(len(places))), (0.0, 0.0, -self.depth))
