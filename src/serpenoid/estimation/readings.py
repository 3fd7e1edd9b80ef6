"""What the sensors of a run said: taken from a trajectory, or read from a CSV log of a documented format.

A log is a table with a header; its columns, of which only time_s must be there:

    time_s                                    [s], rising
    angle{j}_rad, velocity{j}_rad_s, torque{j}_Nm     of joint j = 0, 1, ...
    accel{k}_x, accel{k}_y, accel{k}_z        specific force of link k in its own axes [m/s^2]
    gyro{k}_x, gyro{k}_y, gyro{k}_z           angular velocity of link k in its own axes [rad/s]

Other columns are left alone. Joints and links are numbered from the head, without gaps.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import FileProblem, SerpenoidError

JOINTS = {"position": "angle{}_rad", "velocity": "velocity{}_rad_s", "torque": "torque{}_Nm"}
LINKS = {"accelerometer": "accel{}_{}", "gyroscope": "gyro{}_{}"}
NAMES = {"position": "joint_position", "velocity": "joint_velocity", "torque": "joint_torque"}


class Readings(NamedTuple):
    """Sensors over time; None where they said nothing."""

    time: NDArray  # (samples,) [s]
    position: NDArray | None = None  # (samples, joints) [rad]
    velocity: NDArray | None = None  # (samples, joints) [rad/s]
    torque: NDArray | None = None  # (samples, joints) of the drives [N m]
    accelerometer: NDArray | None = None  # (samples, links, 3) [m/s^2]
    gyroscope: NDArray | None = None  # (samples, links, 3) [rad/s]

    def needed(self, *names: str) -> tuple[NDArray, ...]:
        """Some of them, refused where one is missing."""
        for name in names:
            if getattr(self, name) is None:
                what = "no IMU" if name in LINKS else f"no {NAMES[name].replace('_', ' ')}s"
                raise SerpenoidError(f"these readings hold {what}: an estimate needs {', '.join(names)}")
        return tuple(np.ascontiguousarray(getattr(self, name), dtype=float) for name in names)

    @property
    def period(self) -> float:
        """Mean time between two samples [s]."""
        if self.time.size < 2:
            raise SerpenoidError(f"readings of {self.time.size} sample have no period: an estimate needs two")
        return float(self.time[-1] - self.time[0]) / (self.time.size - 1)


def readings_of(run: Any) -> Readings:
    """The sensors of a trajectory, exact as it has them at its samples."""
    found = {name: run[NAMES.get(name, name)] for name in (*JOINTS, *LINKS) if NAMES.get(name, name) in run}
    return Readings(np.asarray(run.time, dtype=float), **found)


def read_csv(path: Path | str) -> Readings:
    """A log of the format above."""
    path = Path(path)
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = [row for row in csv.reader(file) if row]
    except FileNotFoundError:
        raise FileProblem(path, "no such file") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileProblem(path, f"cannot be read as a table ({error})") from None
    header = [name.strip() for name in rows[0]] if rows else []
    if "time_s" not in header:
        raise FileProblem(path, "lacks the column time_s")
    values = table(path, rows, len(header))
    columns = {name: values[:, place] for place, name in enumerate(header)}
    if len(values) > 1 and np.any(np.diff(columns["time_s"]) <= 0.0):
        raise FileProblem(path, "has times that do not rise")
    found: dict[str, Any] = {name: stacked(columns, [pattern]) for name, pattern in JOINTS.items()}
    for name, pattern in LINKS.items():
        found[name] = stacked(columns, [pattern.replace("{}_{}", "{}_" + axis) for axis in "xyz"])
    return Readings(columns["time_s"], **found)


def table(path: Path, rows: list[list[str]], width: int) -> NDArray:
    """All cells as numbers; an empty cell is NaN."""
    found = np.full((len(rows) - 1, width), np.nan)
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != width:
            raise FileProblem(path, f"row {line} has {len(row)} cells, the header {width}")
        for place, cell in enumerate(row):
            try:
                found[line - 2, place] = float(cell) if cell.strip() else np.nan
            except ValueError:
                raise FileProblem(path, f"row {line} holds {cell!r}, which is no number") from None
    return found


def stacked(columns: dict[str, NDArray], patterns: list[str]) -> NDArray | None:
    """Columns 0, 1, ... of a pattern side by side, with a last axis for three patterns; None without any."""
    count = 0
    while all(pattern.format(count) in columns for pattern in patterns):
        count += 1
    if not count:
        return None
    parts = [np.stack([columns[pattern.format(k)] for k in range(count)], axis=1) for pattern in patterns]
    return parts[0] if len(parts) == 1 else np.stack(parts, axis=2)
