"""Pole to climb, of constant radius or with a waist, a step or a bulge."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, pi
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between
from serpenoid.errors import require
from serpenoid.robots.base import Robot
from serpenoid.worlds.contact import ContactWorld, Solid
from serpenoid.worlds.geometry import Ground, Shape
from serpenoid.worlds.initial_pose import coil_of, lying_pose, moved_pose, rolled_pose, wound_pose
from serpenoid.worlds.solids import Cylinder, Frustum

LENGTHS = {"cone": 0.6, "step": 0.02, "bulge": 0.15}  # default length over which the radius changes [m]


@dataclass(frozen=True)
class Pole(ContactWorld):
    """Upright round pole on a level floor, its axis through the origin."""

    obstacle = "pole"
    profile: Literal["constant", "cone", "step", "bulge"] = "constant"
    """constant radius, or a change to other_radius: linear and back (cone), lasting (step), smooth and back (bulge)"""
    radius: Annotated[float, above(0.0, usual=(0.05, 0.12))] = 0.08
    """radius at the foot [m]"""
    other_radius: Annotated[float, above(0.0, usual=(0.05, 0.12))] = 0.07
    """radius that the pole changes to [m]"""
    height: Annotated[float, above(0.0, usual=(1.0, 4.0))] = 2.0
    """[m]"""
    change_height: Annotated[float, at_least(0.0, usual=(0.3, 1.0))] = 0.6
    """height at which the radius begins to change [m]"""
    change_length: Annotated[float | None, above(0.0, usual=(0.02, 1.0))] = None
    """length over which the radius changes, including the return [m]; none: cone 0.6, step 0.02, bulge 0.15"""
    slice: Annotated[float, between(0.001, 0.1, usual=(0.005, 0.01))] = 0.01
    """largest height of the frusta that approximate a varying radius [m]"""
    pole_friction: Annotated[float, at_least(0.0, usual=(0.2, 1.0))] = 0.5
    """coefficient of friction of the pole [-]: 0.5 with the snake's sleeve, 0.8 on rubber"""
    start_height: Annotated[float, at_least(0.0, usual=(0.0, 0.5))] = 0.1
    """height of the lowest point of a snake that starts wound around the pole [m]"""
    distance: Annotated[float, above(0.0, usual=(0.2, 1.0))] = 0.5
    """distance of the axis from the middle of a snake that starts on the floor beside it [m]"""

    def __post_init__(self) -> None:
        super().__post_init__()
        end = self.change_height + self.changing
        fits = self.profile == "constant" or end < self.height
        require(fits, "change_length", self.changing, f"short enough to end below the top at {self.height:g} m")
        require(self.start_height < self.height, "start_height", self.start_height, f"below the top, {self.height:g} m")

    @property
    def changing(self) -> float:
        """Length over which the radius changes [m]; 0 if constant."""
        if self.profile == "constant":
            return 0.0
        return LENGTHS[self.profile] if self.change_length is None else self.change_length

    def radius_at(self, height: NDArray) -> NDArray:
        """Return the radius at heights above the floor [m]."""
        if self.profile == "constant":
            return np.full(np.shape(height), self.radius)
        share = np.clip((np.asarray(height) - self.change_height) / self.changing, 0.0, 1.0)
        weights = {"cone": 1.0 - np.abs(2.0 * share - 1.0), "step": share, "bulge": np.sin(pi * share) ** 2}
        return self.radius + (self.other_radius - self.radius) * weights[self.profile]

    def stretches(self) -> tuple[Shape, ...]:
        """Return the pole from the floor to its top: cylinders, and frusta where the radius changes."""
        if self.profile == "constant":
            return (Cylinder((0.0, 0.0, 0.0), (0.0, 0.0, self.height), self.radius),)
        begin, end = self.change_height, self.change_height + self.changing
        count = 2 * ceil(self.changing / (2.0 * self.slice))  # even, so that a cone's waist lies between two
        heights = np.linspace(begin, end, count + 1)
        radii = self.radius_at(heights).tolist()
        frusta = [
            Frustum((0.0, 0.0, low), (0.0, 0.0, high), first, last)
            for low, high, first, last in zip(heights.tolist(), heights[1:].tolist(), radii, radii[1:])
        ]
        foot = [Cylinder((0.0, 0.0, 0.0), (0.0, 0.0, begin), self.radius)] if begin > 0.0 else []
        return (*foot, *frusta, Cylinder((0.0, 0.0, end), (0.0, 0.0, self.height), radii[-1]))

    def geometry(self) -> tuple[Shape, ...]:
        """Return the floor and the pole."""
        return (Ground((0.0, 0.0, 0.0)), *self.stretches())

    def solids(self) -> tuple[Solid, ...]:
        """Return the floor, and the pole with its own friction."""
        floor, *pole = self.geometry()
        grip = (self.pole_friction, self.pole_friction)
        return (Solid(floor, self.ground_friction), *(Solid(part, grip) for part in pole))

    def resting_pose(self, robot: Robot, shape: NDArray) -> tuple[float, ...]:
        """Return the initial pose: wound around the pole, head up, for a helix, else on the floor beside it."""
        coil = coil_of(robot, shape)
        if coil is None:
            return moved_pose(lying_pose(robot, shape, self.ground_height), (0.0, -self.distance, 0.0))
        return wound_pose(robot, shape, coil, np.zeros(3), np.array([0.0, 0.0, 1.0]), self.start_height)

    def rolled_pose(self, robot: Robot, shape: NDArray, like: NDArray) -> tuple[float, ...]:
        """Return the pose of a body with modules rolled from joint angles `like` and the same centre line."""
        return rolled_pose(robot, shape, like, self.resting_pose(robot, like), self.ground_height)
