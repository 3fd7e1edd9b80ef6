"""Beyond the paper: effect of drag, damping and added mass on the instability, and the least stabilising damping."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from serpenoid.gaits import Undulation
from serpenoid.mechanics.bisection import edge_of
from serpenoid.plotting.style import ACCENT, COLOURS, INK, dressed, labelled, new_figure, write
from serpenoid.scenarios.natrix import NatrixAfloat
from serpenoid.sweeps.executors import cores
from serpenoid.worlds import WaterSurface
from serpenoid.worlds.water import Hydrodynamics
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.natrix.runs import roll_history

# Each kind with its largest value and unit.
KINDS = {"roll_damping": 0.01, "wave_damping": 10.0, "linear_drag": 8.0, "quadratic_drag": 0.4, "added_mass": 1.0}
UNITS = {"roll_damping": "N s", "wave_damping": "N s/m^2", "linear_drag": "N s/m^2"}


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    frequencies: tuple[float, ...] = (1.34, 1.36, 1.38, 1.40, 1.42, 1.44, 1.46)
    """F over the band [Hz]"""
    added_masses: tuple[float, ...] = (0.0, 0.25, 0.5, 1.0)
    """transverse added mass coefficients whose band is computed [-]"""
    spacing: float = 0.02
    """spacing of the frequencies of those bands [Hz]"""
    tried: int = 20
    """number of evenly spaced values of each coefficient, up to the largest"""
    rounds: int = 4
    """bisections of the interval above the largest value that capsizes"""
    duration: float = 60.0
    """duration of each run [s]"""

    @classmethod
    def quick(cls) -> Config:
        """Use two frequencies, 30 s and a coarse search."""
        return cls(frequencies=(1.36, 1.42), added_masses=(0.0, 0.5), spacing=0.06, tried=5, rounds=2, duration=30.0)

    @classmethod
    def tiny(cls) -> Config:
        """Use one frequency, one value and two seconds."""
        return cls(frequencies=(1.36,), added_masses=(0.5,), spacing=0.3, tried=1, rounds=1, duration=1.0)


class Result(NamedTuple):
    """Least coefficient by kind and frequency (NaN if the largest value does not suffice), and bands by added mass."""

    least: dict[str, list[float]]
    frequencies: tuple[float, ...]
    capsizing_bands: dict[float, list[float]]  # added mass coefficient -> frequencies that capsize [Hz]
    resolution: float  # resolution of the least coefficients, relative to the largest value
    duration: float


def run(config: Config, progress: Progress) -> Result:
    """Scan and bisect each coefficient at each frequency, with the others zero, on all cores."""
    least: dict[str, list[float]] = {}
    capsizing_bands: dict[float, list[float]] = {}
    grid = np.arange(1.08, 1.5, config.spacing).round(3).tolist()
    with ThreadPoolExecutor(cores()) as pool:
        for kind in KINDS:
            progress(f"natrix: least {kind.replace('_', ' ')}")
            least[kind] = list(pool.map(lambda F, kind=kind: least_coefficient(config, kind, F), config.frequencies))
        for coefficient in config.added_masses:
            progress(f"natrix: band with added mass {coefficient}")
            flow = Hydrodynamics(added_mass=coefficient)
            over = pool.map(lambda F, flow=flow: capsizes(flow, F, config.duration), grid)
            capsizing_bands[coefficient] = [F for F, capsized in zip(grid, over) if capsized]
    return Result(least, config.frequencies, capsizing_bands, 1.0 / config.tried / 2**config.rounds, config.duration)


def least_coefficient(config: Config, kind: str, F: float) -> float:
    """Return the smallest value such that this and all larger tested ones keep the roll below 90 deg."""
    most = KINDS[kind]

    def too_little(value: float) -> bool:
        changed: dict[str, Any] = {kind: value}
        return capsizes(Hydrodynamics(**changed), F, config.duration)

    values = np.linspace(0.0, most, config.tried + 1).tolist()
    last = next((i for i in reversed(range(len(values))) if too_little(values[i])), None)
    if last is None:
        return 0.0
    if last == config.tried:
        return float("nan")
    return edge_of(too_little, values[last], values[last + 1], 1.01 * most / config.tried / 2**config.rounds)[1]


def capsizes(flow: Hydrodynamics, F: float, duration: float) -> bool:
    """Return whether roll exceeds 90 deg at Q = 0.25 rad."""
    world = WaterSurface(hydrodynamics=flow)
    run = NatrixAfloat(world=world, gait=Undulation(0.25, F), duration=duration, step=0.002)
    return bool(np.abs(roll_history(run)[1]).max() > 0.5 * np.pi)


def claims(result: Result) -> list[Finding]:
    """Report on the paper's open question of wave damping and added mass, which is not a claim."""
    measured: dict[str, Any] = {"frequencies [Hz]": list(result.frequencies)}
    for kind, values in result.least.items():
        known = [None if np.isnan(value) else round(value, 6) for value in values]
        measured[f"least {kind.replace('_', ' ')} [{UNITS.get(kind, '-')}]"] = known
    measured |= {f"capsizes with added mass {c} at [Hz]": band for c, band in result.capsizing_bands.items()}
    tried = ", ".join(f"{kind.replace('_', ' ')} {most:g}" for kind, most in KINDS.items())
    reason = (
        f"Q = 0.25 rad, {result.duration:g} s, initial roll of 1 deg. One coefficient at a time acts on each wetted "
        f"body, per metre of its length. Null if the largest value ({tried}) does not suffice; resolved to "
        f"{result.resolution:.2g} of that"
    )
    return [Finding("B3", measured, reason)]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the least coefficients over frequency, one panel per kind, and the bands by added mass."""
    picture = new_figure(9.0, 5.0)
    panels = [dressed(axis) for axis in picture.subplots(2, 3).ravel()]
    for axis, (kind, values) in zip(panels, result.least.items()):
        axis.plot(result.frequencies, values, "o-", color=COLOURS[0], markersize=4)
        for F, value in zip(result.frequencies, values):
            if np.isnan(value):
                axis.plot(F, KINDS[kind], "x", color=ACCENT)
        labelled(axis, "F [Hz]", f"least {kind.replace('_', ' ')} [{UNITS.get(kind, '-')}]")
        axis.set_ylim(bottom=0.0)
    for coefficient, band in result.capsizing_bands.items():
        panels[5].plot(band, [coefficient] * len(band), "s", color=ACCENT, markersize=4)
    labelled(panels[5], "F [Hz]", "coefficient [-]", "capsizes with added mass")
    title = f"Least damping for a roll below 90 deg during {result.duration:g} s at Q = 0.25 rad (x: not reached)"
    picture.suptitle(title, fontsize=10.5, color=INK)
    return [write(picture, folder / "natrix_damping.png")]
