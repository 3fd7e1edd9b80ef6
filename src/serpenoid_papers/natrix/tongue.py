"""Fig. 6, right (N8): plane of amplitude and frequency, each cell forced, beating, capsized or turned over."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from serpenoid.plotting.style import labelled, new_figure, write
from serpenoid.scenarios.natrix import NatrixAfloat
from serpenoid_papers.base import Finding, Progress, SweepConfig
from serpenoid_papers.natrix.response import capsizing_band
from serpenoid_papers.natrix.runs import BEATING, KIND_COLOURS, KINDS, Cell, cells_over


@dataclass(frozen=True)
class Config(SweepConfig):
    """Configuration of the experiment."""

    amplitudes: int = 40
    """values of Q from 0.05 to 0.45 rad"""
    frequencies: int = 60
    """values of F from 1.1 to 1.69 Hz, 0.01 Hz apart"""
    duration: float = 60.0
    """duration of each run [s]"""

    @classmethod
    def quick(cls) -> Config:
        """Use five amplitudes, 0.04 Hz apart."""
        return cls(amplitudes=5, frequencies=15)

    @classmethod
    def tiny(cls) -> Config:
        """Use two by three short runs."""
        return cls(amplitudes=2, frequencies=3, duration=2.0)


class Result(NamedTuple):
    """All cells."""

    cells: list[Cell]
    duration: float


def run(config: Config, progress: Progress) -> Result:
    """Run every cell of the grid."""
    amplitudes, frequencies = grid(0.05, 0.45, config.amplitudes), grid(1.1, 1.69, config.frequencies)
    scenario = NatrixAfloat(duration=config.duration)
    return Result(cells_over(scenario, amplitudes, frequencies, progress, config.store), config.duration)


def grid(low: float, high: float, count: int) -> list[float]:
    """Return evenly spaced values without rounding noise in the last digits."""
    return np.linspace(low, high, count).round(6).tolist()


def capsizing_bands(result: Result, threshold: float) -> dict[float, tuple[float, float]]:
    """Return first and last frequency [Hz] at which roll exceeds a threshold [deg], by amplitude, where it does."""
    found = {}
    for Q in sorted({cell.amplitude for cell in result.cells}):
        band = capsizing_band([cell for cell in result.cells if cell.amplitude == Q], threshold)
        if band is not None:
            found[Q] = band
    return found


def claims(result: Result) -> list[Finding]:
    """Report the finding on N8."""
    found = capsizing_bands(result, 90.0)
    centres = [0.5 * (low + high) for low, high in found.values()]
    between = 0
    for Q, (low, high) in found.items():
        beats = [c.frequency for c in result.cells if c.amplitude == Q and c.kind == BEATING]
        between += bool(beats) and min(beats) < low and max(beats) > high
    measured: dict[str, Any] = {
        "amplitudes that capsize": len(found),
        "of them between beats": between,
        "shift per rad [Hz]": float(np.polyfit(list(found), centres, 1)[0]) if len(found) > 1 else None,
        "cells": {kind: sum(cell.kind == kind for cell in result.cells) for kind in KINDS},
        "90 deg [Hz] by amplitude [rad]": {f"{Q:.4g}": list(band) for Q, band in found.items()},
        "180 deg [Hz] by amplitude [rad]": {
            f"{Q:.4g}": list(band) for Q, band in capsizing_bands(result, 180.0).items()
        },
    }
    reason = f"{len(result.cells)} cells of {result.duration:g} s, initial roll of 1 deg; band: roll exceeds 90 deg"
    return [Finding("N8", measured, reason)]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the map in four colours."""
    from matplotlib.colors import ListedColormap

    Q = sorted({cell.amplitude for cell in result.cells})
    F = sorted({cell.frequency for cell in result.cells})
    kinds = np.zeros((len(Q), len(F)))
    for cell in result.cells:
        kinds[Q.index(cell.amplitude), F.index(cell.frequency)] = KINDS.index(cell.kind)
    picture = new_figure(8.0, 4.6)
    axis = picture.subplots()
    colours = ListedColormap(list(KIND_COLOURS.values()))
    image = axis.pcolormesh(F, Q, kinds, cmap=colours, vmin=-0.5, vmax=3.5, shading="nearest")
    bar = picture.colorbar(image, ticks=range(4))
    bar.ax.set_yticklabels([*KINDS[:2], "capsized\n(90 deg)", "turned over\n(180 deg)"])
    labelled(axis, "F [Hz]", "Q [rad]", f"Roll of the head over {result.duration:g} s")
    return [write(picture, folder / "natrix_map.png")]
