"""Selection of samples for figures of long runs: a window of a few cycles, envelopes, distinct shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid import analysis
from serpenoid.analysis.spectra import LEAST
from serpenoid.errors import InvalidValue
from serpenoid.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_CYCLES = 12  # of joints drawn as lines; more would be a solid block
SHOWN_CYCLES = 6  # in the window of a longer run
MOST_SWINGS = 60  # oscillations of a single series drawn as a line
SWINGS = 2  # oscillations per piece of an envelope
BINS = (20, 240)  # least and most pieces of an envelope
CALM = 8  # least pieces per oscillation of their means; fewer would show the piece boundaries, not the mean
PERIOD_APART = 0.75  # snapshots at least this many periods apart are shifted, so that their shapes differ
MOST_LENGTHS = 8.0  # travelled distance in body lengths up to which the shape is visible


def frequency_of(run: Trajectory) -> float:
    """Return the frequency of the joints [Hz]; 0 if they do not oscillate."""
    if "joint_position" not in run or run.times.size < LEAST or run["joint_position"].shape[1] == 0:
        return 0.0
    try:
        found = analysis.dominant_frequency(run)
    except InvalidValue:  # samples at uneven times
        return 0.0
    return found if np.isfinite(found) else 0.0


def window(run: Trajectory) -> slice:
    """Return all samples of a run, or the last six cycles of a long run."""
    frequency = frequency_of(run)
    if frequency * run.duration <= MOST_CYCLES:
        return slice(0, run.times.size)
    return slice(int(np.searchsorted(run.times, run.times[-1] - SHOWN_CYCLES / frequency)), run.times.size)


def time_label(run: Trajectory, shown: slice) -> str:
    """Return the label of a time axis, with the part of the run that it shows."""
    if not shown.start:
        return "time [s]"
    return f"time [s], the last {run.times[-1] - run.times[shown.start]:.2g} of {run.duration:g} s"


def curve(axes: Axes, x: NDArray, y: NDArray, label: str, frequency: float = 0.0, **style: Any) -> None:
    """Plot a line; if it oscillates too often to be visible, plot its envelope and mean.

    Pieces of an envelope contain whole cycles of a known frequency [Hz], so that the mean of a steady signal is a
    straight line.
    """
    count = swings(y)
    if count <= MOST_SWINGS or y.size < 4 * BINS[0]:
        axes.plot(x, y, label=label, **style)
        return
    pieces = min(max(count // SWINGS, BINS[0]), BINS[1], y.size // 4)
    ends = cycle_ends(x, pieces, frequency)
    if ends.size > BINS[0]:
        edges = np.append(0, np.searchsorted(x, ends[1:-1]))
        places, middle = 0.5 * (ends[1:] + ends[:-1]), means_between(x, y, ends)
    else:
        edges, middle = calm_pieces(y, pieces)
        places = piece_means(x, edges.size)[1]
    low, high = np.minimum.reduceat(y, edges), np.maximum.reduceat(y, edges)
    axes.fill_between(places, low, high, color=style.get("color"), alpha=0.3, linewidth=0.0)
    axes.plot(places, middle, label=f"{label} (mean and range)", **style)


def cycle_ends(x: NDArray, pieces: int, frequency: float) -> NDArray:
    """Return the ends of about `pieces` pieces of whole cycles, counted back from the last time; empty without
    cycles."""
    span = float(x[-1] - x[0])
    if frequency * span < 1.0:
        return np.empty(0)
    length = max(1, round(frequency * span / pieces)) / frequency
    return x[-1] - length * np.arange(int(span / length + 1e-9), -1, -1)


def means_between(x: NDArray, y: NDArray, ends: NDArray) -> NDArray:
    """Return the means of a series between successive times by the trapezoidal rule; times may lie between samples."""
    areas = np.append(0.0, np.cumsum(0.5 * (y[1:] + y[:-1]) * np.diff(x)))
    return np.diff(np.interp(ends, x, areas)) / np.diff(ends)


def calm_pieces(y: NDArray, pieces: int) -> tuple[NDArray, NDArray]:
    """Compute `piece_means` with fewer pieces if small oscillations were counted that would cut a large one."""
    edges, middle = piece_means(y, pieces)
    while pieces > BINS[0] and CALM * swings(middle) > pieces:
        pieces = max(pieces // 2, BINS[0])
        edges, middle = piece_means(y, pieces)
    return edges, middle


def piece_means(y: NDArray, pieces: int) -> tuple[NDArray, NDArray]:
    """Return the start of each of `pieces` pieces of a series, and its mean."""
    edges = np.linspace(0, y.size, pieces + 1).astype(int)[:-1]
    return edges, np.add.reduceat(y, edges) / np.diff(np.append(edges, y.size))


def swings(y: NDArray) -> int:
    """Count the oscillations of a series; those below a thousandth of its range do not count."""
    steps = np.diff(np.round(y / max(1e-3 * float(np.ptp(y)), 1e-300)))
    steps = steps[np.isfinite(steps) & (steps != 0.0)]
    return int(np.count_nonzero(np.diff(np.sign(steps)))) // 2


def snapshot_samples(run: Trajectory, count: int, start: float | None = None) -> NDArray:
    """Return evenly spaced samples from `start` [s] on, shifted by up to half a period if all would show the same
    shape.

    Of n samples the k-th is shifted to the phase k / n; the first and the last stay.
    """
    first = float(run.times[0]) if start is None else start
    even = np.linspace(0.0, float(run.times[-1]) - first, count)
    frequency = frequency_of(run)
    if count > 2 and frequency * even[1] >= PERIOD_APART:
        shift = np.arange(count) / count
        even[1:-1] = ((np.round(even * frequency - shift) + shift) / frequency)[1:-1]
    return np.unique(np.abs(first + even[:, None] - run.times).argmin(axis=1))


def start_of_sight(run: Trajectory, length: float) -> float | None:
    """Return the time [s] from which a body of a length [m] moves little enough for its shape to be visible, or
    None."""
    away = np.linalg.norm(run["center_of_mass"] - run["center_of_mass"][-1], axis=1)
    far = np.flatnonzero(away > MOST_LENGTHS * length)
    return float(run.times[far[-1] + 1]) if far.size and length > 0.0 else None
