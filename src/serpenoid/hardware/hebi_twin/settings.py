"""Settings of the twin's modules, and the drive of the simulated robot that they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import Unsupported
from serpenoid.hardware import gains
from serpenoid.hardware.hebi_twin.fields import GAINS, LIMITS, SETTINGS
from serpenoid.robots.cascade import Cascade, Gains
from serpenoid.robots.drives import PD, SeriesElastic


def settings_of(robot: Any, modules: int) -> dict[str, NDArray]:
    """What modules with a robot's drive would say of themselves: every setting, (modules,)."""
    drive = robot.drive if isinstance(robot.drive, Cascade) else None
    found = dict.fromkeys(SETTINGS, np.nan)
    loops = {loop: getattr(drive or Cascade(), loop) for loop in gains.LOOPS}
    if drive is None:  # a position loop alone
        kp, kd = getattr(robot.drive, "stiffness", 0.0), getattr(robot.drive, "damping", 0.0)
        loops = {
            "position": Gains(kp=kp, kd=kd, min_output=-10.0, max_output=10.0),
            "velocity": Gains(),
            "effort": Gains(min_target=-gains.MOST_TORQUE, max_target=gains.MOST_TORQUE),
        }
    found |= {name: float(getattr(loops[name.partition("_")[0]], name.partition("_")[2])) for name in GAINS}
    found |= {name: -np.inf if name.endswith("min") else np.inf for name in LIMITS}
    found["control_strategy"] = float(drive.strategy if drive else 4)
    found["spring_constant"] = float(spring_of(robot.drive))
    return {name: np.full(modules, value) for name, value in found.items()}


def spring_of(drive: Any) -> float:
    """Stiffness between motor and joint [N m/rad]; of a PD drive its gain, which stands for the spring."""
    if isinstance(drive, PD):
        return drive.stiffness
    return drive.spring if isinstance(drive, Cascade | SeriesElastic) else np.nan


def drive_with(robot: Any, settings: Mapping[str, NDArray], places: NDArray) -> Cascade | None:
    """The drive that settings ask for; None where it stays, refused where the robot cannot have it."""
    now = settings_of(robot, 1)
    names = ["control_strategy", "spring_constant", *GAINS]
    columns = {name: settings[name][places] for name in names}
    if all(
        np.array_equal(column, np.repeat(now[name], len(places)), equal_nan=True) for name, column in columns.items()
    ):
        return None
    if not isinstance(robot.drive, Cascade):
        raise Unsupported(f"{type(robot.drive).__name__} has no gains of modules: give the robot a Cascade")
    if any(len(set(column.tolist())) > 1 for column in columns.values()):
        raise Unsupported("a simulated snake has the same drive in every joint")
    table = gains.GainTable(columns["control_strategy"].astype(int), {name: columns[name] for name in GAINS})
    return replace(table.cascade(0, robot.drive), spring=float(columns["spring_constant"][0]))
