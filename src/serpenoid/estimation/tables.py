"""Logs as tables (CSV): one reader for logs of a robot, the emulator, a servo plan or another laboratory.

A log is a table with a header. Only the column time_s is mandatory:

    time_s                              [s], from 0 or later, rising
    NAME_rad or NAME_deg                angle of a joint
    NAME_rad_s                          its velocity
    NAME_Nm                             torque of its drive
    NAME_motor_rad                      angle of its motor before the spring
    NAME_V, NAME_A, NAME_degC           supply voltage, current and temperature of its motor
    NAME_command_rad                    commanded angle: passed on unchanged
    accel{k}_x, accel{k}_y, accel{k}_z  specific force of link k in its own axes [m/s^2]
    gyro{k}_x, gyro{k}_y, gyro{k}_z     angular velocity of link k in its own axes [rad/s]
    x_m, y_m, z_m                       path of the robot
    qw, qx, qy, qz                      attitude of its head: passed on unchanged, read by fits of the head's pose

NAME is the name of a joint or its module, or any word with a number (angle0_rad, torque0_Nm). Columns with joint
names are matched by name. Columns numbered from 0 or 1 without gaps are ordered by number. All others follow the
order of the joints, head first. Links are numbered from the head, from 0. An empty cell is unknown (NaN). Other
columns are passed on unchanged.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import FileProblem, short
from serpenoid.estimation.readings import Readings
from serpenoid.robots.sensors import ALWAYS_SENSED, SENSED, short_name
from serpenoid.support.reading import decimal, read_text

COMMANDED = "_command_rad"  # suffix of columns that are not sensor readings
# suffix of a column -> its quantity, longest suffix first
ENDINGS = {COMMANDED: ""} | {ending: name for name, row in SENSED.items() for ending in row.columns}
ENDINGS = dict(sorted(ENDINGS.items(), key=lambda item: -len(item[0])))
LINKS = {name: row.link_columns for name, row in SENSED.items() if row.link_columns}
PATH = ("x_m", "y_m", "z_m")


def read_csv(path: Path | str, joints: Sequence[str] | None = None) -> Readings:
    """Read a log of the format above; with a robot's joints given, it must contain an angle for each of them."""
    path = Path(path)
    columns = read_columns(path)
    check_times(path, columns["time_s"])
    used = {"time_s"}
    found: dict[str, Any] = {}
    for quantity in ALWAYS_SENSED:
        ordered = in_order(path, columns_of(quantity, columns), joints)
        used |= set(ordered)
        found[short_name(quantity)] = stack_columns(quantity, ordered, columns) if ordered else None
    check_counts(path, found, joints)
    count = next((values.shape[1] for values in found.values() if values is not None), 0)
    sensed = further(path, columns, joints, count)
    used |= {name for quantity in sensed for name in columns_of(quantity, columns)}
    for quantity, pattern in LINKS.items():
        vectors = triples(columns, pattern, used)
        if quantity in Readings._fields:
            found[quantity] = vectors
        elif vectors is not None:
            sensed[quantity] = vectors
    if all(name in columns for name in PATH):
        found["path"] = np.stack([columns[name] for name in PATH], axis=1)
        used |= set(PATH)
    others = {name: column for name, column in columns.items() if name not in used}
    return Readings(columns["time_s"], **found, others=others, sensed=sensed)


def columns_of(quantity: str, names: Iterable[str]) -> list[str]:
    """Return the columns of a joint quantity."""
    return [name for name in names if ENDINGS.get(ending_of(name)) == quantity]


def ending_of(name: str) -> str:
    """Return the suffix of a joint column; empty for any other."""
    return next((ending for ending in ENDINGS if name.endswith(ending)), "")


def stack_columns(quantity: str, names: Sequence[str], columns: Mapping[str, NDArray]) -> NDArray:
    """Return the columns of a quantity (samples, joints) in SI units."""
    return np.stack([columns[name] * SENSED[quantity].columns[ending_of(name)] for name in names], axis=1)


def further(path: Path, columns: Mapping[str, NDArray], joints: Sequence[str] | None, count: int) -> dict[str, NDArray]:
    """Return optional quantities by name, if a log contains them for all of its joints."""
    names = {quantity: columns_of(quantity, columns) for quantity in SENSED if quantity not in ALWAYS_SENSED}
    return {
        quantity: stack_columns(quantity, in_order(path, own, joints), columns)
        for quantity, own in names.items()
        if own and len(own) == count
    }


def read_columns(path: Path) -> dict[str, NDArray]:
    """Return every numeric column by name. Text columns are omitted; a truncated row raises FileProblem."""
    try:
        rows = [row for row in csv.reader(io.StringIO(read_text(path), newline="")) if row]
    except csv.Error as error:
        raise FileProblem(path, f"cannot be read as a table ({error})") from None
    header = [name.strip() for name in rows[0]] if rows else []
    if "time_s" not in header:
        raise FileProblem(path, "must have a column time_s [s]")
    twice = sorted(name for name, count in Counter(header).items() if count > 1)
    if twice:
        raise FileProblem(path, f"has the column {twice[0]} twice")
    if len(rows) < 3:
        raise FileProblem(path, "contains fewer than two samples")
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            raise FileProblem(path, f"row {line} is incomplete: {len(row)} cells, the header has {len(header)}")
    found = {name: column_of(path, name, [row[place] for row in rows[1:]]) for place, name in enumerate(header)}
    return {name: column for name, column in found.items() if column is not None}


def column_of(path: Path, name: str, cells: Sequence[str]) -> NDArray | None:
    """Convert cells to numbers; return None if they are text and the column is not part of the format."""
    try:
        return np.array([decimal(cell) if cell.strip() else np.nan for cell in cells])
    except ValueError:
        if not is_column(name):
            return None
    bad = next(line for line, cell in enumerate(cells, start=2) if cell.strip() and not is_number(cell))
    raise FileProblem(path, f"row {bad} contains {short(cells[bad - 2])} as {name}, which is not a number")


def is_number(cell: str) -> bool:
    """Return whether a cell is a number."""
    try:
        decimal(cell)
    except ValueError:
        return False
    return True


def is_column(name: str) -> bool:
    """Return whether a column is part of the format."""
    links = (re.fullmatch(pattern.format(r"\d+", "[xyz]"), name) for pattern in LINKS.values())
    joint = ENDINGS.get(ending_of(name)) in ALWAYS_SENSED
    return name == "time_s" or name in PATH or joint or any(links)


def in_order(path: Path, names: Sequence[str], joints: Sequence[str] | None) -> list[str]:
    """Return the columns of one quantity in the order of the joints."""
    by_word = {name.removesuffix(ending_of(name)): name for name in names}
    if len(by_word) < len(names):
        raise FileProblem(path, f"contains one joint's angle twice: {', '.join(sorted(names)[:4])}")
    if joints is not None and set(joints) <= by_word.keys():
        return [by_word[joint] for joint in joints]
    parts = [re.fullmatch(r"(.*?)([0-9]{1,9})", word) for word in by_word]
    numbers = {int(match[2]): name for match, name in zip(parts, names) if match}
    one_word = len({match and match[1] for match in parts}) == 1
    gapless = sorted(numbers) in (list(range(len(names))), list(range(1, len(names) + 1)))
    return [numbers[number] for number in sorted(numbers)] if one_word and gapless else list(names)


def check_times(path: Path, times: NDArray) -> None:
    """Raise FileProblem if a time is not finite or below zero, or if times do not increase."""
    if not np.isfinite(times).all():
        raise FileProblem(path, f"time_s is not finite in row {int(np.argmin(np.isfinite(times))) + 2}")
    if times[0] < 0.0:
        raise FileProblem(path, f"starts at time_s = {times[0]:g}; must start at 0 or later")
    back = np.flatnonzero(np.diff(times) <= 0.0)
    if back.size:
        at = int(back[0])
        raise FileProblem(path, f"time_s does not increase in row {at + 3}: {times[at + 1]:g} after {times[at]:g}")


def check_counts(path: Path, found: dict[str, Any], joints: Sequence[str] | None) -> None:
    """Raise FileProblem if the number of joints is wrong or a quantity covers only some joints."""
    counts = {name: column.shape[1] for name, column in found.items() if column is not None}
    if joints is not None and counts.get("position", 0) != len(joints):
        raise FileProblem(path, f"contains angles of {counts.get('position', 0)} joints; the robot has {len(joints)}")
    if len(set(counts.values())) > 1:
        words = ", ".join(f"{name} of {count}" for name, count in counts.items())
        raise FileProblem(path, f"contains quantities of different numbers of joints: {words}")


def triples(columns: dict[str, NDArray], pattern: str, used: set[str]) -> NDArray | None:
    """Return vectors of links 0, 1, ... (samples, links, 3); None without any."""
    found: list[NDArray] = []
    while all(pattern.format(len(found), axis) in columns for axis in "xyz"):
        names = [pattern.format(len(found), axis) for axis in "xyz"]
        found.append(np.stack([columns[name] for name in names], axis=1))
        used |= set(names)
    return np.stack(found, axis=1) if found else None
