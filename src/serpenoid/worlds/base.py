"""What a world is: it says how heavy things are in it, what stands in it, and how it acts on a robot."""

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
    """What surrounds a robot. Subclasses are frozen dataclasses; the engine that carries robots through one asks it
    for the record that its kernels take, and a world that has none says so."""

    plugs_in: ClassVar[tuple[str, ...]] = ("worlds",)  # a user's own may stand wherever a field names a world
    variable_groups: ClassVar[tuple[str, ...]] = ()  # of the catalogue (variables.py) that a trajectory here holds
    obstacle: ClassVar[str] = "obstacle"  # what a legend calls the shapes here that have no word of their own
    solid: ClassVar[bool] = False  # whether robots collide with what stands here; else links are lines that pass

    @property
    def gravity_vector(self) -> Point3:
        """Acceleration of gravity, world axes [m/s^2]."""
        return (0.0, 0.0, -STANDARD_GRAVITY)

    def friction_lost(self, along: NDArray, across: NDArray) -> float:
        """Share of the power of dry friction that its smoothing takes away, of slips along and across links [m/s]."""
        return 0.0

    def unread(self) -> tuple[str, ...]:
        """Fields that have no effect beside the others as they are."""
        return ()

    @abstractmethod
    def geometry(self) -> tuple[Shape, ...]:
        """What stands in the world, world axes."""

    def fittings(self, robot: Robot) -> list[Solid]:
        """What a robot has on its links here beside its own body, such as wheels, in the frames of the links."""
        return []

    def medium_record(self, chain: Chain) -> Medium:
        """What acts on a chain in the plane."""
        raise Unsupported(f"{type(self).__name__} has no medium for a robot in the plane: Plane and FreeSpace have one")

    def substeps(self, chain: Chain, step: float) -> int:
        """How many Runge-Kutta steps an integration step [s] takes, so that a chain's medium is carried."""
        return 1

    def suited(self, robot: Robot, motion: Motion) -> World:
        """This world with what is left to follow from how a gait moves the joints filled in."""
        return self

    def environment(self, robot: Robot) -> Any:
        """The record of what acts on the bodies of a tree."""
        raise Unsupported(f"{type(self).__name__} is no world for a robot in space: FreeSpace and WaterSurface are")

    def resting_pose(self, robot: Robot, shape: NDArray) -> tuple[float, ...]:
        """Where a tree with these joint angles starts: at the origin, x y z [m] and quaternion w x y z."""
        return (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)

    def variables(self, robot: TreeRobot, links: NDArray) -> dict[str, NDArray]:
        """What this world adds to the trajectory of a tree, from the links' poses (samples, bodies, 7)."""
        return {}

    @classmethod
    def describes(cls) -> dict[str, Described]:
        """Return the variables that a trajectory here holds besides those of every world."""
        return variables_in(*cls.variable_groups)
