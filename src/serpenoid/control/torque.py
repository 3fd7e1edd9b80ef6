"""Torques that are simply held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from serpenoid.configuration import at_least, check_fields, usual
from serpenoid.control.base import Command, Controller, Observation
from serpenoid.errors import InvalidValue


@dataclass(frozen=True)
class HeldTorque(Controller):
    """Holds constant joint torques, for all time or until they are switched off."""

    torque: Annotated[tuple[float, ...], usual(-10.0, 10.0)]
    """joint torques [N m]"""
    until: Annotated[float | None, at_least(0.0, usual=(0.0, 10.0))] = None
    """time at which they are switched off [s]; none: never"""

    def __post_init__(self) -> None:
        check_fields(self)

    def reset(self) -> None: ...

    def command(self, observation: Observation) -> Command:
        joints = observation.joint_position.size
        if len(self.torque) != joints:
            raise InvalidValue("torque", self.torque, f"{joints} numbers, one per joint")
        on = self.until is None or observation.time < self.until - 1e-9
        return Command.empty(joints)._replace(torque=np.array(self.torque) if on else np.zeros(joints))
