"""Logs of modules, whatever wrote them: tables (CSV), our own recordings, HEBI's binary files."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import FileProblem, Unsupported
from serpenoid.hardware.logs import Recording, check_times, numbers
from serpenoid.trajectory import Trajectory

# quantity -> endings of its columns in a table, each with the factor to SI units
ENDINGS: dict[str, dict[str, float]] = {
    "joint_position": {"_rad": 1.0, "_deg": np.pi / 180.0},
    "joint_velocity": {"_radps": 1.0},
    "joint_torque": {"_Nm": 1.0},
}
NOT_ANGLES = ("_command_rad", "_motor_rad")  # targets and motors, which stand beside the joints' angles
PATH = ("x_m", "y_m", "z_m")


class ModuleLog(NamedTuple):
    """What a robot logged, joints in the order of the robot."""

    joints: tuple[str, ...]
    times: NDArray  # (samples,) from 0 [s]
    values: dict[str, NDArray]  # joint_position, joint_velocity, joint_torque, as far as known (samples, joints)
    path: NDArray | None = None  # (samples, 3) of the robot's head or markers [m]
    soft: bool = False  # whether the run was one of modules, with a soft start before it
    sensed: bool = True  # whether it is what a controller read, before it gave the command of that moment

    def at(self, name: str, times: NDArray) -> NDArray:
        """A quantity at other times (times, joints)."""
        return np.array([np.interp(times, self.times, joint) for joint in self.values[name].T]).T

    def recording(self) -> Recording:
        """The joint angles alone."""
        return Recording(self.joints, self.times, self.values["joint_position"])


def read_module_log(path: Path, joints: Sequence[str]) -> ModuleLog:
    """A log by its kind: .csv, .hebilog, or a folder with a recording of ours."""
    if not path.exists():
        raise FileProblem(path, "no such file or folder")
    if path.suffix == ".csv":
        return read_table(path, joints)
    return read_hebilog(path, joints) if path.suffix == ".hebilog" else read_recording(path, joints)


def read_recording(path: Path, joints: Sequence[str]) -> ModuleLog:
    """A saved trajectory."""
    run = Trajectory.load(path)
    check_count(path, run["joint_position"].shape[1], joints)
    return log_of(run, joints)


def log_of(run: Trajectory, joints: Sequence[str]) -> ModuleLog:
    """A run as a log; what a controller read is taken before what only a simulation knows."""
    sensed = "sensed_joint_position" in run
    names = {name: f"sensed_{name}" if sensed else name for name in ENDINGS}
    values = {name: run[own] for name, own in names.items() if own in run}
    times = run["tick"] if sensed else run.times
    track = run["base_pose"][:, :3] if "base_pose" in run and len(run["base_pose"]) == len(times) else None
    return ModuleLog(tuple(joints), times - times[0], values, track, "module_voltage" in run, sensed)


def read_table(path: Path, joints: Sequence[str]) -> ModuleLog:
    """A table with time_s and, in the order of the joints, columns NAME_rad or NAME_deg, perhaps NAME_radps, NAME_Nm.

    x_m, y_m, z_m are the robot's path, where there are such columns; all others are left alone.
    """
    try:
        with path.open(newline="") as file:
            rows = [row for row in csv.reader(file) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileProblem(path, f"cannot be read as a table ({error})") from None
    header = [name.strip() for name in rows[0]] if rows else []
    if "time_s" not in header:
        raise FileProblem(path, "lacks the column time_s")
    if len(rows) < 3:
        raise FileProblem(path, "holds fewer than two samples")
    chosen = {name: columns_of(name, header) for name in ENDINGS}
    check_count(path, len(chosen["joint_position"]), joints)
    chosen = {name: found for name, found in chosen.items() if len(found) == len(joints)}
    track = [header.index(name) for name in PATH if name in header]
    places = [header.index("time_s"), *(place for found in chosen.values() for place, _ in found), *track]
    cells = np.array([numbers(path, line, row, places) for line, row in enumerate(rows[1:], start=2)])
    check_times(path, cells[:, 0])
    values, start = {}, 1
    for name, found in chosen.items():
        values[name] = cells[:, start : start + len(found)] * np.array([factor for _, factor in found])
        start += len(found)
    return ModuleLog(
        tuple(joints), cells[:, 0] - cells[0, 0], values, cells[:, start:] if len(track) == len(PATH) else None
    )


def columns_of(name: str, header: Sequence[str]) -> list[tuple[int, float]]:
    """Places of the columns of a quantity, and their factors."""
    found = []
    for place, column in enumerate(header):
        for ending, factor in ENDINGS[name].items():
            if column.endswith(ending) and not column.endswith(NOT_ANGLES):
                found.append((place, factor))
    return found


def check_count(path: Path, found: int, joints: Sequence[str]) -> None:
    """Refuse a log of another number of joints."""
    if found != len(joints):
        raise FileProblem(path, f"holds angles of {found} joints; the robot has {len(joints)}")


def read_hebilog(path: Path, joints: Sequence[str]) -> ModuleLog:
    """HEBI's own file, by hebi-py. Unproven: no such file can be made without modules; tested with a stand-in."""
    try:
        from hebi.util import load_log
    except ImportError:
        raise Unsupported("hebi-py is not installed: pip install 'serpenoid[hebi]'") from None
    try:
        rows = list(load_log(str(path)).feedback_iterate)
    except (OSError, RuntimeError) as error:
        raise FileProblem(path, f"cannot be read as a log of HEBI ({error})") from None
    if len(rows) < 2:
        raise FileProblem(path, "holds fewer than two samples")
    check_count(path, len(rows[0].position), joints)
    times = np.array([float(np.min(row.time)) for row in rows])
    check_times(path, times - times[0])
    own = {"joint_position": "position", "joint_velocity": "velocity", "joint_torque": "effort"}
    values = {name: np.array([getattr(row, field) for row in rows], dtype=float) for name, field in own.items()}
    return ModuleLog(tuple(joints), times - times[0], values)
