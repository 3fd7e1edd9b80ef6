"""Joint torques without feedback: constant, or a wave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from serpenoid.configuration import at_least, check_fields, usual
from serpenoid.control.base import Command, Controller, Law, Observation
from serpenoid.errors import InvalidValue
from serpenoid.robots.base import Robot


@dataclass(frozen=True)
class HeldTorque(Controller):
    """Constant joint torques, applied permanently or until a switch-off time."""

    torque: Annotated[tuple[float, ...], usual(-10.0, 10.0)]
    """joint torques [N m]"""
    until: Annotated[float | None, at_least(0.0, usual=(0.0, 10.0), most=1e6)] = None
    """switch-off time [s]; none: never"""

    def __post_init__(self) -> None:
        check_fields(self)

    def start(self, robot: Robot, period: float, rng: np.random.Generator) -> Law:
        joints = robot.joints
        if len(self.torque) != joints:
            raise InvalidValue("torque", self.torque, f"{joints} numbers, one per joint")

        def law(observation: Observation) -> Command:
            on = self.until is None or observation.time < self.until - 1e-9
            return Command.empty(joints)._replace(torque=np.array(self.torque) if on else np.zeros(joints))

        return law


@dataclass(frozen=True)
class TorqueWave(Controller):
    """Joint torques amplitude sin(2 pi frequency t - 2 pi lag j), a wave from the head to the tail."""

    amplitude: Annotated[float, usual(0.0, 10.0)] = 1.0
    """amplitude of every joint torque [N m]"""
    frequency: Annotated[float, at_least(0.0, usual=(0.1, 3.0))] = 1.0
    """frequency [Hz]"""
    lag: Annotated[float, usual(-0.5, 0.5)] = 0.25
    """delay of each joint behind the joint before it [cycles]"""

    def __post_init__(self) -> None:
        check_fields(self)

    def start(self, robot: Robot, period: float, rng: np.random.Generator) -> Law:
        lags = self.lag * np.arange(robot.joints)

        def law(observation: Observation) -> Command:
            phase = 2.0 * np.pi * (self.frequency * observation.time - lags)
            return Command.empty(robot.joints)._replace(torque=self.amplitude * np.sin(phase))

        return law
