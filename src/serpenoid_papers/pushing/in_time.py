"""Beyond the paper: the push over time in the three scenarios, starting from the static analysis."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from serpenoid.plotting.style import COLOURS, INK, dressed, gradient, labelled, new_figure, write
from serpenoid.robots.rotations import turns_about_z
from serpenoid.scenarios.push import Push
from serpenoid.trajectory import Trajectory
from serpenoid.worlds.pushing import PushedObject
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.pushing.common import NAMES, WHEELS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Result = dict[int, Trajectory]


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    mass: float = 20.0
    """mass of the object [kg]"""
    torque: tuple[float, ...] = (0.06, 0.03)
    """joint torques [N m]"""
    release: float = 0.6
    """time at which the torques are switched off [s]"""
    duration: float = 1.5
    """simulated time [s]"""

    @classmethod
    def quick(cls) -> Config:
        """Use a shorter run."""
        return cls(duration=0.8)

    @classmethod
    def tiny(cls) -> Config:
        """Use only the first moments."""
        return cls(duration=0.05)


def run(config: Config, progress: Progress) -> Result:
    """Apply the same torques without wheels, with wheels that can slip, and with ideal ones."""
    return {
        number: Push(
            object=PushedObject(mass=config.mass), wheels=wheels.kind, wheel_friction=0.05, torque=config.torque,
            release=config.release, duration=config.duration,
        ).run()
        for number, wheels in WHEELS.items()
    }  # fmt: skip


def claims(result: Result) -> list[Finding]:
    """Return no findings, because the paper makes no claim on this."""
    return []


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the object's travel and the contact force over time, and the bodies at three times."""
    sheet = new_figure(9.5, 6.4)
    grid = sheet.add_gridspec(2, 3)
    way, force = dressed(sheet.add_subplot(grid[0, :2])), dressed(sheet.add_subplot(grid[1, :2]))
    for colour, (number, found) in zip(COLOURS, result.items()):
        moved = np.linalg.norm(found["object_position"] - found["object_position"][0], axis=1)
        way.plot(found.times, 1e3 * moved, color=colour, label=f"{number}: {NAMES[number]}")
        force.plot(found.times, found["contact_force"].max(axis=1), color=colour)
    labelled(way, "", "travel of the object [mm]", "The push over time")
    labelled(force, "time [s]", "contact force [N]")
    way.legend(fontsize=8, frameon=False)
    bodies = sheet.add_subplot(grid[:, 2])
    draw_bodies(bodies, result[2])
    return [write(sheet, folder / "in_time.png")]


def draw_bodies(axes: Axes, found: Trajectory) -> None:
    """Draw snake and object at the start (dark), after a third and at the end (light)."""
    from matplotlib.patches import Circle

    for colour, index in zip(gradient(3), (0, len(found.times) // 3, len(found.times) - 1)):
        pose = found["link_pose"][index]
        angle = turns_about_z(pose[:, 3:])
        tail = pose[-1, :2] + 0.15 * np.array([np.cos(angle[-1]), np.sin(angle[-1])])
        axes.plot(*np.vstack([pose[:, :2], tail]).T, "-o", color=colour, linewidth=3, markersize=3)
        x, y, _ = found["object_position"][index]
        axes.add_patch(Circle((x, y), 0.1, facecolor="none", edgecolor=colour, linewidth=2))
    axes.set_aspect("equal")
    axes.autoscale_view()
    axes.set_axis_off()
    axes.set_title("scenario 2 at 0, a third and the end", fontsize=9, color=INK)
