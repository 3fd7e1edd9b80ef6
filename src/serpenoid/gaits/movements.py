"""Movements of the moving-frame paper as smooth polynomials: accordion, cobra and spiral, each with its return."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, check_fields, usual
from serpenoid.errors import Unsupported
from serpenoid.gaits.base import Gait, polynomial
from serpenoid.kernels.records import Motion
from serpenoid.robots.base import PlanarRobot, Robot, TreeRobot
from serpenoid.support.kernel_inputs import tree_of

# 10 s^3 - 15 s^4 + 6 s^5: from 0 to 1 in unit time, with zero rate and acceleration at both ends.
SMOOTH_STEP = np.array([0.0, 0.0, 0.0, 10.0, -15.0, 6.0])


@dataclass(frozen=True)
class Movement(Gait):
    """Movement from straight into a shape and back, at rest at both ends and during the hold."""

    travel: Annotated[float, above(0.0, usual=(0.5, 5.0))] = 2.0
    """time to move into the shape, and again to return [s]"""
    hold: Annotated[float, at_least(0.0, usual=(0.0, 5.0))] = 0.0
    """time spent in the shape [s]"""

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def duration(self) -> float:
        """Time from rest to rest [s]."""
        return 2.0 * self.travel + self.hold

    @abstractmethod
    def shape(self, robot: Robot) -> NDArray:
        """Return the joint angles of the shape (joints,) [rad]."""

    def motion(self, robot: Robot) -> Motion:
        """Return the shape times 0 -> 1 -> 0, continuous in angle, rate and acceleration."""
        rise = SMOOTH_STEP / self.travel ** np.arange(6)
        top = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        profile, knots = [rise, top - rise], [0.0, self.travel, 2.0 * self.travel]
        if self.hold > 0.0:
            profile, knots = [rise, top, top - rise], [0.0, self.travel, self.travel + self.hold, self.duration]
        return polynomial(np.array(knots), np.array(profile)[:, :, None] * self.shape(robot))


@dataclass(frozen=True)
class Accordion(Movement):
    """Fold into a level zig-zag and unfold again."""

    fold: Annotated[float, usual(0.5, 2.5)] = 1.5
    """angle between two neighbouring legs of the zig-zag [rad]"""

    def shape(self, robot: Robot) -> NDArray:
        """Alternate the signs of the joints about the vertical; halve the first, so that the zig-zag follows the x
        axis.
        """
        level = axes_at_rest(robot)[:, 2]
        turning = need(robot, np.abs(level) > 0.9, "Accordion", "about the vertical")
        angles = np.zeros(robot.joints)
        angles[turning] = self.fold * (-1.0) ** np.arange(turning.size) * np.sign(level[turning])
        angles[turning[0]] *= 0.5
        return angles


@dataclass(frozen=True)
class Cobra(Movement):
    """Raise the front half and bow the head, then lie down again."""

    lift: Annotated[float, usual(0.3, 1.6)] = 1.4
    """angle by which the neck rises from the ground [rad]"""
    bow: Annotated[float, usual(0.0, 1.5)] = 1.2
    """angle by which the head bends forward again [rad]"""

    def shape(self, robot: Robot) -> NDArray:
        """Lift with the first joints about y in the half away from the base, and bow with the others."""
        level = axes_at_rest(robot)[:, 1]
        front = np.arange(robot.joints) >= robot.joints // 2
        turning = need(robot, (np.abs(level) > 0.9) & front, "Cobra", "about y in its front half")
        neck = (turning.size + 1) // 2
        angles = np.zeros(robot.joints)
        # A rotation about +y moves +x down, so lifting is negative.
        angles[turning[:neck]] = -self.lift / neck
        angles[turning[neck:]] = self.bow / max(turning.size - neck, 1)
        angles[turning] *= np.sign(level[turning])
        return angles


@dataclass(frozen=True)
class Spiral(Movement):
    """Wind the chain up in space, tighter towards the head, and unwind it."""

    curl: Annotated[float, usual(0.2, 1.5)] = 0.9
    """bend at the last joint [rad]; the bend grows linearly from the base"""
    twist: Annotated[float, usual(0.0, 1.0)] = 0.5
    """rotation of the bending plane from joint to joint [rad]"""

    def shape(self, robot: Robot) -> NDArray:
        """Return bends about z and y that compose one bend whose plane rotates along the chain: a conical helix."""
        axes = axes_at_rest(robot)
        need(robot, np.abs(axes[:, 1]) > 0.9, "Spiral", "about y")
        need(robot, np.abs(axes[:, 2]) > 0.9, "Spiral", "about the vertical")
        along = np.arange(1, robot.joints + 1)
        angle = self.twist * along
        return self.curl * along / robot.joints * (axes[:, 2] * np.cos(angle) - axes[:, 1] * np.sin(angle))


def axes_at_rest(robot: Robot) -> NDArray:
    """Return the axis of every joint (joints, 3) in the base frame with the robot straight."""
    if isinstance(robot, PlanarRobot):
        return np.tile((0.0, 0.0, 1.0), (robot.joints, 1))
    if not isinstance(robot, TreeRobot):
        raise Unsupported(f"movements need a tree or a planar chain: {robot.called} is neither")
    tree = tree_of(robot)
    rotations = np.empty((tree.parent.size, 3, 3))
    rotations[0] = np.eye(3)
    for body in range(1, tree.parent.size):
        rotations[body] = rotations[tree.parent[body]] @ tree.rotation[body]
    return np.einsum("bij,bj->bi", rotations, tree.axis)[1:]


def need(robot: Robot, found: NDArray, movement: str, what: str) -> NDArray:
    """Return the indices of the joints found; raise if there are none."""
    if not found.any():
        raise Unsupported(f"{movement} needs a joint {what}: {robot.called} with {robot.joints} joints has none")
    return np.flatnonzero(found)
