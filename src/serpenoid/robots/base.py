"""What a robot is: a frozen dataclass that validates itself and yields the records that kernels take."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from serpenoid.configuration import above, at_least, check_fields
from serpenoid.kernels.records import Chain, Drive, Tree


@dataclass(frozen=True)
class Prescribed:
    """The joints follow their commands exactly; torques are an outcome."""


@dataclass(frozen=True)
class PD:
    """A torque that tracks the commanded angles, with a cap."""

    stiffness: Annotated[float, at_least(0.0, usual=(0.1, 50.0))] = 3.0
    """P gain [N m/rad]"""
    damping: Annotated[float, at_least(0.0, usual=(0.001, 1.0))] = 0.05
    """D gain [N m s/rad]"""
    torque_limit: Annotated[float, above(0.0, usual=(0.1, 20.0))] = 1.0
    """largest torque of a joint [N m]"""

    def __post_init__(self) -> None:
        check_fields(self)

    def record(self, joints: int) -> Drive:
        """The same gains for every joint."""
        return Drive(*(np.full(joints, value) for value in (self.stiffness, self.damping, self.torque_limit)))


class Robot(ABC):
    """Anything that has joints. Subclasses are frozen dataclasses; lengths in m, masses in kg."""

    @property
    @abstractmethod
    def joints(self) -> int:
        """How many joints are driven."""

    @property
    @abstractmethod
    def joint_names(self) -> tuple[str, ...]:
        """A name per joint, in the order of the joint axis."""

    @property
    @abstractmethod
    def link_names(self) -> tuple[str, ...]:
        """A name per body, head first."""


class PlanarRobot(Robot):
    """A robot that moves in the plane: a chain of links."""

    drive: Prescribed | PD

    @abstractmethod
    def chain(self) -> Chain:
        """The record of its links."""


class TreeRobot(Robot):
    """A robot in space: a tree of bodies and hinges."""

    drive: Prescribed | PD

    @abstractmethod
    def tree(self) -> Tree:
        """The record of its bodies."""
