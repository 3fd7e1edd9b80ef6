"""Arc coordinate of the joints: joint i of n equally spaced joints is at s = i / n."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import Unsupported
from serpenoid.robots.base import Robot


class Backbone(NamedTuple):
    """Joint positions along the body of a robot."""

    place: NDArray  # (joints,) arc coordinate, 0 at the first joint, or distance from it [m]; NaN off the body
    spacing: float  # mean distance between neighbouring joints, in that unit
    unit: float  # length of that unit [m]
    first: float  # distance of the first joint from the snout [m]
    lateral: tuple[int, ...]
    dorsal: tuple[int, ...]


def backbone_of(robot: Robot, metres: bool = False) -> Backbone:
    """Return the joint positions along a robot's body, as arc coordinates or in metres from the first joint."""
    if robot.arc_positions is None:
        raise Unsupported(f"{robot.called} has no arc positions along a body: a body wave cannot run on it")
    arc = np.asarray(robot.arc_positions, dtype=float)
    known = np.sort(arc[np.isfinite(arc)])
    if known.size < 2:
        raise Unsupported(f"{robot.called} has {known.size} joints along its body: a wave needs at least 2")
    spacing = float(known[-1] - known[0]) / (known.size - 1)
    unit = 1.0 if metres else spacing * known.size
    lateral, dorsal = tuple(robot.yaw_joints), tuple(robot.pitch_joints)
    return Backbone((arc - known[0]) / unit, spacing / unit, unit, float(known[0]), lateral, dorsal)


def arc_coordinates(robot: Robot) -> NDArray:
    """Return the arc coordinate of each joint (joints,); 0 for joints that do not bend the body."""
    return np.nan_to_num(backbone_of(robot).place)


def body_positions(robot: Robot) -> NDArray:
    """Return the distance of each joint (joints,) from the snout [m]; 0 for joints that do not bend the body."""
    backbone = backbone_of(robot, metres=True)
    return np.nan_to_num(backbone.place + backbone.first)


def along_body(robot: Robot, phase: float) -> dict[str, float]:
    """Return `spatial_frequency` and `phase` of a wave with the given phase [rad] from the snout to the tail tip.

    The phase of that wave is 0 at the snout at time 0.
    """
    backbone = backbone_of(robot)
    share, first = backbone.unit / robot.length, backbone.first / robot.length
    return {"spatial_frequency": phase * share, "phase": -phase * first}
