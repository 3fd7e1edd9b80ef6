"""Worlds with contact: solids, friction coefficients and contact solver settings."""

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
    """Shape of a world that robots collide with, and its friction."""

    shape: Shape
    friction: Friction  # coefficients along and across the body [-]; equal if isotropic


@dataclass(frozen=True)
class ContactSettings:
    """Contact solver settings; the defaults hold a resting snake without creep."""

    cone: Literal["elliptic", "pyramidal"] = "elliptic"
    """shape of the friction cone; a pyramid is faster and weaker between its edges"""
    impedance_ratio: Annotated[float, above(0.0, usual=(1.0, 20.0))] = 10.0
    """ratio of friction to normal stiffness [-]; larger values creep less"""
    noslip_iterations: Annotated[int, between(0, 100, usual=(0, 10))] = 3
    """no-slip iterations after the solver, which remove slip inside the cone [-]; 0: contacts creep"""
    time_constant: Annotated[float, above(0.0, usual=(0.004, 0.05))] = 0.01
    """time constant of a contact's penetration [s]; at least two integration steps"""
    damping_ratio: Annotated[float, above(0.0, usual=(0.3, 2.0))] = 1.0
    """damping ratio of a contact [-]; 1: no bouncing"""
    integrator: Literal["implicitfast", "rk4"] = "implicitfast"
    """integrator; rk4 is more accurate without contact and four times slower"""

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
    """coefficient of friction of the ground, along the body [-]; none: as across"""
    gravity: Annotated[float, at_least(0.0, usual=(0.0, 10.0))] = STANDARD_GRAVITY
    """acceleration of gravity, along -z [m/s^2]"""
    contact: ContactSettings = ContactSettings()
    """contact solver settings"""

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
    """Infinite level floor with dry friction."""

    def geometry(self) -> tuple[Shape, ...]:
        """Return the floor, at z = 0."""
        return (Ground((0.0, 0.0, 0.0)),)
