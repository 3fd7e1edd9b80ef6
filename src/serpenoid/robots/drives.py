"""Joint drives: commands followed exactly, torques that track commands, and motors behind springs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import Part, above, at_least, check_fields, unit_of
from serpenoid.errors import require
from serpenoid.kernels.records import ElasticDrive, StiffDrive

if TYPE_CHECKING:
    from serpenoid.robots.cascade import Cascade

Each = float | tuple[float, ...]  # the same for all, or one for each
STIFFEST = 1e9  # [N m], per rad or rad/s: practically rigid joints
NO_LIMIT = 1e6  # [N m], [rad/s] representing an unlimited motor


class Drive(Part, ABC):
    """Actuation of the joints of a robot. Subclasses are frozen dataclasses.

    Engines take its record; they refuse a drive if they have no law for the exact class of that record.
    """

    prescribed: ClassVar[bool] = False  # joints follow their commands exactly, and torques result
    states: ClassVar[tuple[str, ...]] = ()  # state variables of the drive, each (joints,), such as motor angles

    @property
    def direct(self) -> bool:
        """True if the motors act on the joints directly: a motor's torque is that of its joint."""
        return not (self.prescribed or self.states)

    @abstractmethod
    def record(self, joints: int) -> Any:
        """Return the NamedTuple that compiled code takes; None if joints are prescribed."""

    def torque_limits(self, joints: int) -> NDArray:
        """Return the torque limit of each motor (joints,) [N m]; infinite if unlimited."""
        return np.full(joints, np.inf)

    def joint_stiffness(self, joints: int) -> NDArray:
        """Return the stiffness that holds each joint (joints,) [N m/rad]: a spring's, or the motor's own gain."""
        return np.full(joints, np.inf)

    def servo_gains(self, joints: int) -> tuple[NDArray, NDArray] | None:
        """Return P [N m/rad] and D gains [N m s/rad] of the motors, each (joints,); None if it has no such gains."""
        return None

    def energy(self, joint: NDArray, motor: NDArray, motor_rate: NDArray) -> NDArray:
        """Return the energy stored in the drives (samples,) [J].

        Arguments: joint angles, motor angles and motor rates, each (samples, joints) [rad, rad/s].
        """
        return np.zeros(len(joint))

    @property
    def cascade(self) -> Cascade | None:
        """PID loops of HEBI modules; None for other drives."""
        return None


def spring_energy(spring: float, rotor_inertia: float, twist: NDArray, motor_rate: NDArray) -> NDArray:
    """Return the energy of springs and rotors (samples,) [J] from twists and motor rates (samples, joints)."""
    return 0.5 * (spring * twist**2 + rotor_inertia * motor_rate**2).sum(axis=1)


@dataclass(frozen=True)
class Prescribed(Drive):
    """Prescribed motion: joints follow their commands exactly, and torques result."""

    prescribed: ClassVar[bool] = True

    def record(self, joints: int) -> None:
        return None


@dataclass(frozen=True)
class PD(Drive):
    """PD control of the joint angle with a torque limit."""

    stiffness: Annotated[Each, at_least(0.0, usual=(0.1, 50.0), most=STIFFEST)] = 3.0
    """P gain of a joint, or of each [N m/rad]"""
    damping: Annotated[Each, at_least(0.0, usual=(0.001, 1.0), most=STIFFEST)] = 0.05
    """D gain of a joint, or of each [N m s/rad]"""
    torque_limit: Annotated[Each, at_least(0.0, usual=(0.1, 20.0), most=STIFFEST)] = 1.0
    """largest torque of a joint, or of each [N m]; 0: the joint is passive"""

    def __post_init__(self) -> None:
        check_fields(self)

    def record(self, joints: int) -> StiffDrive:
        """Return gains and limits of every joint."""
        return StiffDrive(*(self.each(name, joints) for name in ("stiffness", "damping", "torque_limit")))

    def each(self, name: str, joints: int) -> NDArray:
        """Return a field with a number for each joint."""
        value = getattr(self, name)
        fits = not isinstance(value, tuple) or len(value) == joints
        require(
            fits,
            f"robot.drive.{name}",
            value,
            f"one number or {joints}, one for each joint [{unit_of(type(self), name)}]",
        )
        return np.array(np.broadcast_to(value, joints), dtype=float)

    def torque_limits(self, joints: int) -> NDArray:
        return self.each("torque_limit", joints)

    def joint_stiffness(self, joints: int) -> NDArray:
        return self.each("stiffness", joints)

    def servo_gains(self, joints: int) -> tuple[NDArray, NDArray]:
        return self.each("stiffness", joints), self.each("damping", joints)


@dataclass(frozen=True)
class SeriesElastic(Drive):
    """Series-elastic drive: a motor tracks the commanded angle, and a spring connects it to the joint."""

    states: ClassVar[tuple[str, ...]] = ("motors", "motor_rates")

    stiffness: Annotated[float, at_least(0.0, usual=(0.1, 50.0))] = 10.0
    """P gain on the motor's angle [N m/rad]"""
    damping: Annotated[float, at_least(0.0, usual=(0.001, 5.0))] = 0.5
    """D gain on the motor's rate [N m s/rad]"""
    torque_limit: Annotated[float, above(0.0, usual=(0.1, 20.0), most=STIFFEST)] = 4.0
    """largest torque of a motor [N m]"""
    spring: Annotated[float, above(0.0, usual=(1.0, 300.0))] = 30.0
    """stiffness of the spring [N m/rad]"""
    spring_damping: Annotated[float, at_least(0.0, usual=(0.0, 1.0))] = 0.05
    """viscous friction parallel to the spring [N m s/rad]"""
    rotor_inertia: Annotated[float, above(0.0, usual=(1e-4, 0.1))] = 0.01
    """inertia of the rotor, reflected through the gear [kg m^2]"""

    def __post_init__(self) -> None:
        check_fields(self)

    def record(self, joints: int) -> ElasticDrive:
        """Return the same motor and spring for every joint."""
        values = (
            self.stiffness, self.damping, self.torque_limit, self.spring, self.spring_damping, self.rotor_inertia
        )  # fmt: skip
        return ElasticDrive(*(np.full(joints, value) for value in values))

    def torque_limits(self, joints: int) -> NDArray:
        return np.full(joints, self.torque_limit)

    def joint_stiffness(self, joints: int) -> NDArray:
        return np.full(joints, self.spring)

    def servo_gains(self, joints: int) -> tuple[NDArray, NDArray]:
        return np.full(joints, self.stiffness), np.full(joints, self.damping)

    def energy(self, joint: NDArray, motor: NDArray, motor_rate: NDArray) -> NDArray:
        return spring_energy(self.spring, self.rotor_inertia, motor - joint, motor_rate)
