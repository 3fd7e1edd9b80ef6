"""Helices of fixed shape, without compliance: up and down poles, through horizontal and vertical pipes."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from serpenoid.gaits import RollingHelix
from serpenoid.plotting import snapshots
from serpenoid.plotting.style import new_figure, write
from serpenoid.robots import SeaSnake
from serpenoid.scenarios import find_scenario
from serpenoid.worlds import Pipeline, Pole
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.gaits.runs import FlatConfig, Gone, go

CLIMB: Any = find_scenario("climb-pole")
CRAWL: Any = find_scenario("crawl-pipe")
FALL = -0.05  # drop of the centre of mass within a second that counts as a fall [m]


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    poles: tuple[float, ...] = (0.06, 0.07, 0.08, 0.09, 0.10)
    """radii [m]"""
    pipes: tuple[float, ...] = (0.08, 0.10, 0.12)
    """radii [m]"""
    starts: int = 5
    """initial phases of the gait"""
    press: float = 0.0195  # the joint limits allow 19.8 mm on the pole of 60 mm
    """difference between the commanded helix radius and the contact radius, tighter on poles, wider in pipes [m]"""
    duration: float = 60.0
    """simulated time [s]"""
    settle: float = 3.0
    """initial transient excluded from averages [s]"""

    @classmethod
    def quick(cls) -> Config:
        return cls(poles=(0.06, 0.10), pipes=(0.10,), starts=1, duration=12.0)

    @classmethod
    def tiny(cls) -> Config:
        return cls(poles=(0.08,), pipes=(0.10,), starts=1, duration=0.3, settle=0.1)


class Result(NamedTuple):
    """Runs by radius, direction and start."""

    poles: dict[tuple[float, str, int], Gone]
    pipes: dict[tuple[float, str], Gone]


def run(config: Config, progress: Progress) -> Result:
    """Run on poles up and down, and in pipes horizontal and vertical."""
    times = FlatConfig(config.duration, config.settle)
    poles, pipes = {}, {}
    for radius in config.poles:
        progress(f"gaits: pole of {100 * radius:.0f} cm")
        for way, pitch, height in (("up", 0.075, 0.1), ("down", -0.075, 3.0)):
            for k in range(config.starts):
                gait = RollingHelix(pitch=pitch, phase=2.0 * pi * k / config.starts)
                world = Pole(radius=radius, height=4.0, start_height=height)
                poles[radius, way, k] = go(CLIMB(world=world, gait=gait, press=config.press), times)
    for bore in config.pipes:
        progress(f"gaits: pipe of {100 * bore:.0f} cm")
        for name, inclination in (("level", 0.0), ("upright", pi / 2)):
            pipe = Pipeline(bore=bore, inclination=inclination, length=6.0)
            pipes[bore, name] = go(CRAWL(world=pipe, press=config.press), times)
    return Result(poles, pipes)


def fell(gone: Gone, settle: float = 1.0) -> bool:
    """Return whether the snake dropped 50 mm more within a second than by rolling down, which is at most 60 mm."""
    height, second, first = gone.run["center_of_mass"][:, 2], 50, round(settle / 0.02)
    drops = height[first + second :] - height[first:-second]
    return bool(drops.size and drops.min() < FALL + max(min(gone.climbed, 0.0), -0.06))


def claims(result: Result) -> list[Finding]:
    """Report the findings on S43 and S47 for the fixed shape."""
    robot, f = SeaSnake(), 0.25
    rolling = 2.0 * pi * robot.radius * f
    wrong = {"up": 1.0, "down": -1.0}
    lost = [fell(gone) or gone.climbed * wrong[way] < 0.0 for (_, way, _), gone in result.poles.items()]
    slips = [gone.slip / rolling for gone in result.poles.values()]
    tilt = cos(np.arctan2(0.075 / (2.0 * pi), 0.1))
    climbs = {f"{r:g} m {way} {k}": gone.climbed / (rolling * tilt) for (r, way, k), gone in result.poles.items()}
    level = {f"{r:g} m": gone.lengths_per_cycle for (r, name), gone in result.pipes.items() if name == "level"}
    upright = {f"{r:g} m": fell(gone) for (r, name), gone in result.pipes.items() if name == "upright"}
    shares = {"fall_share": float(np.mean(lost)), "slip_share": float(np.mean(np.array(slips) > 0.1))}
    return [
        Finding("S43", shares | {"slip": slips}, f"fixed shape; climb relative to a smooth helix: {climbs}"),
        Finding("S47", {"level": level, "upright_falls": upright}, "fixed shape pressed against the pipe"),
    ]


def figure(result: Result, folder: Path) -> list[Path]:
    """Draw the snake on its first pole and in its first pipe."""
    sheet = new_figure(8.0, 5.0)
    snapshots(next(iter(result.poles.values())).run, sheet.add_subplot(1, 2, 1), count=3, plane="xz")
    snapshots(next(iter(result.pipes.values())).run, sheet.add_subplot(1, 2, 2), count=3, plane="xz")
    return [write(sheet, folder / "helix_runs.png")]
