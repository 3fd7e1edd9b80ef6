"""Worlds that a robot touches: what collides in them, how rough it is, and how firmly contacts hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between, check_fields
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.robots.base import Robot
from serpenoid.variables import CONTACTS
from serpenoid.worlds.base import World
from serpenoid.worlds.geometry import Ground, Point3, Shape
from serpenoid.worlds.initial_pose import lying_pose

Friction = tuple[float, float]  # coefficients along and across the body


class Solid(NamedTuple):
    """Something of a world that a robot collides with."""

    shape: Shape
    friction: Friction  # coefficients along and across the body [-]; equal if isotropic


@dataclass(frozen=True)
class ContactSettings:
    """Contact solver settings; the defaults hold a resting snake without creep."""

    cone: Literal["elliptic", "pyramidal"] = "elliptic"
    """shape of the friction cone; a pyramid is faster and weaker between its edges"""
    impedance_ratio: Annotated[float, above(0.0, usual=(1.0, 20.0))] = 10.0
    """stiffness of friction over that of the normal direction [-]; more creeps less"""
    noslip_iterations: Annotated[int, between(0, 100, usual=(0, 10))] = 3
    """passes after the solver that take away what slips inside the cone [-]; 0: contacts creep"""
    time_constant: Annotated[float, above(0.0, usual=(0.004, 0.05))] = 0.01
    """in which a contact's penetration fades [s]; at least two integration steps"""
    damping_ratio: Annotated[float, above(0.0, usual=(0.3, 2.0))] = 1.0
    """of a contact's spring and damper [-]; 1: no bouncing"""
    integrator: Literal["implicitfast", "rk4"] = "implicitfast"
    """rk4 is more accurate where nothing touches, and four times slower"""

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True)
class ContactWorld(World):
    """Base of worlds with solids: ground friction, gravity and contact settings."""

    variable_groups: ClassVar[tuple[str, ...]] = (CONTACTS,)

    solid: ClassVar[bool] = True

    friction: Annotated[float, at_least(0.0, usual=(0.05, 1.2))] = 0.5
    """coefficient of friction of the ground, across the body [-]"""
    friction_along: Annotated[float | None, at_least(0.0, usual=(0.05, 1.2))] = None
    """the same along the body [-]; none: as across"""
    gravity: Annotated[float, at_least(0.0, usual=(0.0, 10.0))] = STANDARD_GRAVITY
    """acceleration of gravity, along -z [m/s^2]"""
    contact: ContactSettings = ContactSettings()
    """how contacts are solved"""

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def gravity_vector(self) -> Point3:
        return (0.0, 0.0, -self.gravity)

    @property
    def ground_friction(self) -> Friction:
        """Coefficients of the ground, along and across the body [-]."""
        return (self.friction if self.friction_along is None else self.friction_along, self.friction)

    def solids(self) -> tuple[Solid, ...]:
        """Return the solids that a robot collides with; by default the whole geometry, with the friction of the
        ground.
        """
        return tuple(Solid(shape, self.ground_friction) for shape in self.geometry())

    def ground_height(self, places: NDArray) -> NDArray:
        """Return z of the ground at points (count, 2) [m]; 0 by default."""
        return np.zeros(len(places))

    def resting_pose(self, robot: Robot, shape: NDArray) -> tuple[float, ...]:
        """Return the initial pose of a tree with these joint angles: flat over the origin, just touching the ground."""
        return lying_pose(robot, shape, self.ground_height)


@dataclass(frozen=True)
class Floor(ContactWorld):
    """An endless level floor with dry friction."""

    def geometry(self) -> tuple[Shape, ...]:
        """Return the floor, at z = 0."""
        return (Ground((0.0, 0.0, 0.0)),)
