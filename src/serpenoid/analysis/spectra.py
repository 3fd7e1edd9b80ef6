"""Spectra of a run: windowed spectra whose peaks are amplitudes, dominant frequencies, amplitudes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.window import samples
from serpenoid.errors import InvalidValue, require
from serpenoid.trajectory import Trajectory

PADDING = 8  # zero-padding, so that a line between two bins keeps its height
LEAST = 8  # fewest samples of a spectrum
LEAST_CYCLES = 1.95  # fewest cycles of a line: below two the window smears it, and a drift looks the same


class Spectrum(NamedTuple):
    """Amplitudes over frequency; a sine of amplitude A is a peak of height A."""

    frequency: NDArray  # (lines,) [Hz], from 0
    amplitude: NDArray  # (lines, ...) in the unit of the transformed signal


class Oscillation(NamedTuple):
    """The dominant line: one frequency for all columns, amplitude and phase of each."""

    frequency: float  # [Hz]
    amplitude: NDArray  # (columns,)
    phase: NDArray  # (columns,) [rad] of sin(2 pi f t + phase)


def spectrum_of(times: NDArray, values: NDArray) -> Spectrum:
    """Compute |2 sum_k w_k (x_k - mean) exp(-2 pi i f t_k)| / sum_k w_k along axis 0, with the Hann window w."""
    times, values = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
    step = even_step(times)
    window = hann(times.size).reshape(-1, *[1] * (values.ndim - 1))
    centred = values - (window * values).sum(axis=0) / window.sum()
    lines = np.fft.rfft(window * centred, PADDING * times.size, axis=0)
    return Spectrum(np.fft.rfftfreq(PADDING * times.size, step), 2.0 * np.abs(lines) / window.sum())


def spectrum(
    run: Trajectory, variable: str = "joint_position", start: float | None = None, end: float | None = None
) -> Spectrum:
    """Return the spectrum of a variable of a run, column by column."""
    chosen = samples(run, start, end, LEAST)
    return spectrum_of(run.times[chosen], run[variable][chosen])


def oscillation_of(times: NDArray, values: NDArray) -> Oscillation:
    """Return the frequency of the highest line over all columns, and a weighted least-squares sine at it.

    0 if nothing moves; NaN if the times span less than two cycles of the largest motion.
    """
    times = np.asarray(times, dtype=float)
    columns = np.asarray(values, dtype=float).reshape(times.size, -1)
    frequency, amplitude = spectrum_of(times, columns)
    power = (amplitude**2).sum(axis=1)
    lowest = int(np.searchsorted(frequency, 1.0 / (times[-1] - times[0])))  # slower than the window: a trend
    peak = lowest + int(np.argmax(power[lowest:]))
    rounding = (1e-13 * np.abs(columns).max()) ** 2 * columns.shape[1]
    if power[peak] <= rounding or peak + 1 >= power.size:
        return Oscillation(0.0, np.zeros(columns.shape[1]), np.zeros(columns.shape[1]))
    found = float(frequency[1] * (peak + summit(power[peak - 1 : peak + 2])))
    if found * (times[-1] - times[0]) < LEAST_CYCLES:
        return Oscillation(np.nan, np.full(columns.shape[1], np.nan), np.full(columns.shape[1], np.nan))
    return Oscillation(found, *fitted_sine(times, columns, found))


def summit(heights: NDArray) -> float:
    """Return the top of the parabola through the logarithms of three heights, in steps from the middle one."""
    low, middle, high = np.log(np.maximum(heights, 1e-300))
    bend = low - 2.0 * middle + high
    return float(np.clip(0.5 * (low - high) / bend, -0.5, 0.5)) if bend < 0.0 else 0.0


def fitted_sine(times: NDArray, columns: NDArray, frequency: float) -> tuple[NDArray, NDArray]:
    """Fit a + b cos + c sin at one frequency, least squares under the Hann window; return amplitude and phase."""
    angle = 2.0 * np.pi * frequency * times
    weight = np.sqrt(hann(times.size))[:, None]
    basis = np.stack([np.ones_like(angle), np.cos(angle), np.sin(angle)], axis=1)
    _, cosine, sine = np.linalg.lstsq(weight * basis, weight * columns, rcond=None)[0]
    return np.hypot(cosine, sine), np.arctan2(cosine, sine)


def oscillation(
    run: Trajectory, variable: str = "joint_position", start: float | None = None, end: float | None = None
) -> Oscillation:
    """Return the dominant oscillation of a variable of a run."""
    chosen = samples(run, start, end, LEAST)
    return oscillation_of(run.times[chosen], run[variable][chosen])


def dominant_frequency(
    run: Trajectory, variable: str = "joint_position", start: float | None = None, end: float | None = None
) -> float:
    """Return the dominant frequency [Hz] of a variable; 0 if nothing moves, NaN for less than two cycles."""
    return oscillation(run, variable, start, end).frequency


def amplitude(
    run: Trajectory, variable: str = "joint_position", start: float | None = None, end: float | None = None
) -> NDArray:
    """Return the amplitude of each joint (column) at the dominant frequency, in the unit of the variable."""
    return oscillation(run, variable, start, end).amplitude


def hann(count: int) -> NDArray:
    """Return the periodic Hann window, which limits the leakage of a line between two bins."""
    return 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(count) / count)


def even_step(times: NDArray) -> float:
    """Return the step of evenly spaced times."""
    require(times.size >= LEAST, "times", times.size, f"at least {LEAST} samples")
    steps = np.diff(times)
    step = float(steps.mean())
    if not np.all(np.abs(steps - step) <= 1e-6 * step):
        raise InvalidValue("times", (float(steps.min()), float(steps.max())), "evenly spaced")
    return step
