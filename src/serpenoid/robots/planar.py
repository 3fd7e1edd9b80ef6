"""Snakes that move in the plane."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import pi
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between, check_fields, unit_of, usual
from serpenoid.errors import require
from serpenoid.kernels.records import Chain, Tree
from serpenoid.robots.base import PlanarRobot
from serpenoid.robots.drives import PD, Drive, Each
from serpenoid.robots.sensors import Sensors

OF_LINKS = ("link_length", "link_mass", "link_inertia", "link_center")


@dataclass(frozen=True)
class PlanarSnake(PlanarRobot):
    """A chain of links joined by hinges in the plane; link 0 is the head, x runs from head to tail.

    A field has one number for all links or joints, or one for each.
    """

    links: Annotated[int, between(2, 500, usual=(3, 20))] = 5
    """number of links"""
    link_length: Annotated[Each, above(0.0, usual=(0.02, 0.5))] = 0.2
    """link length, one or per link [m]"""
    link_mass: Annotated[Each, above(0.0, usual=(0.01, 2.0))] = 0.2
    """link mass, one or per link [kg]"""
    link_inertia: Annotated[Each | None, above(0.0, usual=(1e-5, 0.05))] = None
    """link inertia about the centre of mass, one or per link [kg m^2]; none: thin rod, m l^2 / 12"""
    link_center: Annotated[Each | None, at_least(0.0, usual=(0.01, 0.25))] = None
    """distance from a link's front end to its centre of mass, one or per link [m]; none: half the length"""
    radius: Annotated[float, above(0.0, usual=(0.005, 0.1))] = 0.02
    """radius of the round body for contacts [m]"""
    joint_damping: Annotated[Each, at_least(0.0, usual=(0.0, 0.1))] = 0.001
    """viscous joint friction, one or per joint [N m s/rad]"""
    joint_friction: Annotated[Each, at_least(0.0, usual=(0.0, 0.1))] = 0.0
    """dry joint friction, one or per joint [N m]"""
    joint_armature: Annotated[Each, at_least(0.0, usual=(0.0, 0.01))] = 0.0
    """armature: reflected rotor inertia, one or per joint [kg m^2]"""
    joint_lower: Annotated[Each | None, usual(-pi, 0.0)] = None
    """smallest joint angle, one or per joint [rad]; none: no stop"""
    joint_upper: Annotated[Each | None, usual(0.0, pi)] = None
    """largest joint angle, one or per joint [rad]; none: no stop"""
    stop_time: Annotated[float | None, above(0.0, usual=(0.005, 0.1))] = None
    """time constant of soft end stops as in MuJoCo [s]; none: as stiff as is stable"""
    rail_point: Annotated[float | None, usual(0.0, 2.0)] = None
    """distance from the head's front end to the point on rails (two sliders and a hinge in MJCF) [m]; none: no rails"""
    rail_armature: Annotated[float, at_least(0.0, usual=(0.0, 0.1))] = 0.0
    """armature of the rails: added mass of the sliders [kg] and added inertia of the hinge [kg m^2]"""
    drive: Drive = field(default_factory=PD)
    """drive of the joints"""
    sensors: Sensors = Sensors()
    """sensors that a controller reads; ideal by default"""
    name: str = ""
    """name in titles; a robot file sets it"""

    def __post_init__(self) -> None:
        check_fields(self)
        for name, given in vars(self).items():
            if type(given) is tuple:
                count = self.links if name in OF_LINKS else self.joints
                require(
                    len(given) == count,
                    name,
                    given,
                    f"one number or {count}, one for each [{unit_of(type(self), name)}]",
                )
        if self.joint_lower is not None and self.joint_upper is not None:
            ordered = bool(np.all(self.each("joint_lower") < self.each("joint_upper")))
            require(ordered, "joint_lower", self.joint_lower, f"below joint_upper = {self.joint_upper}")

    @property
    def joints(self) -> int:
        return self.links - 1

    @property
    def joint_names(self) -> tuple[str, ...]:
        return tuple(f"joint_{j}" for j in range(self.joints))

    @property
    def link_names(self) -> tuple[str, ...]:
        return ("head", *(f"link_{k}" for k in range(1, self.links)))

    @property
    def length(self) -> float:  # type: ignore[override]
        """Length of the straight snake [m]."""
        return float(self.each("link_length").sum())

    @property
    def mass(self) -> float:
        """Total mass [kg]."""
        return float(self.each("link_mass").sum())

    @property
    def yaw_joints(self) -> tuple[int, ...]:
        """Joints that bend the body sideways: all of them."""
        return tuple(range(self.joints))

    @property
    def arc_positions(self) -> NDArray:
        """Distance of each joint from the snout along the straight body (joints,) [m]."""
        return np.cumsum(self.each("link_length"))[:-1]

    @property
    def joint_range(self) -> NDArray | None:
        if self.joint_lower is None and self.joint_upper is None:
            return None
        lower = np.full(self.joints, -np.inf) if self.joint_lower is None else self.each("joint_lower")
        upper = np.full(self.joints, np.inf) if self.joint_upper is None else self.each("joint_upper")
        return np.stack([lower, upper], axis=1)

    @property
    def dry_friction(self) -> NDArray | None:
        friction = self.each("joint_friction")
        return friction if friction.any() else None

    @property
    def armature(self) -> NDArray | None:
        armature = self.each("joint_armature")
        return armature if armature.any() else None

    def each(self, name: str) -> NDArray:
        """Return a field with a number for each link or joint."""
        count = self.links if name in OF_LINKS else self.joints
        return np.array(np.broadcast_to(np.array(getattr(self, name), dtype=float), count))

    def chain(self) -> Chain:
        length, mass = self.each("link_length"), self.each("link_mass")
        center = 0.5 * length if self.link_center is None else self.each("link_center")
        inertia = mass * length**2 / 12.0 if self.link_inertia is None else self.each("link_inertia")
        if self.rail_point is not None:
            add_rails(self.rail_armature, self.rail_point, mass, center, inertia)
        return Chain(length, center, mass, inertia, self.each("joint_damping"))


def add_rails(armature: float, point: float, mass: NDArray, center: NDArray, inertia: NDArray) -> None:
    """Add what slides and turns with the head to link 0 of mass, center and inertia (n,), in place."""
    total = mass[0] + armature
    middle = (mass[0] * center[0] + armature * point) / total
    inertia[0] += mass[0] * (center[0] - middle) ** 2 + armature * (point - middle) ** 2 + armature
    mass[0], center[0] = total, middle


def chain_tree(chain: Chain, armature: NDArray | None = None) -> Tree:
    """Return a planar chain as bodies in space, frames at the front joints and the planar inertia on all axes."""
    count = chain.mass.size
    offset, center, axis = np.zeros((count, 3)), np.zeros((count, 3)), np.tile((0.0, 0.0, 1.0), (count, 1))
    offset[1:, 0], center[:, 0] = chain.length[:-1], chain.center
    inertia = chain.inertia[:, None, None] * np.eye(3)
    rotation = np.tile(np.eye(3), (count, 1, 1))
    hinges = np.column_stack([chain.joint_damping, np.zeros(count - 1) if armature is None else armature])
    return Tree(np.arange(-1, count - 1), rotation, offset, axis, chain.mass, center, inertia, False, hinges)
