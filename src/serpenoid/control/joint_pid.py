"""PID control of joint angles along a gait, computed once per control period: torques held in between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from serpenoid.configuration import at_least, check_fields
from serpenoid.control.base import Command, Controller, Observation, Signal
from serpenoid.errors import InvalidValue
from serpenoid.gaits.base import Gait
from serpenoid.gaits.waves import Serpenoid
from serpenoid.kernels.motion import motion_samples
from serpenoid.robots.base import Robot
from serpenoid.support.kernel_inputs import motion_of


@dataclass(frozen=True)
class JointPID(Controller):
    """Track a gait by PID with the gains and the torque limit of the robot's PD drive, once per control period.

    The torque is constant over a period, as with a digital controller. At the torque limit errors are not summed.
    """

    gait: Gait = Serpenoid()
    """gait to track"""
    integral: Annotated[float, at_least(0.0, usual=(0.0, 20.0), most=1e9)] = 0.0
    """I gain of every joint [N m/(rad s)]"""

    def __post_init__(self) -> None:
        check_fields(self)

    def start(self, robot: Robot, period: float, rng: np.random.Generator) -> JointPIDLaw:
        return JointPIDLaw(self, robot, period)


class JointPIDLaw:
    """State of the controller: the integral of the errors."""

    def __init__(self, controller: JointPID, robot: Robot, period: float):
        gains = robot.drive.servo_gains(robot.joints) if robot.drive.direct else None
        if gains is None:
            raise InvalidValue("robot.drive", robot.drive, "a PD, whose gains JointPID uses")
        self.period, self.integral = period, controller.integral
        self.motion = motion_of(controller.gait, robot)
        self.stiffness, self.damping = gains
        self.limit = robot.drive.torque_limits(robot.joints)
        self.summed = np.zeros(robot.joints)  # integral of the errors [rad s]
        self.error = np.zeros(robot.joints)  # [rad]

    def __call__(self, observation: Observation) -> Command:
        reference, rate, _ = (part[0] for part in motion_samples(self.motion, np.array([observation.time])))
        self.error = reference - observation.joint_position
        wanted = self.stiffness * self.error + self.integral * self.summed
        wanted += self.damping * (rate - observation.joint_velocity)
        self.summed = np.where(np.abs(wanted) < self.limit, self.summed + self.period * self.error, self.summed)
        torque = np.clip(wanted, -self.limit, self.limit)
        return Command.empty(torque.size)._replace(torque=torque)

    def signals(self) -> dict[str, Signal]:
        return {"joint_error": Signal(self.error, "rad", "gait's angle minus the joint's", ("joint",))}
