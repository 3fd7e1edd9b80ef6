"""Base classes of robots: frozen dataclasses that validate themselves and return the records that kernels take."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import Part
from serpenoid.errors import Unsupported
from serpenoid.kernels.records import Chain, Tree
from serpenoid.robots.drives import Drive, Prescribed
from serpenoid.robots.sensors import Sensors
from serpenoid.robots.telemetry import Telemetry


class PlanarPieces(NamedTuple):
    """Planar outline of a robot that lies flat: rigid pieces between the joints that bend it sideways."""

    chain: Chain  # of the pieces, head first
    radius: float  # of every piece [m]
    joints: NDArray  # (pieces - 1,) int64, the joint behind each piece


class Robot(Part, ABC):
    """Base of all robots. Subclasses are frozen dataclasses; lengths in m, masses in kg.

    Attributes and properties with a default are optional: a robot defines those that it has.
    """

    plugs_in: ClassVar[tuple[str, ...]] = ("robots",)  # fields that name a robot also accept user-defined classes

    name: str = ""  # name in titles
    drive: Drive = Prescribed()  # actuation of the joints
    sensors: Sensors = Sensors()  # sensors that a controller reads; ideal by default
    length: float = np.nan  # of the straight body [m]; NaN without a centre line
    radius: float | None = None  # of a round body [m]; None if it is not round
    speed_limit: float | NDArray = np.inf  # largest joint rate by drives, one or (joints,) [rad/s]
    telemetry: Telemetry | None = None  # temperature, voltage and current of its modules; None if not simulated
    self_collision: bool = False  # whether links that are not neighbours collide with each other

    @property
    def called(self) -> str:
        """Name of the robot, or of its class."""
        return self.name or type(self).__name__

    @property
    @abstractmethod
    def joints(self) -> int:
        """Number of driven joints."""

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
        """Smallest and largest angle of each joint (joints, 2) [rad], infinite if unlimited; None if all are
        unlimited.
        """
        return None

    @property
    def dry_friction(self) -> NDArray | None:
        """Dry friction torque of each joint (joints,) [N m]; None without friction."""
        return None

    @property
    def springs(self) -> Mapping[int, tuple[float, float]]:
        """Stiffness [N m/rad] and damping [N m s/rad] of each passive joint, which has no motor."""
        return {}

    @property
    def armature(self) -> NDArray | None:
        """Reflected inertia of each joint (joints,) [kg m^2]; None if zero."""
        return None

    @property
    def yaw_joints(self) -> tuple[int, ...]:
        """Joints that bend the body sideways, possibly none."""
        return ()

    @property
    def pitch_joints(self) -> tuple[int, ...]:
        """Joints that bend the body up and down, possibly none."""
        return ()

    @property
    def arc_positions(self) -> NDArray | None:
        """Distance of each joint from the snout along the straight body (joints,) [m]; None without such a line."""
        return None

    def chain(self) -> Chain:
        """Return the record of the links of a robot in the plane."""
        raise Unsupported(f"{self.called} does not move in the plane: use a robot such as PlanarSnake")

    def tree(self) -> Tree:
        """Return the record of the bodies of a robot in space."""
        raise Unsupported(f"{self.called} does not move in space: use a robot such as SeaSnake")

    def planar_chain(self) -> PlanarPieces | None:
        """Return the rigid pieces of a robot in space that lies flat on the ground; None if it cannot."""
        return None


class PlanarRobot(Robot):
    """A robot that moves in the plane: a chain of links."""

    stop_time: float | None = None  # time constant of soft end stops [s]; without one, stops are as stiff as is stable
    rail_point: float | None = None  # behind the head's front end, carried by rails [m], if any

    @abstractmethod
    def chain(self) -> Chain:
        """Return the record of its links."""


class TreeRobot(Robot):
    """A robot in space: a tree of bodies and hinges."""

    @abstractmethod
    def tree(self) -> Tree:
        """Return the record of its bodies."""
