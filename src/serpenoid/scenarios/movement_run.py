"""The chain of the moving frame paper, driven through each of its movements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from serpenoid import analysis
from serpenoid.gaits.base import Gait
from serpenoid.gaits.movements import Accordion
from serpenoid.robots import MovingFrameChain
from serpenoid.robots.base import Robot
from serpenoid.scenarios.base import Parts, Quantity, Scenario
from serpenoid.support.kernel_inputs import motion_of
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import Floor, FreeSpace


@dataclass(frozen=True)
class MovementRun(Scenario, duration=4.0):
    """A chain moves through a shape and back: joint torques."""

    robot: Robot = MovingFrameChain()
    """chain"""
    world: FreeSpace | Floor = FreeSpace()
    """free space, with or without gravity, or a floor; a floor needs a drive with torques, such as pd"""
    gait: Gait = Accordion()
    """movement"""

    def parts(self) -> Parts:
        if isinstance(self.gait, Gait):  # may be a user-defined law
            motion_of(self.gait, self.robot)  # raises if the chain lacks the joints
        return Parts(self.robot, self.world, self.gait)

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        torque = np.abs(trajectory["joint_torque"]).max(axis=0)
        hardest = int(np.argmax(torque))
        height = trajectory["link_pose"][:, :, 2]
        return {
            "greatest_torque": Quantity(float(torque[hardest]), "N m"),
            "at_joint": Quantity(self.robot.joint_names[hardest]),
            "greatest_rate": Quantity(float(np.abs(trajectory["joint_velocity"]).max()), "rad/s"),
            "greatest_height": Quantity(float(height.max()), "m"),
            "power": Quantity(analysis.power(trajectory), "W"),
            "energy_residual": Quantity(analysis.energy_residual(trajectory)),
        }
