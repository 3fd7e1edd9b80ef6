"""Snakes that move in the plane."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import nonnegative, positive, require, whole_number
from serpenoid.kernels.records import Chain
from serpenoid.robots.base import PlanarRobot
from serpenoid.robots.drives import PD, AnyDrive


@dataclass(frozen=True)
class PlanarSnake(PlanarRobot):
    """A chain of equal links joined by hinges in the plane; link 0 is the head, x runs from head to tail."""

    links: int = 5
    """number of links"""
    link_length: float = 0.2
    """length of a link [m]"""
    link_mass: float = 0.2
    """mass of a link, centred in it [kg]"""
    link_inertia: float | None = None
    """inertia of a link about its centre [kg m^2]; none: a thin rod's, m l^2 / 12"""
    joint_damping: float = 0.001
    """viscous friction of a joint [N m s/rad]"""
    drive: AnyDrive = field(default_factory=PD)
    """what moves the joints"""

    def __post_init__(self) -> None:
        whole_number("links", self.links, least=2, most=500)
        positive("link_length", self.link_length)
        positive("link_mass", self.link_mass)
        nonnegative("joint_damping", self.joint_damping)
        if self.link_inertia is not None:
            positive("link_inertia", self.link_inertia)
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
