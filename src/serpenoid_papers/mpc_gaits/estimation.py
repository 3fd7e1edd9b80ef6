"""Beyond the paper (B5): the planner fed by encoders, IMUs and an external pose instead of the true state."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from serpenoid.planning import Believed, InertialState
from serpenoid.plotting.style import COLOURS, dressed, labelled, legend, new_figure, write
from serpenoid.robots import PlanarSnake
from serpenoid.robots.sensors import Sensor, Sensors
from serpenoid.worlds import Plane
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.mpc_gaits.runs import DURATION, MEDIA, SHORT, Snake, Straight, straight

# Errors of small IMUs and of magnetic encoders.
SENSORS = Sensors(
    joint_position=Sensor(noise=0.001, bias=0.001),
    joint_velocity=Sensor(noise=0.02),
    accelerometer=Sensor(noise=0.1, bias=0.05),
    gyroscope=Sensor(noise=0.01, bias=0.005),
)
POSE = InertialState(pose_period=0.05, pose_noise=0.005, heading_noise=0.02)
WRONG = Believed(transverse=1.25)


class Case(NamedTuple):
    """Snake of a row."""

    snake: Snake
    random: bool = False  # whether runs differ by their seed


NOISY = PlanarSnake(sensors=SENSORS)
CASES = {
    "true state": Case(Snake()),
    "ideal IMUs": Case(Snake(InertialState())),
    "IMUs with noise": Case(Snake(InertialState(), NOISY), random=True),
    "IMUs with noise, no model": Case(Snake(InertialState(model_gain=0.0), NOISY), random=True),
    "IMUs with noise, model only": Case(Snake(InertialState(model_gain=1.0), NOISY), random=True),
    "IMUs with noise, pose at 20 Hz": Case(Snake(POSE, NOISY), random=True),
    "true state, wrong model": Case(Snake(believed=WRONG)),
    "IMUs with noise, wrong model": Case(Snake(InertialState(), NOISY, WRONG), random=True),
    "IMUs with noise, pose at 20 Hz, wrong model": Case(Snake(POSE, NOISY, WRONG), random=True),
}


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    cases: tuple[str, ...] = tuple(CASES)
    """rows of the table"""
    seeds: int = 5
    """runs with noise, each with its own seed"""
    duration: float = DURATION
    """duration of each run [s]"""

    @classmethod
    def quick(cls) -> Config:
        """Use two seeds."""
        return cls(seeds=2)

    @classmethod
    def tiny(cls) -> Config:
        """Use two rows, one seed and short runs."""
        return cls(("true state", "IMUs with noise, pose at 20 Hz"), 1, SHORT)


Result = dict[tuple[str, str], list[Straight]]  # runs by medium and case


def run(config: Config, progress: Progress) -> Result:
    """Run every case in all media."""
    found: Result = {}
    for medium in MEDIA:
        progress(f"plans from estimates in {medium}")
        for name in config.cases:
            case = CASES[name]
            found[medium, name] = [
                straight(Plane(medium), snake=case.snake, duration=config.duration, seed=seed)
                for seed in range(config.seeds if case.random else 1)
            ]
    return found


def claims(result: Result) -> list[Finding]:
    """Report the finding on B5."""
    table: dict[str, Any] = {}
    for (medium, name), runs in result.items():
        speeds, true = [each.speed for each in runs], result[medium, "true state"][0].speed
        key = f"{medium}, {name}"
        table[f"{key}, speed [m/s]"] = round(float(np.mean(speeds)), 3)
        table[f"{key}, least and greatest [m/s]"] = [round(min(speeds), 3), round(max(speeds), 3)]
        table[f"{key}, loss of speed [%]"] = round(100.0 * (1.0 - float(np.mean(speeds)) / true), 1)
        table[f"{key}, error of the position [m]"] = round(max(each.drift for each in runs), 4)
    seeds = max(len(runs) for runs in result.values())
    text = f"beta 0.01, N = 25; {seeds} seeds; wrong model: c_t, mu_t or C_d 25 % too large"
    return [Finding("B5", table, text)]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the speed of every case relative to that with the true state."""
    picture = new_figure(8.0, 3.6)
    axes = dressed(picture.add_subplot())
    names = list(dict.fromkeys(name for _, name in result))
    for i, (medium, colour) in enumerate(zip(MEDIA, COLOURS)):
        true = result[medium, "true state"][0].speed
        for row, name in enumerate(names):
            speeds = [100.0 * each.speed / true for each in result[medium, name]]
            axes.plot(speeds, [row + 0.2 * (i - 1)] * len(speeds), "o", color=colour, ms=4, label="" if row else medium)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    labelled(axes, "speed [% of that with the true state]", "", "plans from estimates")
    legend(axes)
    return [write(picture, folder / "estimation.png")]
