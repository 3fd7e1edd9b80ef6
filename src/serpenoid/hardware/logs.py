"""Joint-by-joint comparison of recorded angles with a simulation."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Recording(NamedTuple):
    """Joint angles as a robot logged them."""

    joints: tuple[str, ...]
    times: NDArray  # (samples,) [s]
    angles: NDArray  # (samples, joints) [rad]


class Comparison(NamedTuple):
    """Distance of one joint of a recording from the simulation."""

    joint: str
    rms: float  # [rad]
    greatest: float  # greatest distance [rad]
    time: float  # of the greatest distance [s]
    recorded_peak: float  # angle of largest size [rad]
    recorded_peak_time: float  # first time at which it is reached [s]
    simulated_peak: float  # [rad]
    simulated_peak_time: float  # [s]


def compare(recording: Recording, simulated: NDArray) -> list[Comparison]:
    """Return each joint's distance from simulated angles (samples, joints) [rad] at the recording's own times."""
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
    """Write a table that read_log() reads."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["time_s", *(f"{joint}_deg" for joint in recording.joints)])
        for time, row in zip(recording.times, np.degrees(recording.angles)):
            writer.writerow([f"{time:.4f}", *(f"{angle:.4f}" for angle in row)])
