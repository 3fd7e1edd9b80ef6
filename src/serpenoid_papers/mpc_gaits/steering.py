"""Beyond the paper (B3): the head follows a path and a moving goal, and keeps a wanted velocity along a line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.planning import Cost, Goal, Path, Problem, RecedingHorizon, Torque, Velocity
from serpenoid.plotting.style import COLOURS, dressed, labelled, legend, new_figure, write
from serpenoid.robots import PlanarSnake
from serpenoid.simulation import simulate
from serpenoid.worlds import Plane
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.mpc_gaits.runs import MEDIA, SETTLE, SHORT

ROBOT = PlanarSnake()
PERIOD = 0.01  # between two samples [s]
AHEAD = (-0.3, 0.0)  # initial position of the moving goal [m]
HORIZON = 40  # with 25, the lateral swing of the head costs more than the progress it gains in viscous drag


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    corners: tuple[tuple[float, float], ...] = ((0.0, 0.0), (-1.0, 0.0), (-2.0, 1.0), (-3.5, 1.0))
    """corners of the path [m]"""
    duration: float = 8.0
    """duration of a run [s]"""
    speeds: tuple[float, ...] = (0.3, 0.6)
    """wanted speeds along a line [m/s]"""

    @classmethod
    def quick(cls) -> Config:
        """Use one wanted speed."""
        return cls(speeds=(0.3,))

    @classmethod
    def tiny(cls) -> Config:
        """Use one wanted speed and short runs."""
        return cls(duration=SHORT, speeds=(0.3,))


class Result(NamedTuple):
    """Results by medium, and by medium and wanted speed."""

    path: Path
    heads: dict[str, NDArray]  # along the path (samples, 2) [m]
    speeds: dict[tuple[str, float], float]  # reached speed at a wanted velocity [m/s]
    chases: dict[tuple[str, float], NDArray]  # position of the head relative to a goal of that speed (samples, 2) [m]


def run(config: Config, progress: Progress) -> Result:
    """Run path, line and moving goal in all media."""
    progress("along a path, at a wanted velocity, and after a moving goal")
    path, line = Path(config.corners), Path(((1.0, 0.0), (-50.0, 0.0)), weight=0.0)
    heads = {medium: steer_head(medium, path + Torque(), config.duration) for medium in MEDIA}
    speeds: dict[tuple[str, float], float] = {}
    chases: dict[tuple[str, float], NDArray] = {}
    for medium in MEDIA:
        for wanted in config.speeds:
            cost = Velocity((-wanted, 0.0), 10.0) + line + Torque(0.001)
            head = steer_head(medium, cost, config.duration)[round(SETTLE / PERIOD) :]
            speeds[medium, wanted] = float(head[0, 0] - head[-1, 0]) / (config.duration - SETTLE)
            head = steer_head(medium, Goal(AHEAD, velocity=(-wanted, 0.0)) + Torque(), config.duration)
            goal = AHEAD - np.outer(PERIOD * np.arange(len(head)), (wanted, 0.0))
            chases[medium, wanted] = (head - goal)[round(SETTLE / PERIOD) :]
    return Result(path, heads, speeds, chases)


def steer_head(medium: str, cost: Cost, duration: float) -> NDArray:
    """Return the head's position over time (samples, 2), every PERIOD [m]."""
    world = Plane(medium)  # type: ignore[arg-type]
    controller = RecedingHorizon(Problem(ROBOT, world, cost, HORIZON))
    return simulate(ROBOT, world, controller, duration, sample_period=PERIOD)["base_pose"][:, :2]


def claims(result: Result) -> list[Finding]:
    """Report the finding on B3."""
    table: dict[str, Any] = {}
    for medium, head in result.heads.items():
        distance, left = result.path.nearest(head)
        table[f"{medium}, deviation from the path, mean [m]"] = round(float(distance.mean()), 4)
        table[f"{medium}, deviation from the path, largest [m]"] = round(float(distance.max()), 4)
        table[f"{medium}, way left [m]"] = round(float(left.min()), 3)
    for (medium, wanted), speed in result.speeds.items():
        table[f"{medium}, {wanted:g} m/s wanted, reached [m/s]"] = round(speed, 3)
    for (medium, wanted), error in result.chases.items():
        away, behind = np.hypot(*error.T), error[-1, 0] - error[0, 0]
        speed = wanted - float(behind) / (PERIOD * (len(error) - 1))
        table[f"{medium}, after a goal at {wanted:g} m/s, reached [m/s]"] = round(speed, 3)
        table[f"{medium}, after a goal at {wanted:g} m/s, mean and worst distance [m]"] = [
            round(float(away.mean()), 4), round(float(away.max()), 4),
        ]  # fmt: skip
    return [Finding("B3", table, f"N = {HORIZON}; the path of the head has corners of 45 deg")]


def figure(result: Result, folder: FilePath) -> list[FilePath]:
    """Plot the path and the heads."""
    picture = new_figure(8.0, 3.4)
    axes = dressed(picture.add_subplot())
    axes.plot(*np.array(result.path.points).T, "-", color="black", lw=1.2, label="path")
    for colour, (medium, head) in zip(COLOURS, result.heads.items()):
        axes.plot(*head.T, color=colour, lw=1.2, label=medium)
    axes.set_aspect("equal")
    labelled(axes, "x [m]", "y [m]", "the head along a path")
    legend(axes)
    return [write(picture, folder / "steering_path.png")]
