"""M9: plans with a wrong model of the plane or of the snake, executed on the correct one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from serpenoid.planning import Believed
from serpenoid.plotting.style import COLOURS, GREY, dressed, labelled, legend, new_figure, write
from serpenoid.worlds import Plane
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.mpc_gaits.runs import DURATION, SHORT, Straight, straight

ERRORS = (-0.25, -0.05, 0.05, 0.25)
PARAMETERS = {
    "c_t": ("transverse",),
    "c_l": ("longitudinal",),
    "mass": ("mass",),
    "length": ("length",),
    "inertia": ("inertia",),
    "joint friction": ("joint_damping",),
    "mass, length, c_t": ("mass", "length", "transverse"),
    "mu_t": ("transverse",),  # on dry ground
}


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    horizons: tuple[int, ...] = (25, 40)
    """steps planned ahead"""
    others: bool = True
    """whether parameters other than c_t are also varied"""
    weights: tuple[float, ...] = (0.001, 0.003, 0.01, 0.02, 0.03)
    """torque weights for the trade-off of speed and power with the correct model; 0.01 is the reference"""
    duration: float = DURATION
    """duration of each run [s]"""

    @classmethod
    def quick(cls) -> Config:
        """Use one horizon."""
        return cls(horizons=(25,))

    @classmethod
    def tiny(cls) -> Config:
        """Use c_t only, and short runs."""
        return cls(horizons=(25,), others=False, weights=(0.01, 0.02), duration=SHORT)


class Result(NamedTuple):
    """Runs by (wrong parameter, error, horizon), and with the correct model by (world, horizon, torque weight)."""

    wrong: dict[tuple[str, float, int], Straight]
    right: dict[tuple[str, int, float], Straight]


def run(config: Config, progress: Progress) -> Result:
    """Run wrong plans in viscous drag and, with a wrong mu_t, on dry ground."""
    wrong, right = {}, {}
    for horizon in config.horizons:
        progress(f"wrong models, horizon {horizon}")
        for weight in config.weights:
            right["viscous", horizon, weight] = straight(
                Plane("viscous"), weight, horizon=horizon, duration=config.duration
            )
        for error in ERRORS:
            for name in [name for name in PARAMETERS if name != "mu_t"] if config.others else ("c_t",):
                wrong[name, error, horizon] = run_misjudged(name, error, horizon, config.duration)
    if config.others:
        right["dry", 25, 0.01] = straight(Plane("dry"), duration=config.duration)
        for error in (-0.25, 0.25):
            wrong["mu_t", error, 25] = run_misjudged("mu_t", error, 25, config.duration)
    return Result(wrong, right)


def run_misjudged(name: str, error: float, horizon: int, duration: float) -> Straight:
    """Run a planner whose model has a relative error in one parameter, or in all of a combination."""
    world = Plane("dry") if name == "mu_t" else Plane("viscous")
    believed = Believed(**dict.fromkeys(PARAMETERS[name], 1.0 + error))
    return straight(world, horizon=horizon, duration=duration, believed=believed)


def losses(result: Result) -> dict[str, Any]:
    """Return the loss of speed in percent, plain and (viscous) against the correct model at equal power."""
    table = {}
    for (name, error, horizon), found in result.wrong.items():
        medium = "dry" if name == "mu_t" else "viscous"
        plain = 1.0 - found.speed / result.right[medium, horizon, 0.01].speed
        key = f"{name} {error:+.0%}, N = {horizon}"
        table[f"{key}, plain [%]"] = round(100.0 * plain, 1)
        if medium == "viscous":
            table[f"{key}, at equal power [%]"] = round(
                100.0 * (1.0 - found.speed / interpolate_speed(result, horizon, found)), 1
            )
    return table


def interpolate_speed(result: Result, horizon: int, found: Straight) -> float:
    """Return the correct model's speed at the same power, interpolated over torque weights."""
    points = sorted((r.power, r.speed) for (m, h, _), r in result.right.items() if m == "viscous" and h == horizon)
    power, speed = np.array(points).T
    return float(np.interp(found.power, power, np.maximum.accumulate(speed)))


def claims(result: Result) -> list[Finding]:
    """Report the finding on M9."""
    return [Finding("M9", losses(result), "beta 0.01; a negative loss is a gain of speed")]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot speed against power: the correct model's trade-off, and the wrong models."""
    picture = new_figure(6.5, 3.8)
    axes = dressed(picture.add_subplot())
    for line, horizon in zip(("o-", "o--"), sorted({key[1] for key in result.right if key[0] == "viscous"})):
        points = sorted((r.power, r.speed) for (m, h, _), r in result.right.items() if m == "viscous" and h == horizon)
        axes.plot(*zip(*points), line, color=GREY, ms=3, label=f"correct model, N = {horizon}")
    for colour, name in zip(COLOURS, ("c_t", "c_l", "mass")):
        points = [(r.power, r.speed) for (n, *_), r in result.wrong.items() if n == name]
        if points:
            axes.plot(*zip(*points), "*", color=colour, ms=9, label=f"{name} wrong by 5 or 25 %")
    labelled(axes, "power [W]", "speed [m/s]", "viscous: plans with a wrong model")
    legend(axes)
    return [write(picture, folder / "robustness.png")]
