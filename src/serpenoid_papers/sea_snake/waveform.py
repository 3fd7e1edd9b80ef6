"""Measures of one slithering run: progress, deviation of a shape from a serpenoid, jams."""

from __future__ import annotations

from functools import lru_cache
from math import pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

WAVES = tuple(np.linspace(2.0 * pi, 4.0 * pi, 9).tolist())  # tested spatial frequencies [rad/body]


@lru_cache(maxsize=16)
def left_over(joints: int) -> NDArray:
    """Return projectors (waves, w, w) to the residual of w neighbouring joints (half a wave at 3 pi) from any
    serpenoid.

    Joints are 1 / joints of the body apart. Each spatial frequency has the projector orthogonal to its sine and cosine.
    """
    window = round(joints / 3) + 1
    place = np.arange(window) / joints
    found = []
    for wave in WAVES:
        basis = np.column_stack([np.sin(wave * place), np.cos(wave * place)])
        found.append(np.eye(window) - basis @ np.linalg.pinv(basis))
    return np.array(found)


def waveform_residual(angles: NDArray) -> NDArray:
    """Return the rms (samples,) [rad] of angles (samples, joints) minus the best serpenoid of each half wave.

    Every half wave is fitted separately: amplitude, phase, and spatial frequency within one to two waves.
    """
    projectors = left_over(angles.shape[1])
    window = projectors.shape[1]
    pieces = np.lib.stride_tricks.sliding_window_view(angles, window, axis=1)  # (samples, positions, w)
    squares = [np.einsum("spi,ij,spj->sp", pieces, projector, pieces) for projector in projectors]
    least = np.maximum(np.min(squares, axis=0), 0.0)
    return np.sqrt(least.mean(axis=1) / window)


def way_per_cycle(place: NDArray, cycle: int) -> NDArray:
    """Return the travel (cycles,) of positions (samples, 2) in each cycle of `cycle` samples [m]."""
    marks = place[:: max(cycle, 1)]
    return np.linalg.norm(np.diff(marks, axis=0), axis=1)


def path_curvature(place: NDArray, spacing: float = 0.02) -> float:
    """Return the rms curvature [1/m] of a path through positions (samples, 2), resampled at equal distances [m]."""
    way = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(place, axis=0), axis=1)))
    at = np.arange(0.0, way[-1], spacing)
    if at.size < 4:
        return float("nan")
    even = np.column_stack([np.interp(at, way, place[:, k]) for k in (0, 1)])
    heading = np.unwrap(np.arctan2(*np.diff(even, axis=0).T[::-1]))
    return float(np.sqrt(np.mean((np.diff(heading) / spacing) ** 2)))


def stretches(mask: NDArray) -> list[tuple[int, int]]:
    """Return first and one past the last index of every contiguous range in which a mask (samples,) is true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist()))


class Lags(NamedTuple):
    """Events in which a phase lagged."""

    ended: int  # above 0.5 rad and back
    recovered: int  # then below 0.1 rad in time
    stayed: int  # and within 0.1 rad on either side for an eighth of that time, not only crossing zero


def lag_events(lag: NDArray, within: int) -> Lags:
    """Return the events of a lag (ticks,) [rad], which should vanish within `within` ticks."""
    ended = recovered = stayed = 0
    for _, end in stretches(lag > 0.5):
        after = lag[end : end + within]
        back = bool((after < 0.1).any())
        if after.size == within:  # otherwise the run ended too early
            rests = any(b - a >= within // 8 for a, b in stretches(np.abs(after) < 0.1))
            ended, recovered, stayed = ended + 1, recovered + back, stayed + rests
    return Lags(ended, recovered, stayed)
