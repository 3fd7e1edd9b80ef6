"""Model errors: a planner whose robot and medium differ from the simulated ones."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Annotated, Any

from serpenoid.configuration import between, check_fields
from serpenoid.errors import InvalidValue
from serpenoid.robots.planar import PlanarSnake
from serpenoid.support.kernel_inputs import chain_of
from serpenoid.worlds.base import World
from serpenoid.worlds.plane import Plane

Factor = Annotated[float, between(0.01, 100.0, usual=(0.5, 2.0))]

LONGITUDINAL = ("friction_longitudinal", "viscous_longitudinal", "drag_longitudinal")
TRANSVERSE = ("friction_transverse", "viscous_transverse", "drag_transverse")


@dataclass(frozen=True)
class Believed:
    """Factors by which the planner's model differs from the simulated robot and world; 1 is correct."""

    mass: Factor = 1.0
    """factor of the links' masses and inertias"""
    length: Factor = 1.0
    """factor of the links' lengths and centres of mass"""
    inertia: Factor = 1.0
    """factor of the links' inertias alone"""
    joint_damping: Factor = 1.0
    """factor of the viscous friction of the joints"""
    longitudinal: Factor = 1.0
    """factor of the friction or drag along the links"""
    transverse: Factor = 1.0
    """factor of the friction or drag across the links"""
    added_mass: Factor = 1.0
    """fluid: factor of the added mass"""

    def __post_init__(self) -> None:
        check_fields(self)

    def robot(self, robot: PlanarSnake) -> PlanarSnake:
        """Return the robot of the planner's model."""
        if self.mass == self.length == self.inertia == self.joint_damping == 1.0:
            return robot
        chain = chain_of(robot)
        return replace(
            robot, link_mass=each(self.mass * chain.mass), link_length=each(self.length * chain.length),
            link_center=each(self.length * chain.center), link_inertia=each(self.mass * self.inertia * chain.inertia),
            joint_damping=each(self.joint_damping * chain.joint_damping),
        )  # fmt: skip

    def world(self, world: World) -> World:
        """Return the world of the planner's model."""
        factors = dict.fromkeys(LONGITUDINAL, self.longitudinal) | dict.fromkeys(TRANSVERSE, self.transverse)
        factors["added_mass"] = self.added_mass
        if set(factors.values()) == {1.0}:
            return world
        if not isinstance(world, Plane):
            wrong = next(field.name for field in fields(self)[4:] if getattr(self, field.name) != 1.0)
            raise InvalidValue(f"believed.{wrong}", getattr(self, wrong), "1 on a peg board")
        return replace(world, **{name: factor * getattr(world, name) for name, factor in factors.items()})


def each(values: Any) -> tuple[float, ...]:
    """Return the values of an array as a field of a robot."""
    return tuple(values.tolist())
