"""Uneven grounds: slope, stairs, and rough terrain from a seed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, cos, pi, sin
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between, usual
from serpenoid.errors import require
from serpenoid.robots.base import Robot
from serpenoid.worlds.contact import ContactWorld
from serpenoid.worlds.geometry import Ground, Point3, Shape
from serpenoid.worlds.initial_pose import lying_pose, turned_pose
from serpenoid.worlds.solids import Box, HeightField

MOST_HEIGHTS = 200_000  # heights of a terrain; more would take minutes to build and draw


@dataclass(frozen=True)
class Slope(ContactWorld):
    """Infinite inclined plane with dry friction."""

    angle: Annotated[float, between(0.0, 1.4, usual=(0.0, 0.5))] = 0.1
    """inclination [rad]"""
    heading: Annotated[float, usual(-pi, pi)] = pi
    """direction in which it rises, from x towards y [rad]; pi: before a snake that lies straight"""

    @property
    def normal(self) -> Point3:
        """Unit vector out of the ground."""
        flat = -sin(self.angle)
        return (flat * cos(self.heading), flat * sin(self.heading), cos(self.angle))

    def geometry(self) -> tuple[Shape, ...]:
        """Return the slope, through the origin."""
        return (Ground((0.0, 0.0, 0.0), self.normal),)

    def ground_height(self, places: NDArray) -> NDArray:
        """Return z of the slope at points (count, 2) [m]."""
        return -places @ np.array(self.normal[:2]) / self.normal[2]

    def resting_pose(self, robot: Robot, shape: NDArray) -> tuple[float, ...]:
        """Return the pose on a level floor, tilted with the slope."""
        axis = self.angle * np.array([sin(self.heading), -cos(self.heading), 0.0])
        return turned_pose(lying_pose(robot, shape, super().ground_height), axis)


@dataclass(frozen=True)
class Steps(ContactWorld):
    """Stairs on a level floor, with a landing at their top."""

    obstacle = "step"
    rise: Annotated[float, above(0.0, usual=(0.01, 0.15))] = 0.03
    """height of a step [m]"""
    going: Annotated[float, above(0.0, usual=(0.1, 0.6))] = 0.3
    """depth of a step [m]"""
    count: Annotated[int, between(1, 100, usual=(1, 10))] = 3
    """number of steps"""
    width: Annotated[float, above(0.0, usual=(1.0, 6.0))] = 4.0
    """width of the stairs [m]"""
    landing: Annotated[float, above(0.0, usual=(0.5, 5.0))] = 3.0
    """depth of the last step [m]"""
    distance: Annotated[float, usual(0.2, 2.0)] = 1.0
    """distance of the first step from the origin [m]"""
    heading: Annotated[float, usual(-pi, pi)] = pi
    """direction in which they rise, from x towards y [rad]; pi: before a snake that lies straight"""

    def geometry(self) -> tuple[Shape, ...]:
        """Return the floor, and a box for each step."""
        ahead = np.array([cos(self.heading), sin(self.heading)])
        turn = (cos(0.5 * self.heading), 0.0, 0.0, sin(0.5 * self.heading))
        boxes = []
        for k in range(self.count):
            depth = self.going if k < self.count - 1 else self.landing
            middle, height = ahead * (self.distance + k * self.going + 0.5 * depth), (k + 1) * self.rise
            center = (float(middle[0]), float(middle[1]), 0.5 * height)
            boxes.append(Box(center, (depth, self.width, height), turn))
        return (Ground((0.0, 0.0, 0.0)), *boxes)

    def ground_height(self, places: NDArray) -> NDArray:
        """Return z of floor or steps at points (count, 2) [m]."""
        ahead = np.array([cos(self.heading), sin(self.heading)])
        way, aside = places @ ahead - self.distance, np.abs(places @ np.array([-ahead[1], ahead[0]]))
        passed = np.clip(np.floor(way / self.going) + 1, 0, self.count)
        end = (self.count - 1) * self.going + self.landing
        return self.rise * np.where((way <= end) & (aside <= 0.5 * self.width), passed, 0.0)


@dataclass(frozen=True)
class Terrain(ContactWorld):
    """Square of random rough terrain, generated from a seed; the level ground around it is lower."""

    roughness: Annotated[float, at_least(0.0, usual=(0.0, 0.03))] = 0.01
    """root mean square of the heights [m]"""
    grain: Annotated[float, above(0.0, usual=(0.05, 0.5))] = 0.1
    """correlation length of the heights: standard deviation of the Gaussian that smooths them [m]"""
    size: Annotated[float, above(0.0, usual=(2.0, 10.0))] = 6.0
    """edge of the square, whose middle is the origin [m]"""
    spacing: Annotated[float, above(0.0, usual=(0.02, 0.1))] = 0.05
    """distance between neighbouring heights [m]"""
    seed: Annotated[int, between(0, 2**31 - 1, usual=(0, 100))] = 0
    """seed of the heights"""

    def __post_init__(self) -> None:
        super().__post_init__()
        least = self.size / MOST_HEIGHTS**0.5
        require(self.spacing >= least, "spacing", self.spacing, f"at least {least:.3g} m for a size of {self.size:g} m")
        require(self.spacing <= self.size / 2.0, "spacing", self.spacing, f"at most half the size, {self.size / 2:g} m")

    def geometry(self) -> tuple[Shape, ...]:
        """Return the rough square, and level ground at the height of its lowest point."""
        rough = terrain_field(self)
        return (Ground((0.0, 0.0, min(map(min, rough.heights)))), rough)

    def ground_height(self, places: NDArray) -> NDArray:
        """Return the highest corner of the grid cell at each point (count, 2) [m]."""
        heights = np.array(terrain_field(self).heights)
        last = len(heights) - 2
        column, row = np.clip(np.floor((places + 0.5 * self.size) / self.spacing).astype(int), 0, last).T
        corners = [heights[row + i, column + j] for i in (0, 1) for j in (0, 1)]
        return np.max(corners, axis=0)


@lru_cache(maxsize=8)
def terrain_field(terrain: Terrain) -> HeightField:
    """Return white noise smoothed by a Gaussian, with the given root mean square and zero mean."""
    from scipy.ndimage import gaussian_filter

    count = ceil(terrain.size / terrain.spacing) + 1
    noise = np.random.default_rng(terrain.seed).standard_normal((count, count))
    smooth = gaussian_filter(noise, terrain.grain / terrain.spacing, mode="wrap")
    smooth -= smooth.mean()
    heights = terrain.roughness * smooth / max(float(np.sqrt(np.mean(smooth**2))), 1e-300)
    half = 0.5 * terrain.size
    return HeightField((-half, -half), terrain.spacing, tuple(map(tuple, heights.tolist())))
