"""World interface: gravity, geometry and the forces of the environment on a robot."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from numpy.typing import NDArray

from serpenoid.configuration import Part
from serpenoid.errors import Unsupported
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.kernels.planar.media import Medium
from serpenoid.kernels.records import Chain, Motion
from serpenoid.robots.base import Robot, TreeRobot
from serpenoid.robots.shapes import Solid
from serpenoid.variables import Described, variables_in
from serpenoid.worlds.geometry import Point3, Shape


class World(Part, ABC):
    """Environment of a robot. Subclasses are frozen dataclasses.

    Engines request the record for their kernels; a world without such a record raises Unsupported.
    """

    plugs_in: ClassVar[tuple[str, ...]] = ("worlds",)  # fields that name a world also accept user-defined classes
    variable_groups: ClassVar[tuple[str, ...]] = ()  # groups of variables.py that this world adds
    obstacle: ClassVar[str] = "obstacle"  # legend text for shapes without their own
    solid: ClassVar[bool] = False  # whether robots collide with the shapes; otherwise links are lines that pass through

    @property
    def gravity_vector(self) -> Point3:
        """Acceleration of gravity, world axes [m/s^2]."""
        return (0.0, 0.0, -STANDARD_GRAVITY)

    def friction_lost(self, along: NDArray, across: NDArray) -> float:
        """Return the fraction of dry-friction power lost by smoothing, for slips along and across links [m/s]."""
        return 0.0

    def unread(self) -> tuple[str, ...]:
        """Return the fields that have no effect at the present values of the others."""
        return ()

    @abstractmethod
    def geometry(self) -> tuple[Shape, ...]:
        """Return the shapes in the world, in world axes."""

    def fittings(self, robot: Robot) -> list[Solid]:
        """Return parts mounted on the robot's links by this world, such as wheels, in link frames."""
        return []

    def medium_record(self, chain: Chain) -> Medium:
        """Return the medium of a planar chain."""
        raise Unsupported(f"{type(self).__name__} has no medium for a robot in the plane: use Plane or FreeSpace")

    def substeps(self, chain: Chain, step: float) -> int:
        """Return the number of Runge-Kutta steps per integration step [s] at which the chain's medium is stable."""
        return 1

    def suited(self, robot: Robot, motion: Motion) -> World:
        """Return this world with the fields set that depend on the motion of a gait."""
        return self

    def environment(self, robot: Robot) -> Any:
        """Return the record of the forces on the bodies of a tree."""
        raise Unsupported(f"{type(self).__name__} is not a world for a robot in space: use FreeSpace or WaterSurface")

    def resting_pose(self, robot: Robot, shape: NDArray) -> tuple[float, ...]:
        """Return the initial pose of a tree with these joint angles at the origin: x y z [m] and quaternion w x y z."""
        return (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)

    def variables(self, robot: TreeRobot, times: NDArray, links: NDArray) -> dict[str, NDArray]:
        """Return the trajectory variables that this world adds for a tree, from link poses (samples, bodies, 7)."""
        return {}

    @classmethod
    def describes(cls) -> dict[str, Described]:
        """Return the variables that this world adds to a trajectory."""
        return variables_in(*cls.variable_groups)
