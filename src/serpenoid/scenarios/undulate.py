"""NATRIX in free space: without external forces its centre of mass must not move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from serpenoid import analysis
from serpenoid.gaits import Gait, Undulation
from serpenoid.robots import Natrix
from serpenoid.robots.base import Robot
from serpenoid.scenarios.base import Parts, Quantity, Scenario
from serpenoid.support.kernel_inputs import motion_of
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import FreeSpace


@dataclass(frozen=True)
class Undulate(Scenario, duration=20.0):
    """A robot moves its joints in free space: momentum, energy and torques."""

    robot: Robot = Natrix()
    """robot, by name or from a TOML, MJCF or URDF file"""
    world: FreeSpace = FreeSpace()
    """free space"""
    gait: Gait = Undulation()
    """wave suited to the robot's joints, or the bending of the momentum benchmark"""

    def parts(self) -> Parts:
        if isinstance(self.gait, Gait):  # may be a user-defined law
            motion_of(self.gait, self.robot)  # raises if the robot lacks the joints
        return Parts(self.robot, self.world, self.gait)

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        drift = np.ptp(trajectory["center_of_mass"], axis=0)
        torque = np.nanmax(np.abs(trajectory["joint_torque"]))
        return {
            "speed": Quantity(analysis.speed(trajectory), "m/s"),
            "power": Quantity(analysis.power(trajectory), "W"),
            "center_of_mass_drift": Quantity(float(drift.max()), "m"),
            "greatest_torque": Quantity(float(torque), "N m"),
            "energy_residual": Quantity(analysis.energy_residual(trajectory)),
        }
