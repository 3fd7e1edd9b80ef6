"""Conversion between module settings and the drive of a simulated robot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import Unsupported
from serpenoid.hardware import hebi_gains as gains
from serpenoid.hardware.hebi_fields import GAINS, LIMITS, SETTINGS
from serpenoid.robots.base import Robot
from serpenoid.robots.cascade import Cascade, Gains, JointGains


def settings_of(robot: Robot, joints: Sequence[int | None]) -> dict[str, NDArray]:
    """Return every setting (modules,) that modules with a robot's drive would report.

    joints: the robot's joint of each module, None for a module that is not a joint.
    """
    drive = robot.drive.cascade
    found = dict.fromkeys(SETTINGS, np.nan)
    loops = {loop: getattr(drive or Cascade(), loop) for loop in gains.LOOPS}
    if drive is None:  # a position loop only
        loops = {
            "position": Gains(min_output=-10.0, max_output=10.0),
            "velocity": Gains(),
            "effort": Gains(min_target=-gains.MOST_TORQUE, max_target=gains.MOST_TORQUE),
        }
    found |= {name: float(getattr(loops[name.partition("_")[0]], name.partition("_")[2])) for name in GAINS}
    found |= {name: -np.inf if name.endswith("min") else np.inf for name in LIMITS}
    found["control_strategy"] = float(drive.strategy if drive else 4)
    columns = {name: np.full(len(joints), value) for name, value in found.items()}
    columns |= drive_columns(robot, [joint or 0 for joint in joints])
    for own in drive.own if drive else ():
        for name, value in list(asdict(own).items())[1:]:
            columns[name][[joint == own.joint for joint in joints]] = value
    return columns


def drive_columns(robot: Robot, joints: Sequence[int]) -> dict[str, NDArray]:
    """Return springs between motors and joints, and the gains of drives that are not cascades.

    The gain of a PD drive represents the spring.
    """
    drive, count = robot.drive, robot.joints
    if drive.prescribed:
        return {}
    rows = dict(zip(("position_kp", "position_kd"), drive.servo_gains(count) or ()))
    rows["spring_constant"] = drive.joint_stiffness(count)
    return {name: row[list(joints)] for name, row in rows.items()}


def drive_with(robot: Robot, settings: Mapping[str, NDArray], places: NDArray, joints: Sequence[int]) -> Cascade | None:
    """Return the drive that the settings request, None if unchanged; raise an error if the robot cannot have it.

    places: indices of the robot's modules among all modules. joints: the joint of each of them.
    """
    now = settings_of(robot, joints)
    names = ["control_strategy", "spring_constant", *GAINS]
    columns = {name: settings[name][places] for name in names}
    if all(np.array_equal(column, now[name], equal_nan=True) for name, column in columns.items()):
        return None
    loops = robot.drive.cascade
    if loops is None:
        raise Unsupported(
            f"{type(robot.drive).__name__} does not have module gains: give the robot a Cascade (--robot.drive cascade)"
        )
    table = gains.GainTable(columns["control_strategy"].astype(int), {name: columns[name] for name in GAINS})
    base = replace(loops, own=())
    drives = [
        replace(table.cascade(i, base), spring=float(spring)) for i, spring in enumerate(columns["spring_constant"])
    ]
    return combine_drives(drives, joints)


def combine_drives(drives: Sequence[Cascade], joints: Sequence[int]) -> Cascade:
    """Combine drives of joints into one: the most frequent one, and the gains of joints that differ from it."""
    common = Counter(drives).most_common(1)[0][0]
    own = tuple(JointGains.of(int(joint), drive) for joint, drive in zip(joints, drives) if drive != common)
    others = [drive for drive in drives if drive != common]
    if any(gain.given_to(common) != drive for gain, drive in zip(own, others)):
        raise Unsupported("joints of a simulated snake may differ only in kp, ki and kd")
    return replace(common, own=own)
