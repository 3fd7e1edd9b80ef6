"""Parts of a robot that MJCF or URDF cannot represent."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.robots.base import Robot, TreeRobot
from serpenoid.robots.drives import NO_LIMIT
from serpenoid.robots.pieces import outline
from serpenoid.robots.prism import outer_prisms
from serpenoid.robots.sensors import Sensors


def left_out(robot: Robot, language: str) -> list[str]:
    """Return a note on each part of a robot that a file in `language`, MJCF or URDF, does not keep."""
    return lost_in_both(robot) + (lost_in_urdf(robot) if language == "URDF" else lost_in_mjcf(robot))


def lost_in_both(robot: Robot) -> list[str]:
    """Return notes on drives, sensors and shapes that neither format has."""
    found = {
        "springs of the drives (only torque limits are kept)": bool(robot.drive.states),
        "errors of the sensors": robot.sensors != Sensors(),
        "collisions between links (self_collision)": robot.self_collision,
        "outer shapes for water (links become capsules)": bool(outer_prisms(robot)),
    }
    return [note for note, lost in found.items() if lost]


def lost_in_mjcf(robot: Robot) -> list[str]:
    """Return a note on speed limits."""
    slowest = min(speed_limits(robot), default=NO_LIMIT)
    return [f"speed limits (from {slowest:g} rad/s)"] if slowest < NO_LIMIT else []


def lost_in_urdf(robot: Robot) -> list[str]:
    """Return notes on gains, armature and ellipsoids."""
    gains, found = robot.drive.servo_gains(robot.joints), []
    if robot.drive.direct and gains is not None:
        flags = (f"--robot.drive.{name} {words(each)}" for name, each in zip(("stiffness", "damping"), gains))
        found.append(f"gains of the drives (give {' '.join(flags)})")
    armature = robot.tree().armature if isinstance(robot, TreeRobot) else robot.armature
    if armature is not None and np.any(armature):
        found.append(f"armature of the joints (up to {np.max(armature):g} kg m^2)")
    if any(shape.kind == "ellipsoid" for _, shape in outline(robot)):
        found.append("ellipsoids (they become boxes)")
    return found


def words(value: NDArray) -> str:
    """Return numbers as the command line takes them; one where all are the same."""
    return f"{value[0]:g}" if (value == value[0]).all() else ",".join(f"{number:g}" for number in value)


def speed_limits(robot: Robot) -> list[float]:
    """Return the largest rate of each joint [rad/s]."""
    return np.minimum(np.broadcast_to(robot.speed_limit, robot.joints), NO_LIMIT).tolist()
