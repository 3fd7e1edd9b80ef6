"""Parts of a robot that MJCF or URDF cannot hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.robots.drives import NO_LIMIT, PD, Cascade, SeriesElastic
from serpenoid.robots.pieces import outline
from serpenoid.robots.prism import outer_prisms
from serpenoid.robots.sensors import Sensors


def left_out(robot: Any, language: str) -> list[str]:
    """Return a note on each part of a robot that is lost in a file; language: MJCF or URDF."""
    return lost_in_both(robot) + (lost_in_urdf(robot) if language == "URDF" else lost_in_mjcf(robot))


def lost_in_both(robot: Any) -> list[str]:
    """Return notes on drives, sensors and shapes that neither format has."""
    drive, sensors = getattr(robot, "drive", None), getattr(robot, "sensors", Sensors())
    found = {
        "springs of the drives (only limits of torque are kept)": isinstance(drive, SeriesElastic | Cascade),
        "errors of the sensors": sensors != Sensors(),
        "collisions between links (self_collision)": getattr(robot, "self_collision", False),
        "outer shapes for water (links become capsules)": bool(outer_prisms(robot)),
    }
    return [note for note, lost in found.items() if lost]


def lost_in_mjcf(robot: Any) -> list[str]:
    """Return a note on limits of speed."""
    slowest = min(speed_limits(robot), default=NO_LIMIT)
    return [f"limits of speed (from {slowest:g} rad/s)"] if slowest < NO_LIMIT else []


def lost_in_urdf(robot: Any) -> list[str]:
    """Return notes on gains, armature and ellipsoids."""
    drive, found = getattr(robot, "drive", None), []
    if isinstance(drive, PD):
        flags = (f"--robot.drive.{name} {words(getattr(drive, name))}" for name in ("stiffness", "damping"))
        found.append(f"gains of the drives (give {' '.join(flags)})")
    armature = robot.tree().armature if hasattr(robot, "tree") else robot.armature
    if armature is not None and np.any(armature):
        found.append(f"armature of the joints (up to {np.max(armature):g} kg m^2)")
    if any(shape.kind == "ellipsoid" for _, shape in outline(robot)):
        found.append("ellipsoids (they become boxes)")
    return found


def words(value: Any) -> str:
    """Return one number or several as the command line takes them."""
    return ",".join(f"{number:g}" for number in np.atleast_1d(value))


def speed_limits(robot: Any) -> list[float]:
    """Return the largest rate of each joint [rad/s]."""
    return np.minimum(np.broadcast_to(getattr(robot, "speed_limit", np.inf), robot.joints), NO_LIMIT).tolist()
