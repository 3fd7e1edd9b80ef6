"""Torques that are simply held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from serpenoid.control.base import Command, Controller, Law, Observation
from serpenoid.errors import InvalidValue, finite, nonnegative


@dataclass(frozen=True)
class HeldTorque(Controller):
    """Holds constant joint torques, for all time or until they are switched off."""

    torque: tuple[float, ...]
    """joint torques [N m]"""
    until: float | None = None
    """time at which they are switched off [s]; none: never"""

    def __post_init__(self) -> None:
        for value in self.torque:
            finite("torque", value)
        if self.until is not None:
            nonnegative("until", self.until)

    def start(self, robot: Any, period: float, rng: np.random.Generator) -> Law:
        joints = robot.joints
        if len(self.torque) != joints:
            raise InvalidValue("torque", self.torque, f"{joints} numbers, one per joint")

        def law(observation: Observation) -> Command:
            on = self.until is None or observation.time < self.until - 1e-9
            return Command.empty(joints)._replace(torque=np.array(self.torque) if on else np.zeros(joints))

        return law
