"""What a robot is: a frozen dataclass that validates itself and yields the records that kernels take."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from numpy.typing import NDArray

from serpenoid.configuration import Part
from serpenoid.kernels.records import Chain, Tree
from serpenoid.robots.drives import AnyDrive
from serpenoid.robots.sensors import Sensors


class Robot(Part, ABC):
    """Anything that has joints. Subclasses are frozen dataclasses; lengths in m, masses in kg."""

    plugs_in: ClassVar[tuple[str, ...]] = ("robots",)  # a user's own may stand wherever a field names a robot

    name: str = ""  # what titles call it
    sensors: Sensors = Sensors()  # what a controller reads; ideal unless given

    @property
    def called(self) -> str:
        """Its name, or that of its class."""
        return self.name or type(self).__name__

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

    @property
    def joint_range(self) -> NDArray | None:
        """Least and greatest angle of each joint (joints, 2) [rad], infinite where it has none; None: no joint has."""
        return None

    @property
    def dry_friction(self) -> NDArray | None:
        """Torque that each joint's own dry friction takes (joints,) [N m]; None: no joint has any."""
        return None


class PlanarRobot(Robot):
    """A robot that moves in the plane: a chain of links."""

    drive: AnyDrive

    @property
    def armature(self) -> NDArray | None:
        """Inertia of what turns with each joint alone (joints,) [kg m^2]; None: nothing does."""
        return None

    @abstractmethod
    def chain(self) -> Chain:
        """The record of its links."""


class TreeRobot(Robot):
    """A robot in space: a tree of bodies and hinges."""

    drive: AnyDrive

    @abstractmethod
    def tree(self) -> Tree:
        """The record of its bodies."""
