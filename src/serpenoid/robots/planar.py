"""Snakes that move in the plane."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between, check_fields
from serpenoid.errors import require
from serpenoid.kernels.records import Chain
from serpenoid.robots.base import PlanarRobot
from serpenoid.robots.drives import PD, AnyDrive
from serpenoid.robots.sensors import Sensors


@dataclass(frozen=True)
class PlanarSnake(PlanarRobot):
    """A chain of equal links joined by hinges in the plane; link 0 is the head, x runs from head to tail."""

    links: Annotated[int, between(2, 500, usual=(3, 20))] = 5
    """number of links"""
    link_length: Annotated[float, above(0.0, usual=(0.02, 0.5))] = 0.2
    """length of a link [m]"""
    link_mass: Annotated[float, above(0.0, usual=(0.01, 2.0))] = 0.2
    """mass of a link, centred in it [kg]"""
    link_inertia: Annotated[float | None, above(0.0, usual=(1e-5, 0.05))] = None
    """inertia of a link about its centre [kg m^2]; none: a thin rod's, m l^2 / 12"""
    radius: Annotated[float, above(0.0, usual=(0.005, 0.1))] = 0.02
    """of the round body, where it touches things [m]"""
    joint_damping: Annotated[float, at_least(0.0, usual=(0.0, 0.1))] = 0.001
    """viscous friction of a joint [N m s/rad]"""
    drive: AnyDrive = field(default_factory=PD)
    """what moves the joints"""
    sensors: Sensors = Sensors()
    """what a controller reads; ideal unless given"""

    def __post_init__(self) -> None:
        check_fields(self)
        require(isinstance(self.drive, AnyDrive), "drive", self.drive, "Prescribed, PD or SeriesElastic")

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
    def length(self) -> float:
        """Length of the straight snake [m]."""
        return self.links * self.link_length

    @property
    def yaw_joints(self) -> tuple[int, ...]:
        """Joints that bend the body sideways: all of them."""
        return tuple(range(self.joints))

    @property
    def arc_positions(self) -> NDArray:
        """Distance of each joint from the snout along the straight body (joints,) [m]."""
        return self.link_length * np.arange(1, self.links)

    def chain(self) -> Chain:
        inertia = self.link_inertia
        if inertia is None:
            inertia = self.link_mass * self.link_length**2 / 12.0
        values = (self.link_length, 0.5 * self.link_length, self.link_mass, inertia)
        length, center, mass, inertias = (np.full(self.links, float(value)) for value in values)
        return Chain(length, center, mass, inertias, np.full(self.joints, float(self.joint_damping)))
