"""What the roll of a floating robot's head says: capsized or not, when, and whether it beats."""

from __future__ import annotations

from math import pi

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.spectra import LEAST, spectrum_of

CAPSIZED, TURNED_OVER = 0.5 * pi, pi  # thresholds of roll [rad]
BEAT_RANGE = 0.3  # two lines count as close when they lie within this of each other [Hz]
BEAT_SHARE = 0.3  # and the lower is at least this part of the higher


def roll_summary(times: NDArray, roll: NDArray) -> dict[str, tuple[float | bool, str]]:
    """Capsizing (90 deg) and turning over (180 deg) with their times (NaN: never), deviation and range of roll.

    Beating is told of runs that stay upright: two lines of the spectrum stand close to each other.
    """
    return {
        "capsized": (bool((np.abs(roll) > CAPSIZED).any()), ""),
        "capsized_at": (first_time(times, np.abs(roll) > CAPSIZED), "s"),
        "turned_over": (bool((np.abs(roll) > TURNED_OVER).any()), ""),
        "turned_over_at": (first_time(times, np.abs(roll) > TURNED_OVER), "s"),
        "beating": (bool((np.abs(roll) <= CAPSIZED).all()) and beats(times, roll), ""),
        "roll_deviation": (float(np.degrees(roll.std())), "deg"),
        "largest_roll": (float(np.degrees(np.abs(roll).max())), "deg"),
    }


def first_time(times: NDArray, happened: NDArray) -> float:
    """When something first happened; NaN if never."""
    return float(times[happened.argmax()]) if happened.any() else float("nan")


def beats(times: NDArray, roll: NDArray) -> bool:
    """Whether the two strongest lines of the spectrum stand close to each other."""
    if times.size < LEAST:
        return False
    lines = strongest_lines(times, roll)
    close = len(lines) > 1 and abs(lines[0][0] - lines[1][0]) < BEAT_RANGE
    return close and lines[1][1] > BEAT_SHARE * lines[0][1]


def strongest_lines(times: NDArray, roll: NDArray, count: int = 2) -> list[tuple[float, float]]:
    """Frequency [Hz] and amplitude [rad] of the highest local peaks of the roll's spectrum, highest first."""
    frequency, amplitude = spectrum_of(times, roll)
    inner = amplitude[1:-1]
    peaks = 1 + np.flatnonzero((inner > amplitude[:-2]) & (inner >= amplitude[2:]) & (frequency[1:-1] > 0.1))
    order = peaks[np.argsort(-amplitude[peaks])][:count]
    return [(float(frequency[i]), float(amplitude[i])) for i in order]
