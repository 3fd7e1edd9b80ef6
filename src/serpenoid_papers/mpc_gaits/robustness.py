"""M9: plans with a wrong model of the plane or of the snake, executed on the correct one, and with noisy joints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from serpenoid.planning import Believed
from serpenoid.plotting.style import COLOURS, GREY, dressed, labelled, legend, new_figure, write
from serpenoid.robots import PlanarSnake
from serpenoid.robots.sensors import Sensor, Sensors
from serpenoid.worlds import Plane
from serpenoid.worlds.plane import MediumName
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.mpc_gaits.runs import DURATION, MEDIA, SHORT, Settings, Snake, Straight, Wanted, straight

QUICK_ERRORS = (-0.25, -0.05, 0.05, 0.25)
# Wrong parameters: medium of the runs, and the fields of Believed that have the error.
PARAMETERS: dict[str, tuple[MediumName, tuple[str, ...]]] = {
    "c_t": ("viscous", ("transverse",)),
    "c_l": ("viscous", ("longitudinal",)),
    "mass": ("viscous", ("mass",)),
    "length": ("viscous", ("length",)),
    "inertia": ("viscous", ("inertia",)),
    "joint friction": ("viscous", ("joint_damping",)),
    "mass, length, c_t": ("viscous", ("mass", "length", "transverse")),
    "everything viscous": ("viscous", ("mass", "length", "inertia", "joint_damping", "longitudinal", "transverse")),
    "mu_t": ("dry", ("transverse",)),
    "C_d": ("fluid", ("transverse",)),
    "added mass": ("fluid", ("added_mass",)),
}
NOISES = (1.0, 3.0, 10.0)  # multiples of the noise of joint angles and rates below
ANGLE_NOISE, RATE_NOISE = 0.001, 0.01  # standard deviations [rad], [rad/s]


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    horizons: tuple[int, ...] = (25, 40)
    """steps planned ahead"""
    errors: tuple[float, ...] = (-0.5, -0.25, -0.1, -0.05, 0.05, 0.1, 0.25, 0.5)
    """relative errors of the parameters"""
    others: bool = True
    """whether parameters other than c_t, and noise, are also varied"""
    weights: tuple[float, ...] = (0.001, 0.003, 0.01, 0.02, 0.03)
    """torque weights for the trade-off of speed and power with the correct model; 0.01 is the reference"""
    duration: float = DURATION
    """duration of each run [s]"""

    @classmethod
    def quick(cls) -> Config:
        """Use one horizon and fewer errors."""
        return cls(horizons=(25,), errors=QUICK_ERRORS)

    @classmethod
    def tiny(cls) -> Config:
        """Use c_t only, and short runs."""
        return cls(horizons=(25,), errors=QUICK_ERRORS, others=False, weights=(0.01, 0.02), duration=SHORT)


class Result(NamedTuple):
    """Runs by (wrong parameter, error, horizon), by (medium, noise, horizon), and with the correct model by (medium,
    horizon, torque weight).
    """

    wrong: dict[tuple[str, float, int], Straight]
    noisy: dict[tuple[str, float, int], Straight]
    right: dict[tuple[str, int, float], Straight]


def run(config: Config, progress: Progress) -> Result:
    """Run wrong plans in all media."""
    wrong: dict[tuple[str, float, int], Straight] = {}
    noisy: dict[tuple[str, float, int], Straight] = {}
    right: dict[tuple[str, int, float], Straight] = {}
    for horizon in config.horizons:
        progress(f"wrong models, horizon {horizon}")
        media: tuple[MediumName, ...] = MEDIA if config.others else ("viscous",)
        for medium in media:
            for weight in config.weights if medium == "viscous" else (0.01,):
                right[medium, horizon, weight] = straight(
                    Plane(medium), Wanted(torque_weight=weight), Settings(horizon), duration=config.duration
                )
            for noise in NOISES if config.others else ():
                noisy[medium, noise, horizon] = straight(
                    Plane(medium), settings=Settings(horizon), snake=Snake(robot=noisy_snake(noise)),
                    duration=config.duration,
                )  # fmt: skip
        for name in PARAMETERS if config.others else ("c_t",):
            for error in config.errors:
                wrong[name, error, horizon] = run_misjudged(name, error, horizon, config.duration)
    return Result(wrong, noisy, right)


def run_misjudged(name: str, error: float, horizon: int, duration: float) -> Straight:
    """Run a planner whose model has a relative error in one parameter, or in all of a combination."""
    medium, fields = PARAMETERS[name]
    believed = Believed(**dict.fromkeys(fields, 1.0 + error))
    return straight(Plane(medium), settings=Settings(horizon), snake=Snake(believed=believed), duration=duration)


def noisy_snake(noise: float) -> PlanarSnake:
    """Return the snake with noise of joint angles and rates."""
    angles, rates = Sensor(noise=noise * ANGLE_NOISE), Sensor(noise=noise * RATE_NOISE)
    return PlanarSnake(sensors=Sensors(joint_position=angles, joint_velocity=rates))


def losses(result: Result) -> dict[str, Any]:
    """Return the loss of speed in percent, plain and (viscous) against the correct model at equal power."""
    table = {}
    for (name, error, horizon), found in result.wrong.items():
        medium: str = PARAMETERS[name][0]
        key = f"{name} {error:+.0%}, N = {horizon}"
        table[f"{key}, plain [%]"] = lost(found.speed, result.right[medium, horizon, 0.01].speed)
        if medium == "viscous":
            table[f"{key}, at equal power [%]"] = lost(found.speed, interpolate_speed(result, horizon, found))
    for (medium, noise, horizon), found in result.noisy.items():
        key = f"noise {noise * ANGLE_NOISE:g} rad, {noise * RATE_NOISE:g} rad/s, {medium}, N = {horizon}, plain [%]"
        table[key] = lost(found.speed, result.right[medium, horizon, 0.01].speed)
    return table


def lost(speed: float, right: float) -> float:
    """Return the loss of speed in percent."""
    return round(100.0 * (1.0 - speed / right), 1)


def interpolate_speed(result: Result, horizon: int, found: Straight) -> float:
    """Return the correct model's speed at the same power, interpolated over torque weights."""
    points = sorted((r.power, r.speed) for (m, h, _), r in result.right.items() if m == "viscous" and h == horizon)
    power, speed = np.array(points).T
    return float(np.interp(found.power, power, np.maximum.accumulate(speed)))


def claims(result: Result) -> list[Finding]:
    """Report the finding on M9."""
    return [Finding("M9", losses(result), "beta 0.01; a negative loss is a gain of speed")]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot speed against power in viscous drag, and the change of speed over the error of each parameter."""
    picture = new_figure(11.0, 3.8)
    axes = dressed(picture.add_subplot(1, 2, 1))
    for line, horizon in zip(("o-", "o--"), sorted({key[1] for key in result.right if key[0] == "viscous"})):
        points = sorted((r.power, r.speed) for (m, h, _), r in result.right.items() if m == "viscous" and h == horizon)
        axes.plot(*zip(*points), line, color=GREY, ms=3, label=f"correct model, N = {horizon}")
    for colour, name in zip(COLOURS, ("c_t", "c_l", "mass")):
        points = [(r.power, r.speed) for (n, *_), r in result.wrong.items() if n == name]
        if points:
            axes.plot(*zip(*points), "*", color=colour, ms=9, label=f"{name} wrong")
    labelled(axes, "power [W]", "speed [m/s]", "viscous: plans with a wrong model")
    legend(axes)
    axes = dressed(picture.add_subplot(1, 2, 2))
    for i, name in enumerate(dict.fromkeys(key[0] for key in result.wrong)):
        medium, right = PARAMETERS[name][0], result.right[PARAMETERS[name][0], 25, 0.01].speed
        curve = sorted(
            (100.0 * e, 100.0 * r.speed / right) for (n, e, h), r in result.wrong.items() if (n, h) == (name, 25)
        )
        style = ("o-", "s--", "^:")[i // len(COLOURS)]
        axes.plot(*zip(*curve), style, color=COLOURS[i % len(COLOURS)], ms=3.5, lw=1.2, label=f"{name} ({medium})")
    labelled(axes, "error of the model [%]", "speed [% of the correct model's]", "N = 25")
    axes.legend(fontsize=7, ncols=2, frameon=False)
    return [write(picture, folder / "robustness.png")]
