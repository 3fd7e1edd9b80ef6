"""How joints are driven: exactly as commanded, by a torque that tracks the command, or by a motor behind a spring."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import nonnegative, positive
from serpenoid.kernels.records import Drive, ElasticDrive


@dataclass(frozen=True)
class Prescribed:
    """The joints follow their commands exactly; torques are an outcome."""


@dataclass(frozen=True)
class PD:
    """A torque that tracks the commanded angles, with a cap."""

    stiffness: float = 3.0
    """P gain [N m/rad]"""
    damping: float = 0.05
    """D gain [N m s/rad]"""
    torque_limit: float = 1.0
    """largest torque of a joint [N m]"""

    def __post_init__(self) -> None:
        nonnegative("stiffness", self.stiffness)
        nonnegative("damping", self.damping)
        positive("torque_limit", self.torque_limit)

    def record(self, joints: int) -> Drive:
        """The same gains for every joint."""
        return Drive(*(np.full(joints, value) for value in (self.stiffness, self.damping, self.torque_limit)))


@dataclass(frozen=True)
class SeriesElastic:
    """A motor that tracks the commanded angles, and a spring between it and the joint."""

    stiffness: float = 10.0
    """P gain on the motor's angle [N m/rad]"""
    damping: float = 0.5
    """D gain on the motor's rate [N m s/rad]"""
    torque_limit: float = 4.0
    """largest torque of a motor [N m]"""
    spring: float = 30.0
    """stiffness of the spring [N m/rad]"""
    spring_damping: float = 0.05
    """viscous friction beside the spring [N m s/rad]"""
    rotor_inertia: float = 0.01
    """inertia of the rotor as the joint sees it, behind the gear [kg m^2]"""

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping", "spring_damping"):
            nonnegative(name, getattr(self, name))
        for name in ("torque_limit", "spring", "rotor_inertia"):
            positive(name, getattr(self, name))

    def record(self, joints: int) -> ElasticDrive:
        """The same motor and spring for every joint."""
        values = (
            self.stiffness, self.damping, self.torque_limit, self.spring, self.spring_damping, self.rotor_inertia
        )  # fmt: skip
        return ElasticDrive(*(np.full(joints, value) for value in values))

    def energy(self, joint: NDArray, motor: NDArray, motor_rate: NDArray) -> NDArray:
        """In springs and rotors [J], (samples,), from joint angles, motor angles and motor rates (samples, joints)."""
        return 0.5 * (self.spring * (motor - joint) ** 2 + self.rotor_inertia * motor_rate**2).sum(axis=1)


AnyDrive = Prescribed | PD | SeriesElastic
