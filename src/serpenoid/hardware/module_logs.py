"""Logs of modules from any source: tables (CSV), our own recordings, HEBI's binary files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command
from serpenoid.errors import FileProblem, short
from serpenoid.estimation import read_csv
from serpenoid.estimation.tables import check_times
from serpenoid.hardware.hebi import hebi_py
from serpenoid.hardware.logs import Recording
from serpenoid.robots.sensors import ALWAYS_SENSED, SENSED, short_name
from serpenoid.trajectory import Trajectory

TOO_SELDOM = 1.0  # sample interval from which a log shows no motion [s]


class SentCommands(NamedTuple):
    """Commands of a controller as sent to the modules."""

    times: NDArray  # (commands,) [s]
    rows: NDArray  # (commands, parts of a Command, joints), NaN: not commanded


class ModuleLog(NamedTuple):
    """Log of a robot, in the order of its joints."""

    joints: tuple[str, ...]
    times: NDArray  # (samples,) from 0, or from the first command if the log contains commands [s]
    values: dict[str, NDArray]  # joint_position, joint_velocity, joint_torque if known, each (samples, joints)
    path: NDArray | None = None  # (samples, 3) of the robot's head or markers [m]
    commands: SentCommands | None = None  # of a run on modules, whose first sample precedes the soft start
    sensed: bool = True  # whether values are controller readings, taken before the command of that instant
    current: NDArray | None = None  # (samples, joints) of the motors, from a table [A]

    def at(self, name: str, times: NDArray) -> NDArray:
        """Interpolate a quantity at other times (times, joints)."""
        return np.array([np.interp(times, self.times, joint) for joint in self.values[name].T]).T

    def until(self, end: float) -> ModuleLog:
        """Return the log up to a time [s]."""
        commands = self.commands
        if commands is not None:
            sent = commands.times <= end + 1e-9
            commands = SentCommands(commands.times[sent], commands.rows[sent])
        return self.of(self.times <= end + 1e-9)._replace(commands=commands)

    def begun(self) -> ModuleLog:
        """Return the log from the first command."""
        return self.of(self.times >= 0.0)

    def of(self, kept: NDArray) -> ModuleLog:
        """Return a selection of its samples."""
        values = {name: rows[kept] for name, rows in self.values.items()}
        path, current = (rows if rows is None else rows[kept] for rows in (self.path, self.current))
        return self._replace(times=self.times[kept], values=values, path=path, current=current)

    def ordered(self, places: Sequence[int]) -> ModuleLog:
        """Return the joints at these places, in their order."""
        values = {name: rows[:, places] for name, rows in self.values.items()}
        commands = self.commands and self.commands._replace(rows=self.commands.rows[..., places])
        current = None if self.current is None else self.current[:, places]
        return self._replace(values=values, commands=commands, current=current)

    @property
    def missing(self) -> list[str]:
        """Names of the readings that it lacks."""
        return [name for name in ALWAYS_SENSED if name not in self.values]

    def recording(self) -> Recording:
        """Return the joint angles alone."""
        return Recording(self.joints, self.times, self.values["joint_position"])


def read_log(path: Path, joints: Sequence[str]) -> ModuleLog:
    """Read a log by its kind: .csv, .hebilog, or the folder of our own recording."""
    if not path.exists():
        raise FileProblem(path, "no such file or folder")
    if path.suffix in (".mcap", ".db3", ".parquet"):
        raise FileProblem(path, f"must be imported first: serpenoid import {path.name} OUT.zarr")
    if path.suffix == ".csv":
        log = read_table(path, joints)
    else:
        log = read_hebilog(path, joints) if path.suffix == ".hebilog" else read_recording(path, joints)
    apart = float(np.median(np.diff(log.times))) if len(log.times) > 1 else 0.0
    if apart >= TOO_SELDOM:
        raise FileProblem(
            path, f"its samples are {apart:g} s apart: must be less than {TOO_SELDOM:g} s; are times in ms?"
        )
    return log


def read_recording(path: Path, joints: Sequence[str]) -> ModuleLog:
    """Read a saved trajectory, its joints by name."""
    run = Trajectory.load(path)
    return log_of(run, joints).ordered(joint_order(path, run, joints))


def joint_order(path: Path, run: Trajectory, joints: Sequence[str]) -> list[int]:
    """Return the indices of the robot's joints in a recording: by name, or in order for names of other programs."""
    names = list(run.labels.get("joint", ()))
    if set(joints) <= set(names):
        return [names.index(joint) for joint in joints]
    if "imported" in run.attributes:
        both = short(", ".join(names)), short(", ".join(joints))
        advice = "import it with --joints THEIRS=OURS,THEIRS=OURS, head first"
        raise FileProblem(path, f"names the joints {both[0]}; the robot has {both[1]}: {advice}")
    check_count(path, run["joint_position"].shape[1], joints)
    return list(range(len(joints)))


def log_of(run: Trajectory, joints: Sequence[str]) -> ModuleLog:
    """Convert a run to a log; controller readings take precedence over simulation truth.

    Recordings of modules contain observations only, under the plain names. Imported ones contain readings of a robot.
    """
    sensed = "sensed_joint_position" in run
    names = {name: f"sensed_{name}" if sensed else name for name in ALWAYS_SENSED}
    values = {name: run[own] for name, own in names.items() if own in run}
    times, commands = run["tick"] if sensed else run.times, None
    track = run["base_pose"][:, :3] if "base_pose" in run and len(run["base_pose"]) == len(times) else None
    if "sending_time" in run and len(run["tick"]) > 1:
        times, commands = (
            run["reading_time"] - run["sending_time"][1],
            sent_commands(run, values["joint_position"].shape[1]),
        )
    else:
        times = times - times[0]
    observed = sensed or commands is not None or "imported" in run.attributes
    return ModuleLog(tuple(joints), times, values, track, commands, observed)


def sent_commands(run: Trajectory, joints: int) -> SentCommands:
    """Return the commands of a recording of modules; each tick stores when the previous command was sent."""
    times = np.maximum.accumulate(run["sending_time"][1:] - run["sending_time"][1])
    rows = np.full((len(times), len(Command._fields), joints), np.nan)
    for part, name in enumerate(Command._fields):
        if f"command_{name}" in run:
            rows[:, part] = run[f"command_{name}"][:-1]
    return SentCommands(times, rows)


def read_table(path: Path, joints: Sequence[str]) -> ModuleLog:
    """Read a table in the format of estimation/tables.py; angles, rates and torques must not have gaps."""
    found = read_csv(path, joints)
    sensed = {name: getattr(found, short_name(name)) for name in ALWAYS_SENSED}
    values = {name: rows for name, rows in sensed.items() if rows is not None}
    current = (found.sensed or {}).get("current")
    optional = {"path": found.path, "current": current}
    for name, rows in [*values.items(), *((name, rows) for name, rows in optional.items() if rows is not None)]:
        gaps = np.flatnonzero(~np.isfinite(rows).all(axis=1))
        if gaps.size:
            raise FileProblem(path, f"row {gaps[0] + 2} contains a {name.replace('_', ' ')} that is not finite")
    return ModuleLog(tuple(joints), found.time - found.time[0], values, found.path, current=current)


def check_count(path: Path, found: int, joints: Sequence[str]) -> None:
    """Raise FileProblem if a log has a different number of joints."""
    if found != len(joints):
        raise FileProblem(path, f"contains angles of {found} joints; the robot has {len(joints)}")


def read_hebilog(path: Path, joints: Sequence[str]) -> ModuleLog:
    """Read HEBI's own file with hebi-py. Not validated with real files, which need modules; tested with a mock."""
    try:
        rows = list(hebi_py().util.load_log(str(path)).feedback_iterate)
    except (OSError, RuntimeError) as error:
        raise FileProblem(path, f"cannot be read as a log of HEBI ({error})") from None
    if len(rows) < 2:
        raise FileProblem(path, "contains fewer than two samples")
    check_count(path, len(rows[0].position), joints)
    times = np.array([float(np.min(row.time)) for row in rows])
    check_times(path, times - times[0])
    own = {name: SENSED[name].feedback for name in ALWAYS_SENSED}
    values = {name: np.array([getattr(row, field) for row in rows], dtype=float) for name, field in own.items()}
    return ModuleLog(tuple(joints), times - times[0], values)
