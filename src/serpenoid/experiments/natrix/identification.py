"""Beyond the paper: drag and added mass identified from a noisy recording (here of a simulation)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from serpenoid.analysis.identification import Identified, Recording, identify, predict
from serpenoid.experiments.base import Finding, Progress
from serpenoid.gaits import Undulation
from serpenoid.robots import Natrix
from serpenoid.scenarios.natrix import start_pose
from serpenoid.worlds import WaterSurface
from serpenoid.worlds.water import Hydrodynamics

TRUE = {"added_mass": 0.4, "linear_drag": 2.0, "quadratic_drag": 1.1, "roll_damping": 0.006}


@dataclass(frozen=True)
class Config:
    """What is run."""

    duration: float = 12.0
    """of the recording [s]"""
    period: float = 0.05
    """between two recorded poses [s]"""
    position_noise: float = 0.002
    """standard deviation [m]"""
    angle_noise: float = 0.01
    """standard deviation [rad]"""
    recordings: int = 5
    """with noise of their own"""

    @classmethod
    def quick(cls) -> Config:
        """One recording, shorter."""
        return cls(duration=6.0, recordings=1)


class Result(NamedTuple):
    """What was found in each recording."""

    found: list[Identified]
    duration: float


def run(config: Config, progress: Progress) -> Result:
    """Record with known coefficients, add noise, identify from zero knowledge of them."""
    robot, gait, rng = Natrix(), Undulation(0.3, 1.0), np.random.default_rng(11)
    world = WaterSurface(hydrodynamics=Hydrodynamics(**TRUE))
    times = config.period * np.arange(1, round(config.duration / config.period) + 1)
    start = np.array(start_pose(robot, world, gait, np.radians(15.0)))
    clean = predict(robot, world, gait, Recording(times, np.zeros((times.size, 7)), start, 1.0, 1.0))
    found = []
    for i in range(config.recordings):
        progress(f"natrix: identification {i + 1} of {config.recordings}")
        poses = clean + rng.normal(size=clean.shape) * config.position_noise
        # A small turn of each attitude, in its own axes.
        turn = 0.5 * config.angle_noise * rng.normal(size=(times.size, 3))
        w, v = clean[:, 3:4], clean[:, 4:]
        poses[:, 3:4] = w - np.sum(v * turn, axis=1, keepdims=True)
        poses[:, 4:] = v + w * turn + np.cross(v, turn)
        poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
        recording = Recording(times, poses, start, config.position_noise, config.angle_noise)
        found.append(identify(robot, WaterSurface(), gait, recording, tuple(TRUE)))
    return Result(found, config.duration)


def claims(result: Result) -> list[Finding]:
    """Not a claim of the paper: the identification that its conclusion asks for."""
    measured: dict[str, float] = {}
    for name, true in TRUE.items():
        values = np.array([one.values[name] for one in result.found])
        measured[f"{name.replace('_', ' ')}, true"] = true
        measured[f"{name.replace('_', ' ')}, found"] = float(values.mean())
    pairs = [(one, name, abs(one.values[name] - true)) for one in result.found for name, true in TRUE.items()]
    measured["largest relative error"] = float(max(error / TRUE[name] for _, name, error in pairs))
    sigmas = max(error / one.deviations[name] for one, name, error in pairs)
    measured["largest error in standard deviations of the fit"] = float(sigmas)
    measured["weighted residual"] = float(np.mean([one.residual for one in result.found]))
    reason = (
        f"{len(result.found)} recordings of {result.duration:g} s at 20 Hz, noise 2 mm and 0.01 rad, Q = 0.3, F = 1 Hz"
    )
    return [Finding("B4", measured, reason)]


def figure(result: Result, folder: Path) -> list[Path]:
    """No picture: a table of numbers."""
    return []
