"""Fig. 6, right (N8): the plane of amplitude and frequency, each cell forced, beating or capsized."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from serpenoid.experiments.base import Finding, Progress
from serpenoid.experiments.natrix.response import band_of
from serpenoid.experiments.natrix.runs import BEATING, CAPSIZING, FORCED, Cell, cells_of, gaits
from serpenoid.kernels.tree_block import LANES
from serpenoid.scenarios.natrix import NatrixAfloat


@dataclass(frozen=True)
class Config:
    """What is run."""

    amplitudes: int = 40
    """values of Q from 0.05 to 0.45 rad"""
    frequencies: int = 60
    """values of F from 1.1 to 1.69 Hz: 0.01 Hz apart"""
    duration: float = 60.0
    """of each run [s]"""

    @classmethod
    def quick(cls) -> Config:
        """Five amplitudes, 0.04 Hz apart."""
        return cls(amplitudes=5, frequencies=15)


class Result(NamedTuple):
    """All cells."""

    cells: list[Cell]
    duration: float


def run(config: Config, progress: Progress) -> Result:
    """Every cell of the grid."""
    pairs = gaits(np.linspace(0.05, 0.45, config.amplitudes), np.linspace(1.1, 1.69, config.frequencies))
    cells: list[Cell] = []
    row = 2 * LANES  # a block for each of two cores
    for start in range(0, len(pairs), row):
        progress(f"natrix: cell {start} of {len(pairs)} of the map")
        runs = [NatrixAfloat(gait=gait, duration=config.duration) for gait in pairs[start : start + row]]
        cells += cells_of(runs)
    return Result(cells, config.duration)


def bands(result: Result) -> dict[float, tuple[float, float]]:
    """The band of capsizing by amplitude, where there is one [Hz]."""
    found = {}
    for Q in sorted({cell.amplitude for cell in result.cells}):
        band = band_of([cell for cell in result.cells if cell.amplitude == Q], 90.0)
        if band is not None:
            found[Q] = band
    return found


def claims(result: Result) -> list[Finding]:
    """N8."""
    found = bands(result)
    centres = [0.5 * (low + high) for low, high in found.values()]
    between = []
    for Q, (low, high) in found.items():
        beats = [c.frequency for c in result.cells if c.amplitude == Q and c.kind == BEATING]
        between.append(bool(beats) and min(beats) < low and max(beats) > high)
    kinds = {kind: sum(cell.kind == kind for cell in result.cells) for kind in (FORCED, BEATING, CAPSIZING)}
    measured: dict[str, Any] = {
        "amplitudes that capsize [rad]": [round(Q, 4) for Q in found],
        "band centres [Hz]": [round(centre, 4) for centre in centres],
        "shift per rad [Hz]": float(np.polyfit(list(found), centres, 1)[0]) if len(found) > 1 else None,
        "between beats": between,
        "cells": kinds,
    }
    reason = f"{len(result.cells)} cells of {result.duration:g} s, seed of 1 deg; the band is where roll passes 90 deg"
    return [Finding("N8", measured, reason)]


def figure(result: Result, folder: Path) -> list[Path]:
    """The map in three colours."""
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure

    Q = sorted({cell.amplitude for cell in result.cells})
    F = sorted({cell.frequency for cell in result.cells})
    kinds = np.zeros((len(Q), len(F)))
    for cell in result.cells:
        kinds[Q.index(cell.amplitude), F.index(cell.frequency)] = (FORCED, BEATING, CAPSIZING).index(cell.kind)
    picture = Figure(figsize=(8.0, 4.6), layout="constrained")
    axis = picture.subplots()
    colours = ListedColormap(["#e8e8e8", "#8fb8de", "#c62828"])
    image = axis.pcolormesh(F, Q, kinds, cmap=colours, vmin=-0.5, vmax=2.5, shading="nearest")
    bar = picture.colorbar(image, ticks=[0, 1, 2])
    bar.ax.set_yticklabels([FORCED, BEATING, CAPSIZING])
    axis.set(xlabel="F [Hz]", ylabel="Q [rad]", title=f"Roll of the head over {result.duration:g} s")
    path = folder / "natrix_map.png"
    picture.savefig(path, dpi=100)
    return [path]
