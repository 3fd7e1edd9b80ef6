"""N9: waterline and metacentric height against the angle of the shells."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.mechanics.equilibrium import describe
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.robots import Natrix
from serpenoid.robots.natrix import SHELL_JOINTS
from serpenoid.worlds import WaterSurface
from serpenoid.worlds.flotation import Flotation
from serpenoid_papers.base import ExperimentConfig, Finding, Progress


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    count: int = 61
    """shell angles from 0 to 120 deg, the period of the triangle"""

    @classmethod
    def quick(cls) -> Config:
        """Use a spacing of 5 deg."""
        return cls(count=25)

    @classmethod
    def tiny(cls) -> Config:
        """Use three angles."""
        return cls(count=3)


class Result(NamedTuple):
    """Values by shell angle, equal for all shells, on the straight robot."""

    angle: NDArray  # [rad]
    height: NDArray  # height of the module axis above the water at the middle of the robot [m]
    metacentric: NDArray  # metacentric height in roll [m]
    roll: NDArray  # roll of the equilibrium [rad]


def run(config: Config, progress: Progress) -> Result:
    """Follow the upright equilibrium while the shells turn."""
    robot, world = Natrix(), WaterSurface()
    angles = np.linspace(0.0, np.radians(120.0), config.count)
    rows = []
    up = np.array([0.0, 0.0, 1.0])
    for angle in angles:
        shape = np.zeros(robot.joints)
        shape[list(SHELL_JOINTS)] = angle
        flotation = Flotation(robot, world, shape)
        pose = flotation.settle(up)
        if pose is None:
            rows.append((np.nan,) * 3)
            continue
        up = pose.up
        middle = 0.5 * robot.length - robot.snout
        rows.append((pose.height + middle * pose.up[0], describe(flotation, pose).metacentric_height, pose.roll))
    return Result(angles, *np.array(rows).T)


def claims(result: Result) -> list[Finding]:
    """Report the finding on N9."""
    measured = {
        "waterline moves by [mm]": float(1e3 * np.ptp(result.height)),
        "metacentric height from [mm]": float(1e3 * result.metacentric.min()),
        "to [mm]": float(1e3 * result.metacentric.max()),
        "apex up [mm]": float(1e3 * result.metacentric[0]),
        "largest list of the equilibrium [deg]": float(np.degrees(np.abs(result.roll).max())),
    }
    reason = "straight robot, six shells turned together by 0 to 120 deg, equilibrium followed from upright"
    return [Finding("N9", measured, reason)]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot three curves."""
    picture = new_figure(9.0, 3.0)
    degrees = np.degrees(result.angle)
    names = ("axis above the water [mm]", "metacentric height [mm]", "roll of the equilibrium [deg]")
    curves = (1e3 * result.height, 1e3 * result.metacentric, np.degrees(result.roll))
    for axis, name, curve in zip(picture.subplots(1, 3), names, curves):
        dressed(axis).plot(degrees, curve, color=COLOURS[0])
        labelled(axis, "shell angle [deg]", name)
    return [write(picture, folder / "natrix_shells.png")]
