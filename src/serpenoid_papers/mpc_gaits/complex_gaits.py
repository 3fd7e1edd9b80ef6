"""Fig. 4 (M7, M8): a sharp turn to a goal beside the snake, and a narrow tunnel, as pictures and animations."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid import analysis
from serpenoid.planning import Cost, Goal, Limits, Obstacle, Problem, RecedingHorizon, Torque
from serpenoid.planning.solver import clearance
from serpenoid.plotting.style import COLOURS, GREY, dressed, gradient, labelled, new_figure, write
from serpenoid.robots import PlanarSnake
from serpenoid.robots.rotations import turns_about_z
from serpenoid.simulation import simulate
from serpenoid.studio import export_html
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import Plane
from serpenoid.worlds.plane import MediumName
from serpenoid_papers.base import ExperimentConfig, Finding, Progress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROBOT = PlanarSnake()
STEADY = 1.5  # last part of the run, behind the tunnel: a straight gait [s]
NARROW = 0.1  # links with a part this near to the narrowest point count as inside [m]


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    goal: tuple[float, float] = (0.5, -1.5)
    """goal of the turn, beside the snake [m]"""
    joint_limit: float = 1.57
    """largest joint angle in the turn [rad]"""
    gap: float = 0.1
    """width of the tunnel at its narrowest point [m]"""
    place: float = -1.0
    """x of the narrowest point [m]"""
    slope: float = 50.0
    """slope of the obstacles' cost [1/m]"""
    turn_duration: float = 6.0
    """duration of the turn [s]"""
    tunnel_duration: float = 4.0
    """duration of the run through the tunnel [s]"""
    medium: MediumName = "dry"
    """medium of the snake"""

    @classmethod
    def tiny(cls) -> Config:
        """Run only the first moments."""
        return cls(turn_duration=0.5, tunnel_duration=0.5)


class Result(NamedTuple):
    """Both runs and their configuration."""

    config: Config
    turn: Trajectory
    tunnel: Trajectory
    obstacles: tuple[Obstacle, ...]


def run(config: Config, progress: Progress) -> Result:
    """Run turn and tunnel."""
    progress("sharp turn and tunnel")
    turn = run_planner(
        config, Goal(config.goal) + Torque(), Limits(joint_angle=config.joint_limit), config.turn_duration
    )
    centre = 0.5 * config.gap + 0.3
    obstacles = tuple(Obstacle((config.place, y), None, 0.3, slope=config.slope) for y in (centre, -centre))
    cost = Goal((-20.0, 0.0)) + Torque() + obstacles[0] + obstacles[1]
    tunnel = run_planner(config, cost, Limits(), config.tunnel_duration)
    return Result(config, turn, tunnel, obstacles)


def run_planner(config: Config, cost: Cost, limits: Limits, duration: float) -> Trajectory:
    """Run the snake under the planner."""
    world = Plane(config.medium)
    controller = RecedingHorizon(Problem(ROBOT, world, cost, limits=limits))
    return simulate(ROBOT, world, controller, duration, sample_period=0.005)


def ends(run: Trajectory) -> NDArray:
    """Return the ends of the links over time (samples, links + 1, 2) [m]."""
    pose = run["link_pose"]
    angle = turns_about_z(pose[..., 3:])
    tail = pose[:, -1:, :2] + ROBOT.link_length * np.stack([np.cos(angle), np.sin(angle)], axis=-1)[:, -1:]
    return np.concatenate([pose[..., :2], tail], axis=1)


def claims(result: Result) -> list[Finding]:
    """Report the findings on M7, M8."""
    return [turn_finding(result), tunnel_finding(result)]


def turn_finding(result: Result) -> Finding:
    """Report the head's distance from the goal, the largest joint angle, and the power share of the strongest line."""
    config, run = result.config, result.turn
    distance = np.hypot(*(run["base_pose"][:, :2] - config.goal).T)
    reached = np.flatnonzero(distance < 0.02)
    until = float(run.times[reached[0]]) if reached.size else run.duration
    power = analysis.spectrum(run, end=until).amplitude ** 2
    measured = {
        "least distance from the goal [m]": float(distance.min()),
        "reached after [s]": until if reached.size else None,
        "largest joint angle [rad]": float(np.abs(run["joint_position"]).max()),
        "limit [rad]": config.joint_limit,
        "share of the strongest line": line_share(power),
        "the same of the straight gait": line_share(
            analysis.spectrum(result.tunnel, start=max(0.0, result.tunnel.duration - STEADY)).amplitude ** 2
        ),
    }  # fmt: skip
    return Finding("M7", measured, "goal beside the snake; a line has the width of a sine under a Hann window")


def line_share(power: NDArray) -> float:
    """Return the share of all joints' power in the strongest line: four bins wide before padding by eight."""
    total = power.sum(axis=1)
    peak = int(total.argmax())
    return float(total[max(peak - 16, 0) : peak + 17].sum() / total.sum())


def tunnel_finding(result: Result) -> Finding:
    """Report the least clearance, and the joint rates inside and outside the narrow part."""
    run, points = result.tunnel, ends(result.tunnel)
    gap = min(
        clearance(row[k].copy(), row[k + 1].copy(), obstacle, ROBOT.radius)
        for row in points for k in range(ROBOT.links) for obstacle in result.obstacles
    )  # fmt: skip
    joints = points[:, 1:-1, 0]
    inside = np.abs(joints - result.config.place) < NARROW
    passing = inside.any(axis=1)
    rate = np.abs(run["joint_velocity"])
    if not passing.any():
        return Finding("M8", None, "no joint came near the narrowest point")
    measured = {
        "least clearance [m]": gap,
        "tail passed": bool(points[-1, -1, 0] < result.config.place),
        "joint rate inside [rad/s]": float(rate[inside].mean()),
        "joint rate outside at the same times [rad/s]": float(rate[passing][~inside[passing]].mean()),
    }
    return Finding("M8", measured, f"tunnel between two discs, {result.config.gap:g} m wide; clearance of the skin")


def figure(result: Result, folder: Path) -> list[Path]:
    """Draw Fig. 4, and both runs as animations."""
    picture = new_figure(10.0, 3.6)
    grid = picture.add_gridspec(1, 2, width_ratios=[1.0, 3.0])
    upper, lower = (dressed(picture.add_subplot(grid[0, column])) for column in range(2))
    draw(upper, result.turn, np.linspace(0.0, 1.6, 7))
    upper.plot(*result.config.goal, "*", color=COLOURS[1], ms=14)
    labelled(upper, "x [m]", "y [m]", "sharp turn, 1.6 s")
    draw(lower, result.tunnel, np.linspace(0.0, 2.2, 7))
    for obstacle in result.obstacles:
        lower.add_patch(circle(obstacle))
    lower.set_xlim(-2.6, 1.2)
    lower.set_ylim(-0.5, 0.5)
    labelled(lower, "x [m]", "y [m]", "narrow tunnel, 2.2 s")
    pages = [export_html(run, folder / f"fig_4_{name}.html") for name, run in
             (("turn", result.turn), ("tunnel", result.tunnel))]  # fmt: skip
    return [write(picture, folder / "fig_4_turn_and_tunnel.png"), *pages]


def draw(axes: Axes, run: Trajectory, times: NDArray) -> None:
    """Draw the body at several times, early dark and late light."""
    points = ends(run)
    for colour, time in zip(gradient(times.size), times):
        row = points[min(int(np.searchsorted(run.times, time - 1e-9)), run.times.size - 1)]
        axes.plot(row[:, 0], row[:, 1], "-", lw=3.0, color=colour, solid_capstyle="round")
        axes.plot(*row[0], "o", ms=5, color=colour)
    axes.set_aspect("equal")


def circle(obstacle: Obstacle) -> Any:
    """Return a disc to draw."""
    from matplotlib.patches import Circle

    return Circle(obstacle.start, obstacle.radius, color=GREY, alpha=0.5)
