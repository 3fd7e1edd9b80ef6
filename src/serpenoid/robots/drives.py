"""How joints are driven: exactly as commanded, by a torque that tracks the command, or by a motor behind a spring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, check_fields
from serpenoid.errors import require
from serpenoid.kernels.records import Drive, ElasticDrive
from serpenoid.robots.cascade import Cascade

Each = float | tuple[float, ...]  # the same for all, or one for each
STIFFEST = 1e9  # [N m], per rad or rad/s: joints that are as good as rigid
NO_LIMIT = 1e6  # [N m], [rad/s] that stand for a motor without a limit


@dataclass(frozen=True)
class Prescribed:
    """The joints follow their commands exactly; torques are an outcome."""


@dataclass(frozen=True)
class PD:
    """A torque that tracks the commanded angles, with a cap."""

    stiffness: Annotated[Each, at_least(0.0, usual=(0.1, 50.0), most=STIFFEST)] = 3.0
    """P gain of a joint, or of each [N m/rad]"""
    damping: Annotated[Each, at_least(0.0, usual=(0.001, 1.0), most=STIFFEST)] = 0.05
    """D gain of a joint, or of each [N m s/rad]"""
    torque_limit: Annotated[Each, at_least(0.0, usual=(0.1, 20.0), most=STIFFEST)] = 1.0
    """largest torque of a joint, or of each [N m]; 0: the joint hangs loose"""

    def __post_init__(self) -> None:
        check_fields(self)

    def record(self, joints: int) -> Drive:
        """Gains and limits of every joint."""
        for name, value in vars(self).items():
            fits = not isinstance(value, tuple) or len(value) == joints
            require(fits, f"robot.drive.{name}", value, f"one number or {joints}, one for each joint")
        return Drive(*(np.array(np.broadcast_to(value, joints), dtype=float) for value in vars(self).values()))


@dataclass(frozen=True)
class SeriesElastic:
    """A motor that tracks the commanded angles, and a spring between it and the joint."""

    stiffness: Annotated[float, at_least(0.0, usual=(0.1, 50.0))] = 10.0
    """P gain on the motor's angle [N m/rad]"""
    damping: Annotated[float, at_least(0.0, usual=(0.001, 5.0))] = 0.5
    """D gain on the motor's rate [N m s/rad]"""
    torque_limit: Annotated[float, above(0.0, usual=(0.1, 20.0), most=STIFFEST)] = 4.0
    """largest torque of a motor [N m]"""
    spring: Annotated[float, above(0.0, usual=(1.0, 300.0))] = 30.0
    """stiffness of the spring [N m/rad]"""
    spring_damping: Annotated[float, at_least(0.0, usual=(0.0, 1.0))] = 0.05
    """viscous friction beside the spring [N m s/rad]"""
    rotor_inertia: Annotated[float, above(0.0, usual=(1e-4, 0.1))] = 0.01
    """inertia of the rotor as the joint sees it, behind the gear [kg m^2]"""

    def __post_init__(self) -> None:
        check_fields(self)

    def record(self, joints: int) -> ElasticDrive:
        """The same motor and spring for every joint."""
        values = (
            self.stiffness, self.damping, self.torque_limit, self.spring, self.spring_damping, self.rotor_inertia
        )  # fmt: skip
        return ElasticDrive(*(np.full(joints, value) for value in values))

    def energy(self, joint: NDArray, motor: NDArray, motor_rate: NDArray) -> NDArray:
        """In springs and rotors [J], (samples,), from joint angles, motor angles and motor rates (samples, joints)."""
        return 0.5 * (self.spring * (motor - joint) ** 2 + self.rotor_inertia * motor_rate**2).sum(axis=1)


AnyDrive = Prescribed | PD | SeriesElastic | Cascade
