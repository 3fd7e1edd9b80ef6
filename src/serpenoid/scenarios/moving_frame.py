"""The chain of the moving frame paper, led through each of its movements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from serpenoid import analysis
from serpenoid.configuration import between
from serpenoid.gaits.base import Gait
from serpenoid.gaits.formation import Formation
from serpenoid.gaits.movements import Accordion, Cobra, Spiral
from serpenoid.robots import MovingFrameChain
from serpenoid.scenarios.base import Parts, Quantity, Scenario
from serpenoid.support.kernel_inputs import motion_of
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import FreeSpace


@dataclass(frozen=True)
class MovementRun(Scenario):
    """What the movements have in common: the chain, the world, and the torques as the outcome."""

    robot: MovingFrameChain = MovingFrameChain()
    """the chain"""
    world: FreeSpace = FreeSpace()
    """free space, with or without weight"""
    duration: Annotated[float, between(1e-7, 1e6, usual=(1.0, 60.0))] = 4.0
    """simulated time [s]"""
    gait: Any = None
    """the movement"""

    def parts(self) -> Parts:
        if isinstance(self.gait, Gait):
            motion_of(self.gait, self.robot)  # refuses a chain that lacks the joints
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


@dataclass(frozen=True)
class AccordionRun(MovementRun):
    """The chain folds into a zig-zag and opens again."""

    gait: Accordion = Accordion()
    """the movement"""


@dataclass(frozen=True)
class CobraRun(MovementRun):
    """The chain raises its front half like a cobra and lies down again."""

    gait: Cobra = Cobra()
    """the movement"""


@dataclass(frozen=True)
class SpiralRun(MovementRun):
    """The chain winds itself up in space and unwinds."""

    gait: Spiral = Spiral()
    """the movement"""


@dataclass(frozen=True)
class FormationRun(MovementRun):
    """Eight level joints swing in turn, as on the robot that the paper built."""

    robot: MovingFrameChain = MovingFrameChain(bodies=16)
    """the chain; 16 modules have eight joints about the vertical"""
    gait: Formation = Formation()
    """the movement"""
    duration: Annotated[float, between(1e-7, 1e6, usual=(1.0, 60.0))] = 11.5
    """simulated time [s]"""
