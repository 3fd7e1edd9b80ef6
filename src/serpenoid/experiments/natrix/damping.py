"""Beyond the paper: what drag, damping and added mass do to the instability; the least damping that removes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from serpenoid.experiments.base import Finding, Progress
from serpenoid.experiments.natrix.runs import roll_history
from serpenoid.gaits import Undulation
from serpenoid.scenarios.natrix import NatrixAfloat
from serpenoid.worlds import WaterSurface
from serpenoid.worlds.water import Hydrodynamics

# Each kind with the largest value that is tried: [N s], [N s/m^2], [N s/m^2], [-].
KINDS = {"roll_damping": 0.05, "wave_damping": 40.0, "linear_drag": 40.0, "quadratic_drag": 4.0}


@dataclass(frozen=True)
class Config:
    """What is run."""

    frequencies: tuple[float, ...] = (1.34, 1.36, 1.38, 1.40, 1.42, 1.44, 1.46)
    """F in the band [Hz]"""
    added_masses: tuple[float, ...] = (0.0, 0.25, 0.5, 1.0)
    """transverse added mass coefficients whose band is looked for [-]"""
    rounds: int = 7
    """halvings of the interval that holds the least damping"""
    duration: float = 60.0
    """of each run [s]"""

    @classmethod
    def quick(cls) -> Config:
        """Two frequencies, 30 s, coarse."""
        return cls(frequencies=(1.36, 1.42), added_masses=(0.0, 0.5), rounds=4, duration=30.0)


class Result(NamedTuple):
    """Least coefficient by kind and frequency (NaN: the largest tried does not suffice), and bands by added mass."""

    least: dict[str, list[float]]
    frequencies: tuple[float, ...]
    bands: dict[float, list[float]]  # added mass coefficient -> frequencies that capsize [Hz]


def run(config: Config, progress: Progress) -> Result:
    """Bisection of each coefficient at each frequency, the others zero."""
    least: dict[str, list[float]] = {}
    for kind, most in KINDS.items():
        progress(f"natrix: least {kind.replace('_', ' ')}")
        least[kind] = [least_coefficient(config, kind, most, F) for F in config.frequencies]
    bands: dict[float, list[float]] = {}
    for coefficient in config.added_masses:
        progress(f"natrix: band with added mass {coefficient}")
        grid = np.arange(0.9, 1.5, 0.02 if config.rounds > 4 else 0.06).round(3)
        flow = Hydrodynamics(added_mass=coefficient)
        bands[coefficient] = [float(F) for F in grid if capsizes(flow, float(F), config.duration)]
    return Result(least, config.frequencies, bands)


def least_coefficient(config: Config, kind: str, most: float, F: float) -> float:
    """The smallest value that keeps the roll below 90 deg, to a part of the largest tried."""
    if not capsizes(Hydrodynamics(), F, config.duration):
        return 0.0
    if capsizes(replace(Hydrodynamics(), **{kind: most}), F, config.duration):
        return float("nan")
    low, high = 0.0, most
    for _ in range(config.rounds):
        middle = 0.5 * (low + high)
        too_little = capsizes(replace(Hydrodynamics(), **{kind: middle}), F, config.duration)
        low, high = (middle, high) if too_little else (low, middle)
    return high


def capsizes(flow: Hydrodynamics, F: float, duration: float) -> bool:
    """Whether roll passes 90 deg at Q = 0.25 rad."""
    world = WaterSurface(hydrodynamics=flow)
    run = NatrixAfloat(world=world, gait=Undulation(0.25, F), duration=duration, step=0.002)
    return bool(np.abs(roll_history(run)[1]).max() > 0.5 * np.pi)


def claims(result: Result) -> list[Finding]:
    """Not a claim of the paper: its open question on wave damping and added mass."""
    measured: dict[str, Any] = {"frequencies [Hz]": list(result.frequencies)}
    units = {"roll_damping": "N s", "wave_damping": "N s/m^2", "linear_drag": "N s/m^2", "quadratic_drag": "-"}
    measured |= {f"least {kind.replace('_', ' ')} [{units[kind]}]": values for kind, values in result.least.items()}
    measured |= {f"capsizes with added mass {c} at [Hz]": band for c, band in result.bands.items()}
    reason = "Q = 0.25 rad, seed of 1 deg; one coefficient at a time on every wetted body, per metre of its length"
    return [Finding("B3", measured, reason)]


def figure(result: Result, folder: Path) -> list[Path]:
    """Least coefficients over frequency, each relative to the largest tried."""
    from matplotlib.figure import Figure

    picture = Figure(figsize=(7.0, 3.2), layout="constrained")
    axis = picture.subplots()
    for kind, values in result.least.items():
        axis.plot(
            result.frequencies, np.array(values) / KINDS[kind], "o-", label=f"{kind.replace('_', ' ')} / {KINDS[kind]}"
        )
    axis.set(xlabel="F [Hz]", ylabel="least coefficient / largest tried", title="What keeps the roll below 90 deg")
    axis.legend(fontsize=8)
    path = folder / "natrix_damping.png"
    picture.savefig(path, dpi=100)
    return [path]
