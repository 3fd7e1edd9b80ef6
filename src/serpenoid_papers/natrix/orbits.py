"""Beyond the paper: forced periodic orbits of the robot with its light head over frequency, and their stability."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.gaits import Undulation
from serpenoid.mechanics.floquet import Floquet, orbits
from serpenoid.plotting.style import ACCENT, COLOURS, GREY, INK, dressed, labelled, legend, new_figure, write
from serpenoid.robots import Natrix
from serpenoid.scenarios.natrix import NatrixAfloat
from serpenoid.sweeps.executors import cores
from serpenoid.worlds import WaterSurface
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.natrix.response import capsizing_band
from serpenoid_papers.natrix.runs import Cell, cells_over

UNSTABLE = 1.001  # a larger multiplier counts as outside the unit circle


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    amplitude: float = 0.25
    """Q [rad]"""
    ways: tuple[tuple[float, float], ...] = ((2.0, 1.3), (1.3, 1.1), (1.3, 1.4))
    """first and last frequencies of each continuation [Hz]"""
    most: int = 40
    """maximum orbits of each continuation"""
    frequencies: tuple[float, ...] = tuple(np.arange(1.1, 1.735, 0.01).round(2).tolist())
    """frequencies of the simulations from rest [Hz]"""
    duration: float = 60.0
    """duration of each simulation [s]"""

    @classmethod
    def quick(cls) -> Config:
        """Use the continuation from above and a few simulations."""
        return cls(ways=((2.0, 1.45),), most=12, frequencies=(1.3, 1.4, 1.5, 1.6, 1.7))

    @classmethod
    def tiny(cls) -> Config:
        """Use two orbits and one short simulation."""
        return cls(ways=((2.0, 1.9),), most=2, frequencies=(1.4,), duration=2.0)


class Result(NamedTuple):
    """Orbits of each continuation, and runs from rest."""

    ways: list[list[Floquet]]
    cells: list[Cell]


def run(config: Config, progress: Progress) -> Result:
    """Run all continuations in parallel."""
    robot, world = Natrix(), WaterSurface()

    def follow(way: tuple[float, float]) -> list[Floquet]:
        return orbits(robot, world, Undulation(config.amplitude, way[0]), way[1], config.most)

    progress(f"natrix: {len(config.ways)} continuations of periodic orbits through the band")
    with ThreadPoolExecutor(cores()) as pool:
        ways = list(pool.map(follow, config.ways))
    return Result(
        ways, cells_over(NatrixAfloat(duration=config.duration), [config.amplitude], config.frequencies, progress)
    )


def columns(way: list[Floquet]) -> NDArray:
    """Return frequency [Hz], largest roll [deg] and largest multiplier (3, orbits)."""
    return np.array([(1.0 / o.period, np.degrees(o.largest_roll), np.abs(o.multipliers).max()) for o in way]).T


def claims(result: Result) -> list[Finding]:
    """Report whether the orbit is unstable in the band, which is not a claim of the paper."""
    measured: dict[str, Any] = {}
    band = capsizing_band(result.cells, 90.0)
    for way in result.ways:
        F, roll, largest = columns(way)
        furthest = F[np.abs(F - F[0]).argmax()]
        name = f"{F[0]:.3f} to {furthest:.3f} Hz"
        measured[f"{name}, turns back there"] = bool(F[-1] != furthest)
        measured[f"{name}, F [Hz]"] = F.round(4).tolist()
        measured[f"{name}, largest roll [deg]"] = roll.round(1).tolist()
        measured[f"{name}, largest multiplier"] = largest.round(4).tolist()
    measured["capsizes from rest at [Hz]"] = None if band is None else list(band)
    reason = (
        "Q = 0.25 rad. The orbit is stable if no multiplier leaves the unit circle. The orbit's size causes "
        "capsizing from rest: without damping, a run oscillates about the orbit and rolls further"
    )
    return [Finding("B5", measured, reason)]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the roll of the orbits and of runs from rest, and the largest multipliers."""
    picture = new_figure(9.0, 4.2)
    left, right = (dressed(axis) for axis in picture.subplots(1, 2, sharex=True))
    F, roll = np.array([(cell.frequency, min(cell.largest, 200.0)) for cell in result.cells]).T
    left.plot(F, roll, ".-", color=GREY, linewidth=0.7, label="largest roll of a run from rest")
    for colour, way in zip(COLOURS, result.ways):
        F, roll, largest = columns(way)
        left.plot(F, roll, "o-", color=colour, markersize=3, label=f"orbits, {F[0]:.2f} to {F[-1]:.2f} Hz")
        right.plot(F, largest, "o-", color=colour, markersize=3)
        left.plot(F[largest > UNSTABLE], roll[largest > UNSTABLE], "x", color=INK)
    band = capsizing_band(result.cells, 90.0)
    for axis in (left, right):
        if band is not None:
            axis.axvspan(*band, color=ACCENT, alpha=0.12)
    left.axhline(90.0, color=GREY, linestyle=":")
    labelled(left, "F [Hz]", "largest roll [deg], at most 200", "light head (x: unstable orbit; red: capsizes)")
    legend(left, loc="upper left", bbox_to_anchor=(0.0, -0.18))
    labelled(right, "F [Hz]", "largest multiplier", "Floquet multipliers of the orbits")
    right.set_ylim(bottom=0.99)
    return [write(picture, folder / "natrix_orbits.png")]
