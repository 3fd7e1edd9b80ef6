"""Beyond the paper: identification of drag and added mass from a noisy (simulated) recording."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.gaits import Undulation
from serpenoid.mechanics.identification import Identified, Recording, identify, predict
from serpenoid.robots import Natrix
from serpenoid.scenarios.natrix import start_pose
from serpenoid.sweeps.executors import cores
from serpenoid.worlds import WaterSurface
from serpenoid.worlds.water import Hydrodynamics
from serpenoid_papers.base import ExperimentConfig, Finding, Progress

TRUE: dict[str, Any] = {"added_mass": 0.4, "linear_drag": 2.0, "quadratic_drag": 1.1, "roll_damping": 0.006}


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    durations: tuple[float, ...] = (6.0, 12.0, 24.0)
    """durations of the recordings [s]; the longest decides"""
    period: float = 0.05
    """between two recorded poses [s]"""
    position_noise: float = 0.002
    """standard deviation [m]"""
    angle_noise: float = 0.01
    """standard deviation [rad]"""
    recordings: int = 5
    """number of recordings, each with its own noise"""

    @classmethod
    def quick(cls) -> Config:
        """Use one recording."""
        return cls(durations=(12.0,), recordings=1)

    @classmethod
    def tiny(cls) -> Config:
        """Use one short recording."""
        return cls(durations=(1.0,), recordings=1)


class Result(NamedTuple):
    """Identified coefficients of each recording, by its duration [s]."""

    found: dict[float, list[Identified]]


def run(config: Config, progress: Progress) -> Result:
    """Record with known coefficients, add noise, and identify them from a zero guess."""
    robot, gait, rng = Natrix(), Undulation(0.3, 1.0), np.random.default_rng(11)
    world = WaterSurface(hydrodynamics=Hydrodynamics(**TRUE))
    start = np.array(start_pose(robot, world, gait, np.radians(15.0)))
    found: dict[float, list[Identified]] = {}
    for duration in config.durations:
        progress(f"natrix: identification from {config.recordings} recordings of {duration:g} s")
        times = config.period * np.arange(1, round(duration / config.period) + 1)
        blank = Recording(times, np.zeros((times.size, 7)), start, config.position_noise, config.angle_noise)
        clean = predict(robot, world, gait, blank)
        records = [replace(blank, poses=noisy(clean, config, rng)) for _ in range(config.recordings)]
        with ThreadPoolExecutor(cores()) as pool:
            found[duration] = list(
                pool.map(lambda record: identify(robot, WaterSurface(), gait, record, tuple(TRUE)), records)
            )
    return Result(found)


def noisy(clean: NDArray, config: Config, rng: np.random.Generator) -> NDArray:
    """Return poses (samples, 7) with noise in position and a small random rotation in body axes."""
    poses = clean + rng.normal(size=clean.shape) * config.position_noise
    turn = 0.5 * config.angle_noise * rng.normal(size=(len(clean), 3))
    w, v = clean[:, 3:4], clean[:, 4:]
    poses[:, 3:4] = w - np.sum(v * turn, axis=1, keepdims=True)
    poses[:, 4:] = v + w * turn + np.cross(v, turn)
    poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
    return poses


def claims(result: Result) -> list[Finding]:
    """Report the identification that the paper's conclusion asks for, which is not a claim."""
    longest = max(result.found)
    fits = result.found[longest]
    measured: dict[str, float] = {}
    for name, true in TRUE.items():
        measured[f"{name.replace('_', ' ')}, true"] = true
        measured[f"{name.replace('_', ' ')}, found"] = float(np.mean([one.values[name] for one in fits]))
    measured["largest relative error"] = largest_error(fits)
    for duration, others in result.found.items():
        measured[f"largest relative error from {duration:g} s"] = largest_error(others)
        spread = np.mean([one.deviations["linear_drag"] for one in others]) / TRUE["linear_drag"]
        measured[f"standard deviation of linear drag from {duration:g} s, relative"] = float(spread)
    pairs = [(one, name, abs(one.values[name] - true)) for one in fits for name, true in TRUE.items()]
    sigmas = max(error / one.deviations[name] for one, name, error in pairs)
    measured["largest error in standard deviations of the fit"] = float(sigmas)
    measured["weighted residual"] = float(np.mean([one.residual for one in fits]))
    reason = f"{len(fits)} recordings of {longest:g} s at 20 Hz, noise 2 mm and 0.01 rad, Q = 0.3, F = 1 Hz"
    return [Finding("B4", measured, reason)]


def largest_error(fits: list[Identified]) -> float:
    """Return the largest error of any coefficient in any recording, relative to the true value."""
    return float(max(abs(one.values[name] / true - 1.0) for one in fits for name, true in TRUE.items()))


def figure(result: Result, folder: Path) -> list[Path]:
    """Draw nothing, because the result is a table."""
    return []
