"""Fig. 6 A-C (N5-N7): the head's roll over the gait's frequency, beats, and the band in which the robot capsizes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.gaits import Undulation
from serpenoid.plotting.style import ACCENT, COLOURS, INK, dressed, labelled, legend, new_figure, write
from serpenoid.robots import Natrix
from serpenoid.scenarios.natrix import NatrixAfloat
from serpenoid.scenarios.natrix_roll import strongest_lines
from serpenoid.worlds import WaterSurface
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.natrix.runs import (
    BEATING,
    KIND_COLOURS,
    KINDS,
    OVERTURNING,
    Cell,
    cells_over,
    mean_roll_frequency,
    roll_history,
)

SHOWN = (0.8, 1.26, 1.36, 1.6)  # frequencies whose roll is plotted over time [Hz]


def fine(step: float) -> tuple[float, ...]:
    """Return frequencies from 0.5 to 3 Hz, finer near the band."""
    coarse = np.concatenate((np.arange(0.5, 1.2, 0.1), np.arange(1.7, 3.01, 0.1)))
    return tuple(np.round(np.sort(np.concatenate((coarse, np.arange(1.2, 1.7, step)))), 4).tolist())


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    amplitude: float = 0.25
    """Q [rad]"""
    frequencies: tuple[float, ...] = field(default_factory=lambda: fine(0.01))
    """F [Hz]"""
    duration: float = 60.0
    """duration of each run [s]"""

    @classmethod
    def quick(cls) -> Config:
        """Use a spacing of 0.02 Hz near the band."""
        return cls(frequencies=fine(0.02))

    @classmethod
    def tiny(cls) -> Config:
        """Use five frequencies and two seconds."""
        return cls(frequencies=(0.8, 1.2, 1.4, 1.6, 2.0), duration=2.0)


class Result(NamedTuple):
    """All runs, and the time series of some."""

    cells: list[Cell]
    series: dict[float, tuple[NDArray, NDArray]]  # frequency -> times, roll [rad]
    mean_frequency: float  # mean roll eigenfrequency over the gait [Hz]
    amplitude: float  # [rad]


def run(config: Config, progress: Progress) -> Result:
    """Compute deviation and class of every run, and time series of the paper's three kinds."""
    progress(f"natrix: {len(config.frequencies)} runs of {config.duration:g} s over the frequency")
    cells = cells_over(NatrixAfloat(duration=config.duration), [config.amplitude], config.frequencies, progress)
    shown = {
        F: roll_history(NatrixAfloat(gait=Undulation(config.amplitude, F), duration=config.duration)) for F in SHOWN
    }
    frequency = mean_roll_frequency(Natrix(), WaterSurface(), config.amplitude).mean()
    return Result(cells, shown, float(frequency), config.amplitude)


def capsizing_band(cells: list[Cell], threshold: float) -> tuple[float, float] | None:
    """Return first and last frequency of the widest contiguous range of cells whose roll exceeds a threshold [deg]."""
    best: tuple[float, float] | None = None
    start: float | None = None
    for cell in sorted(cells, key=lambda c: c.frequency):
        if cell.largest > threshold:
            start = cell.frequency if start is None else start
            if best is None or cell.frequency - start > best[1] - best[0]:
                best = (start, cell.frequency)
        else:
            start = None
    return best


def claims(result: Result) -> list[Finding]:
    """Report the findings on N5, N6, N7."""
    cells = sorted(result.cells, key=lambda c: c.frequency)
    capsizing, over = capsizing_band(cells, 90.0), capsizing_band(cells, 180.0)
    return [
        response_claim(cells, capsizing),
        beats_claim(result, cells, capsizing),
        band_claim(result, capsizing, over),
    ]


def response_claim(cells: list[Cell], band: tuple[float, float] | None) -> Finding:
    """Report N5: rank correlation of deviation and frequency below and above the largest response without capsizing."""
    from scipy.stats import spearmanr

    upright = [cell for cell in cells if cell.largest <= 90.0]
    frequency, deviation = np.array([(c.frequency, c.deviation) for c in upright]).T
    peak = float(frequency[deviation.argmax()]) if band is None else 0.5 * (band[0] + band[1])
    below, above = frequency <= peak, frequency >= peak
    measured: dict[str, Any] = {
        "rank correlation below": float(spearmanr(frequency[below], deviation[below]).statistic),
        "rank correlation above": float(spearmanr(frequency[above], deviation[above]).statistic),
        "resonance [Hz]": peak,
        "grows towards 1.5-2 Hz": bool(1.5 <= peak <= 2.0),
    }
    reason = (
        "standard deviation of the head's roll over F from 0.5 to 3 Hz, without capsized runs. The response grows "
        "towards the roll resonance, not towards 1.5-2 Hz as the paper states"
    )
    return Finding("N5", measured, reason)


def beats_claim(result: Result, cells: list[Cell], band: tuple[float, float] | None) -> Finding:
    """Report N6: cells with two close lines on either side of the band, and the lines of two shown runs."""
    low, high = band or (1.4, 1.4)
    below = [c.frequency for c in cells if c.kind == BEATING and c.frequency < low]
    above = [c.frequency for c in cells if c.kind == BEATING and c.frequency > high]
    measured: dict[str, Any] = {"beating below [Hz]": below, "beating above [Hz]": above}
    for F in (1.26, 1.6):
        measured[f"lines at F = {F} [Hz]"] = [line[0] for line in strongest_lines(*result.series[F])]
    return Finding("N6", measured, "two lines within 0.3 Hz, the lower at least 0.3 of the higher, in 60 s")


def band_claim(result: Result, capsizing: Any, over: Any) -> Finding:
    """Report N7: band edges for both thresholds."""
    if capsizing is None:
        return Finding("N7", {"90 deg [Hz]": None, "180 deg [Hz]": None}, "no run exceeded 90 deg")
    centre = 0.5 * (capsizing[0] + capsizing[1])
    measured = {
        "90 deg [Hz]": list(capsizing),
        "180 deg [Hz]": None if over is None else list(over),
        "width [Hz]": capsizing[1] - capsizing[0],
        "mean roll frequency of the gait [Hz]": result.mean_frequency,
        "centre over mean roll frequency": centre / result.mean_frequency,
    }
    return Finding(
        "N7", measured, "Q = 0.25, 60 s, initial roll of 1 deg, 1 ms; the upper edge of 180 deg is not robust"
    )


def figure(result: Result, folder: Path) -> list[Path]:
    """Draw Fig. 6: deviation over frequency and four time series."""
    picture = new_figure(10.0, 6.0)
    grid = picture.add_gridspec(3, 2, height_ratios=[1.4, 1.0, 1.0])
    response = dressed(picture.add_subplot(grid[0, :]))
    for mark, colour, kind in zip("o^v*", (INK, COLOURS[3], ACCENT, KIND_COLOURS[OVERTURNING]), KINDS):
        points = np.array([(c.frequency, c.deviation) for c in result.cells if c.kind == kind]).reshape(-1, 2)
        response.semilogy(points[:, 0], points[:, 1], mark, color=colour, markersize=5, label=kind)
    response.axvspan(1.33, 1.41, color="#dfe5ea", label="capsizing in the paper")
    response.axvline(result.mean_frequency, color=COLOURS[4], linestyle="--", label="mean roll frequency of the gait")
    labelled(response, "F [Hz]", "deviation of roll [deg]", f"Fig. 6: Q = {result.amplitude:g} rad")
    legend(response)
    for i, (F, (times, roll)) in enumerate(result.series.items()):
        axis = dressed(picture.add_subplot(grid[1 + i // 2, i % 2]))
        axis.plot(times, np.degrees(roll), color=COLOURS[0], linewidth=0.7)
        labelled(axis, "time [s]", "roll [deg]", f"F = {F} Hz")
    return [write(picture, folder / "natrix_response.png")]
