"""Sensitivity of gaits to the ground (friction, roughness, slope), to the spring and to the time step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import radians
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from serpenoid import analysis, simulate
from serpenoid.control import OpenLoop
from serpenoid.gaits import LinearProgression, Slithering
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.robots import PD, SeaSnake
from serpenoid.scenarios.gait_run import GaitRun
from serpenoid.scenarios.slither_pegs import SlitherPegs
from serpenoid.worlds import Floor, PegBoard, Slope, Terrain
from serpenoid_papers.base import Finding, Progress
from serpenoid_papers.gaits.runs import FlatConfig, go


@dataclass(frozen=True)
class Config(FlatConfig):
    """Configuration of the experiment."""

    frictions: tuple[float, ...] = (0.1, 0.2, 0.5, 1.0)
    """friction coefficients of the floor [-]"""
    roughness: tuple[float, ...] = (0.005, 0.01, 0.02)
    """root mean square of a terrain's heights [m]"""
    seeds: int = 5
    """terrains of each roughness"""
    slopes: tuple[float, ...] = (5.0, 10.0, 15.0)
    """slopes [deg]"""
    springs: tuple[float, ...] = (10.0, 30.0, 100.0)
    """stiffness of the drives [N m/rad]"""
    steps: tuple[float, ...] = (0.0005, 0.001, 0.002)
    """integration steps [s]"""
    cycles: int = 10
    """cycles of slithering without pegs"""

    @classmethod
    def quick(cls) -> Config:
        return cls(duration=13.0, settle=3.0, roughness=(0.01,), seeds=2, slopes=(10.0,))

    @classmethod
    def tiny(cls) -> Config:
        return cls(duration=0.3, settle=0.1, frictions=(0.5,), roughness=(0.01,), seeds=1, slopes=(10.0,),
                   springs=(30.0,), steps=(0.001,), cycles=1)  # fmt: skip


class Result(NamedTuple):
    """Speeds of sidewinding [m/s] by the varied parameter."""

    friction: dict[float, float]
    roughness: dict[float, list[float]]
    slope: dict[float, float]
    spring: dict[float, float]
    step: dict[float, float]
    friction_work: dict[str, float]  # work of friction per metre [J/m]
    creep: dict[float, float]  # slithering without pegs by amplitude, head first [mm per cycle]
    explicit_creep: dict[float, float]  # the same on the explicit floor of the peg boards


def run(config: Config, progress: Progress) -> Result:
    """Run sidewinding by the protocol FLAT, varying one parameter at a time, and slithering without pegs."""
    base = GaitRun()

    def speed(**changed: Any) -> float:
        return go(replace(base, **changed), config).speed

    progress("gaits: friction, terrain and slopes")
    friction = {mu: speed(world=Floor(friction=mu)) for mu in config.frictions}
    rough = {
        height: [speed(world=Terrain(roughness=height, seed=seed, size=8.0)) for seed in range(config.seeds)]
        for height in config.roughness
    }
    slope = {angle: speed(world=Slope(angle=radians(angle), heading=np.pi / 2)) for angle in config.slopes}
    progress("gaits: springs, time steps and slithering without pegs")
    spring = {k: speed(robot=SeaSnake(drive=PD(k, 0.3, 7.0))) for k in config.springs}
    step = {dt: speed(step=dt) for dt in config.steps}
    work = {"sidewinding": go(base, config), "linear progression": go(GaitRun(gait=LinearProgression()), config)}
    creep, explicit = ({a: of(a, config.cycles) for a in (np.pi / 4, 1.2)} for of in (creep_of, explicit_creep))
    losses = {name: gone.friction_per_metre for name, gone in work.items()}
    return Result(friction, rough, slope, spring, step, losses, creep, explicit)


def creep_of(amplitude: float, cycles: int) -> float:
    """Return the travel per cycle [mm], head first, of slithering on a bare floor of friction 0.3."""
    gait = Slithering(amplitude=amplitude)
    period = 1.0 / gait.frequency
    settle, end = round(period, 2), round((cycles + 1) * period, 2)
    found = simulate(SeaSnake(), Floor(friction=0.3), gait, duration=end, sample_period=0.01)
    return 1e3 * analysis.speed(found, settle) * period


def explicit_creep(amplitude: float, cycles: int) -> float:
    """Return the travel per cycle [mm], head first, on a board without pegs, with uniform Coulomb friction 0.3."""
    gait = Slithering(amplitude=amplitude)
    period = 1.0 / gait.frequency
    board = PegBoard(density=0.0, size=(50.0, 50.0), friction=0.3)
    duration = round((cycles + 1) * period, 2)
    found = SlitherPegs(world=board, controller=OpenLoop(gait), duration=duration, sample_period=0.01).run()
    marks = np.minimum(np.searchsorted(found.times, period * np.arange(1, cycles + 2)), len(found.times) - 1)
    axis, place = found["body_axis"][marks[:-1]], found["center_of_mass"][marks]
    return 1e3 * float((np.diff(place, axis=0) * axis).sum(axis=1).mean() / np.linalg.norm(axis, axis=1).mean())


def claims(result: Result) -> list[Finding]:
    """Report the findings on S10 and S25, with the effect of the time step."""
    base = result.friction.get(0.5, float("nan"))
    held = {str(mu): speed / base for mu, speed in result.friction.items()}
    rough = {str(height): float(np.mean(speeds)) / base for height, speeds in result.roughness.items()}
    ratio = result.friction_work["sidewinding"] / result.friction_work["linear progression"]
    steps, springs = ({key: value / base for key, value in part.items()} for part in (result.step, result.spring))
    words = f"slopes {result.slope} m/s; relative to the floor's speed: springs {springs}, time steps {steps}"
    creep, explicit = (
        {f"{amplitude:.3g} rad": way for amplitude, way in part.items()}
        for part in (result.creep, result.explicit_creep)
    )
    bare = {"explicit_mm_per_cycle": result.explicit_creep[np.pi / 4], "mujoco_mm_per_cycle": creep}
    return [
        Finding("S10", {"friction": held, "rough": rough, "friction_work_ratio": ratio}, words),
        Finding("S25", bare, f"head first is positive; on the explicit floor, by amplitude, {explicit} mm per cycle"),
    ]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot speed against friction, spring and time step."""
    sheet = new_figure(10.0, 3.2)
    parts = (("friction [-]", result.friction), ("spring [N m/rad]", result.spring), ("time step [s]", result.step))
    for i, (name, values) in enumerate(parts):
        axes = dressed(sheet.add_subplot(1, 3, i + 1))
        axes.plot(list(values), list(values.values()), "o-", color=COLOURS[0])
        axes.set_ylim(0.0, 0.3)
        labelled(axes, name, "speed [m/s]" if i == 0 else "", "Sidewinding" if i == 0 else "")
    return [write(sheet, folder / "ground.png")]
