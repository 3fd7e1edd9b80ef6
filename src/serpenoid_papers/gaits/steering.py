"""Reversal and steering of sidewinding: the phases delta and beta, and the taper."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from serpenoid import analysis
from serpenoid.gaits import ConicalSidewinding, Sidewinding
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.robots import SeaSnake
from serpenoid.scenarios import find_scenario
from serpenoid.scenarios.gait_run import GaitRun
from serpenoid_papers.base import Finding, Progress
from serpenoid_papers.gaits.runs import FlatConfig, angle_between, go, pace_of

# distance from the first joint to the last over the length, because tapers refer to the ends of the body
HALF = 17.0 * 0.064 / 1.302


@dataclass(frozen=True)
class Config(FlatConfig):
    """Configuration of the experiment."""

    parts: int = 8
    """steps of delta and beta from 0 to pi"""
    tapers: tuple[float, ...] = (0.2, 0.4, 0.6, 0.8)
    """tapers of conical sidewinding"""

    @classmethod
    def quick(cls) -> Config:
        return cls(duration=13.0, settle=3.0, parts=4)

    @classmethod
    def tiny(cls) -> Config:
        return cls(duration=0.3, settle=0.1, parts=1, tapers=(0.4,))


class Way(NamedTuple):
    """Speed, direction and path radius of a run."""

    speed: float  # [m/s]
    direction: float  # [deg]
    radius: float  # radius of the path, positive to the left [m]


Result = dict[str, dict[float, Way]]


def way_of(scenario: GaitRun, config: Config) -> Way:
    """Return speed, direction, and the path radius from the yaw rate of the whole body."""
    gone = go(scenario, config)
    cycle = 1.0 / scenario.gait.frequency
    # whole cycles, because the body oscillates
    whole = float(np.floor((config.duration - config.settle) / cycle) * cycle)
    axis = analysis.body_axis(gone.run)
    heading = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))
    last, first = (float(np.interp(t, gone.run.times, heading)) for t in (config.duration, config.duration - whole))
    rate = (last - first) / whole if whole > 0.0 else 0.0
    pace = pace_of(gone.run, config.settle, cycle)
    return Way(gone.speed, gone.direction, pace / rate if abs(rate) > 1e-9 else np.inf)


def run(config: Config, progress: Progress) -> Result:
    """Vary delta and beta over half a turn, and tapers of the whole body, its rear half and its front half."""
    progress("gaits: phases of sidewinding")
    phases = [pi * k / config.parts for k in range(config.parts + 1)]
    if not any(abs(phase - 0.75 * pi) < 1e-9 for phase in phases):
        phases.append(0.75 * pi)
    found: Result = {
        "delta": {d: way_of(GaitRun(gait=Sidewinding(phase_offset=d)), config) for d in phases},
        "beta": {b: way_of(GaitRun(gait=Sidewinding(reversal=b)), config) for b in phases},
    }
    progress("gaits: tapers")
    cone: Any = find_scenario("conical-sidewinding")()
    cones = {
        "whole": (1.0, ConicalSidewinding()), "rear half": (1.0, ConicalSidewinding(tapered="half")),
        "front half": (-1.0, ConicalSidewinding(tapered="half")),
    }  # fmt: skip
    for name, (sign, gait) in cones.items():
        share = HALF if gait.tapered == "half" else 1.0
        gaits = {taper: replace(gait, taper=sign * share * taper) for taper in config.tapers}
        found[name] = {taper: way_of(replace(cone, gait=other), config) for taper, other in gaits.items()}
    return found


def claims(result: Result) -> list[Finding]:
    """Report the findings on S51 and S55."""
    straight, back = result["beta"][0.0], result["beta"][pi]
    best = max(way.speed for way in result["delta"].values())
    reversal = {
        "radius_lengths": abs(straight.radius) / SeaSnake().length, "speed_over_best": straight.speed / best,
        "turned_deg": angle_between(straight.direction, back.direction), "speed_ratio": back.speed / straight.speed,
    }  # fmt: skip
    tapers = list(result["whole"])
    along = SeaSnake().length * 0.85  # axial length of the bent body
    radii = {name: [result[name][taper].radius for taper in tapers] for name in ("whole", "rear half", "front half")}
    ideal = [along * (1.0 / taper - 0.5) for taper in tapers]
    cone = {
        "falls": {name: all(abs(b) < abs(a) for a, b in zip(r, r[1:])) for name, r in radii.items()},
        "whole_over_ideal": [abs(r) / i for r, i in zip(radii["whole"], ideal)],
        "other_way": all(a * b < 0.0 for a, b in zip(radii["rear half"], radii["front half"])),
    }
    deltas = ", ".join(f"{phase / pi:.3g} pi: {way.speed:.3f}" for phase, way in sorted(result["delta"].items()))
    return [
        Finding("S51", reversal, f"speeds by delta [m/s]: {deltas}"),
        Finding("S55", cone, f"radii [m] at tapers {tapers}: {radii}; l taken as 0.85 of the straight length"),
    ]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot speed by phase, and radius by taper."""
    sheet = new_figure(9.0, 3.4)
    left, right = dressed(sheet.add_subplot(1, 2, 1)), dressed(sheet.add_subplot(1, 2, 2))
    for colour, name in zip(COLOURS, ("delta", "beta")):
        ways = sorted(result[name].items())
        left.plot([p / pi for p, _ in ways], [way.speed for _, way in ways], "o-", color=colour, label=name)
    for colour, name in zip(COLOURS, ("whole", "rear half", "front half")):
        ways = sorted(result[name].items())
        right.plot([t for t, _ in ways], [abs(way.radius) for _, way in ways], "o-", color=colour, label=name)
    labelled(left, "phase [pi]", "speed [m/s]", "Sidewinding by its phases")
    labelled(right, "taper [-]", "radius of the path [m]", "Conical sidewinding")
    for axes in (left, right):
        axes.legend(fontsize=8, frameon=False)
    return [write(sheet, folder / "steering.png")]
