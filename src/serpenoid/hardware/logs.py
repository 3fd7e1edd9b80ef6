"""Recorded joint angles: reading a log, and laying it over a simulation joint by joint."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import FileProblem, short


class Recording(NamedTuple):
    """Joint angles as a robot logged them."""

    joints: tuple[str, ...]
    times: NDArray  # (samples,) [s]
    angles: NDArray  # (samples, joints) [rad]


class Comparison(NamedTuple):
    """How far one joint of a recording is from the simulation."""

    joint: str
    rms: float  # [rad]
    greatest: float  # greatest distance [rad]
    time: float  # of the greatest distance [s]
    recorded_peak: float  # angle of largest size [rad]
    recorded_peak_time: float  # where it is first reached [s]
    simulated_peak: float  # [rad]
    simulated_peak_time: float  # [s]


def read_log(path: Path, joints: Sequence[str]) -> Recording:
    """A CSV table with time_s and a column JOINT_deg per joint; other columns are left alone."""
    try:
        with path.open(newline="") as file:
            rows = [row for row in csv.reader(file) if row]
    except FileNotFoundError:
        raise FileProblem(path, "no such file") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileProblem(path, f"cannot be read as a table ({error})") from None
    header = [name.strip() for name in rows[0]] if rows else []
    columns = ["time_s", *(f"{joint}_deg" for joint in joints)]
    missing = [name for name in columns if name not in header]
    if missing:
        more = f" and {len(missing) - 6} more" if len(missing) > 6 else ""
        raise FileProblem(path, f"lacks the column{'s'[: len(missing) > 1]} {', '.join(missing[:6])}{more}")
    if len(rows) < 3:
        raise FileProblem(path, "holds fewer than two samples")
    places = [header.index(name) for name in columns]
    values = np.array([numbers(path, line, row, places) for line, row in enumerate(rows[1:], start=2)])
    check_times(path, values[:, 0])
    return Recording(tuple(joints), values[:, 0], np.radians(values[:, 1:]))


def numbers(path: Path, line: int, row: list[str], places: list[int]) -> list[float]:
    """The wanted cells of a row as finite numbers."""
    try:
        found = [float(row[place]) for place in places]
    except (ValueError, IndexError):
        raise FileProblem(path, f"row {line} is incomplete or no number: {short(','.join(row))}") from None
    if not np.isfinite(found).all():
        raise FileProblem(path, f"row {line} holds a number that is not finite: {short(','.join(row))}")
    return found


def check_times(path: Path, times: NDArray) -> None:
    """Refuse a time below zero, and times that go back or stand still."""
    if times[0] < 0.0:
        raise FileProblem(path, f"starts at time_s = {times[0]:g}; must start at 0 or later")
    back = np.flatnonzero(np.diff(times) <= 0.0)
    if back.size:
        at = int(back[0])
        raise FileProblem(path, f"time_s goes back in row {at + 3}: {times[at + 1]:g} after {times[at]:g}")


def compare(recording: Recording, simulated: NDArray) -> list[Comparison]:
    """Each joint's distance from simulated angles (samples, joints) [rad] at the recording's own times."""
    found = []
    for k, joint in enumerate(recording.joints):
        ours, theirs, times = simulated[:, k], recording.angles[:, k], recording.times
        distance = np.abs(theirs - ours)
        worst, peak, simulated_peak = (int(np.argmax(x)) for x in (distance, np.abs(theirs), np.abs(ours)))
        found.append(
            Comparison(
                joint, float(np.sqrt(np.mean(distance**2))), float(distance[worst]), float(times[worst]),
                float(theirs[peak]), float(times[peak]), float(ours[simulated_peak]), float(times[simulated_peak]),
            )
        )  # fmt: skip
    return found


def write_log(recording: Recording, path: Path) -> None:
    """The table that read_log() reads."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["time_s", *(f"{joint}_deg" for joint in recording.joints)])
        for time, row in zip(recording.times, np.degrees(recording.angles)):
            writer.writerow([f"{time:.4f}", *(f"{angle:.4f}" for angle in row)])
