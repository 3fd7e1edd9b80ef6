"""Analysis of a floating robot's roll: capsizing, its time, and beating."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.spectra import LEAST, spectrum_of
from serpenoid.scenarios.base import YES_OR_NO

CAPSIZED, TURNED_OVER = 0.5 * pi, pi  # thresholds of roll [rad]
BEAT_RANGE = 0.3  # largest frequency difference of two spectral lines that beat [Hz]
BEAT_SHARE = 0.3  # smallest amplitude ratio of the two lines


def roll_summary(times: NDArray, roll: NDArray) -> dict[str, tuple[Any, str]]:
    """Compute capsizing (90 deg) and turning over (180 deg) with their times (NaN: never), deviation and range of roll.

    Roll is (..., samples) [rad], each result (...). Beating (two close spectral lines) is reported only for runs that
    stay upright. A run that diverged is NaN in every quantity.
    """
    size = np.abs(roll)
    largest = size.max(axis=-1)
    capsized, turned_over = (np.where(np.isnan(largest), np.nan, largest > angle) for angle in (CAPSIZED, TURNED_OVER))
    upright = np.ravel(largest <= CAPSIZED)
    beating = [beats(times, one) if calm else False for calm, one in zip(upright, roll.reshape(-1, times.size))]
    return {
        "capsized": (capsized, YES_OR_NO),
        "capsized_at": (first_times(times, size > CAPSIZED), "s"),
        "turned_over": (turned_over, YES_OR_NO),
        "turned_over_at": (first_times(times, size > TURNED_OVER), "s"),
        "beating": (np.where(np.isnan(largest), np.nan, np.reshape(beating, largest.shape)), YES_OR_NO),
        "roll_deviation": (np.degrees(roll.std(axis=-1)), "deg"),
        "largest_roll": (np.degrees(largest), "deg"),
    }


def first_times(times: NDArray, happened: NDArray) -> NDArray:
    """Return the time of the first True along the last axis; NaN if there is none."""
    return np.where(happened.any(axis=-1), times[happened.argmax(axis=-1)], np.nan)


def beats(times: NDArray, roll: NDArray) -> bool:
    """Return whether the two strongest spectral lines are close to each other."""
    if times.size < LEAST:
        return False
    lines = strongest_lines(times, roll)
    close = len(lines) > 1 and abs(lines[0][0] - lines[1][0]) < BEAT_RANGE
    return close and lines[1][1] > BEAT_SHARE * lines[0][1]


def strongest_lines(times: NDArray, roll: NDArray, count: int = 2) -> list[tuple[float, float]]:
    """Return frequency [Hz] and amplitude [rad] of the highest local peaks of the roll spectrum, highest first."""
    frequency, amplitude = spectrum_of(times, roll)
    inner = amplitude[1:-1]
    peaks = 1 + np.flatnonzero((inner > amplitude[:-2]) & (inner >= amplitude[2:]) & (frequency[1:-1] > 0.1))
    order = peaks[np.argsort(-amplitude[peaks])][:count]
    return [(float(frequency[i]), float(amplitude[i])) for i in order]
