"""Beyond the paper (B3): the head follows a path, and the snake keeps to a wanted velocity along a line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.experiments.base import Finding, Progress
from serpenoid.experiments.mpc_gaits.runs import MEDIA, SETTLE
from serpenoid.planning import Cost, Path, Problem, RecedingHorizon, Torque, Velocity
from serpenoid.plotting.style import COLOURS, dressed, labelled, legend, new_figure, write
from serpenoid.robots import PlanarSnake
from serpenoid.simulation import simulate
from serpenoid.worlds import Plane

ROBOT = PlanarSnake()
HORIZON = 40  # with 25 the head's swing beside the path costs more than the way that it gains in viscous drag


@dataclass(frozen=True)
class Config:
    """What is run."""

    corners: tuple[tuple[float, float], ...] = ((0.0, 0.0), (-1.0, 0.0), (-2.0, 1.0), (-3.5, 1.0))
    """corners of the path [m]"""
    duration: float = 8.0
    """of a run [s]"""
    speeds: tuple[float, ...] = (0.3, 0.6)
    """wanted along a line [m/s]"""

    @classmethod
    def quick(cls) -> Config:
        """One wanted speed."""
        return cls(speeds=(0.3,))


class Result(NamedTuple):
    """Heads over time by medium (samples, 2) [m], and the speed reached by medium and wanted speed [m/s]."""

    path: Path
    heads: dict[str, NDArray]
    speeds: dict[tuple[str, float], float]


def run(config: Config, progress: Progress) -> Result:
    """Path and line in all media."""
    progress("along a path, and at a wanted velocity")
    path, line = Path(config.corners), Path(((1.0, 0.0), (-50.0, 0.0)), weight=0.0)
    heads = {medium: steered(medium, path + Torque(), config.duration) for medium in MEDIA}
    speeds: dict[tuple[str, float], float] = {}
    for medium in MEDIA:
        for wanted in config.speeds:
            cost = Velocity((-wanted, 0.0), 10.0) + line + Torque(0.001)
            head = steered(medium, cost, config.duration)[round(SETTLE / 0.01) :]
            speeds[medium, wanted] = float(head[0, 0] - head[-1, 0]) / (config.duration - SETTLE)
    return Result(path, heads, speeds)


def steered(medium: str, cost: Cost, duration: float) -> NDArray:
    """The head over time (samples, 2), every 10 ms [m]."""
    world = Plane(medium)  # type: ignore[arg-type]
    controller = RecedingHorizon(Problem(ROBOT, world, cost, HORIZON))
    return simulate(ROBOT, world, controller, duration, sample_period=0.01)["base_pose"][:, :2]


def claims(result: Result) -> list[Finding]:
    """B3."""
    table: dict[str, float] = {}
    for medium, head in result.heads.items():
        distance, left = result.path.nearest(head)
        table[f"{medium}, deviation from the path, mean [m]"] = round(float(distance.mean()), 4)
        table[f"{medium}, deviation from the path, largest [m]"] = round(float(distance.max()), 4)
        table[f"{medium}, way left [m]"] = round(float(left.min()), 3)
    for (medium, wanted), speed in result.speeds.items():
        table[f"{medium}, {wanted:g} m/s wanted, reached [m/s]"] = round(speed, 3)
    return [Finding("B3", table, f"N = {HORIZON}; the path has corners of 45 deg, and is given to the head")]


def figure(result: Result, folder: FilePath) -> list[FilePath]:
    """The path and the heads."""
    picture = new_figure(8.0, 3.4)
    axes = dressed(picture.add_subplot())
    axes.plot(*np.array(result.path.points).T, "-", color="black", lw=1.2, label="path")
    for colour, (medium, head) in zip(COLOURS, result.heads.items()):
        axes.plot(*head.T, color=colour, lw=1.2, label=medium)
    axes.set_aspect("equal")
    labelled(axes, "x [m]", "y [m]", "the head along a path")
    legend(axes)
    return [write(picture, folder / "steering_path.png")]
