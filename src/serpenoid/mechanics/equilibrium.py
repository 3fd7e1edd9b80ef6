"""Floating equilibria of a shape: all of them, stable or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import whole_number
from serpenoid.robots.base import Robot
from serpenoid.worlds.flotation import Afloat, Flotation
from serpenoid.worlds.water import WaterSurface


@dataclass(frozen=True)
class Equilibrium:
    """A pose in which a frozen shape floats at rest."""

    pose: Afloat
    energy: float  # potential energy above the lowest equilibrium [J]
    stiffness: NDArray  # (3,) of heave [N/m] and of tilt about two level axes [N m/rad], ascending tilt last two
    metacentric_height: float  # the smaller tilt stiffness over the weight [m]

    @property
    def stable(self) -> bool:
        """True if every small displacement is restored."""
        return bool(np.all(self.stiffness > 0.0))

    @property
    def roll(self) -> float:
        """Roll of link 0 [rad]."""
        return self.pose.roll

    @property
    def pitch(self) -> float:
        """Pitch of link 0 [rad]."""
        return self.pose.pitch


def equilibrium(robot: Robot, world: WaterSurface, shape: Any = None, starts: int = 120) -> list[Equilibrium]:
    """Return every floating equilibrium of a shape that Newton's method reaches from `starts` even directions, lowest
    first.

    On a sphere of poses minima - saddles + maxima = 2. If the result violates this, use more starts.
    """
    flotation = Flotation(robot, world, shape)
    found: list[Afloat] = []
    for up in even_directions(whole_number("starts", starts, 1, 100_000)):
        pose = flotation.settle(up)
        if pose is not None and not any(np.linalg.norm(pose.up - other.up) < 1e-4 for other in found):
            found.append(pose)
    resting = [describe(flotation, pose) for pose in found]
    lowest = min(e.energy for e in resting)
    resting = [Equilibrium(e.pose, e.energy - lowest, e.stiffness, e.metacentric_height) for e in resting]
    return sorted(resting, key=lambda e: e.energy)


def describe(flotation: Flotation, pose: Afloat) -> Equilibrium:
    """Return stiffness and immersion at an equilibrium, in level axes through the centre of mass."""
    stiffness = flotation.stiffness(pose)
    heave = np.concatenate((pose.up, np.zeros(3)))
    across = np.linalg.svd(pose.up[None])[2][1:]
    tilts = [np.concatenate((np.zeros(3), axis)) for axis in across]
    basis = np.array([heave, *tilts]).T
    small = basis.T @ (0.5 * (stiffness + stiffness.T)) @ basis
    # Tilt at constant displacement: heave follows.
    tilt = small[1:, 1:] - np.outer(small[1:, 0], small[0, 1:]) / small[0, 0]
    values = np.linalg.eigvalsh(tilt)
    sizes = np.array([small[0, 0], *values])
    return Equilibrium(pose, flotation.energy(pose), sizes, float(values[0] / flotation.weight))


def even_directions(count: int) -> NDArray:
    """Return unit vectors (count, 3) spaced evenly over the sphere, upright first, by the golden angle."""
    index = np.arange(count)
    z = 1.0 - 2.0 * index / max(1, count - 1)
    angle, radius = index * np.pi * (3.0 - np.sqrt(5.0)), np.sqrt(np.maximum(0.0, 1.0 - z * z))
    return np.column_stack((radius * np.cos(angle), radius * np.sin(angle), z))
