"""Task quantities over time: distance to the goal, clearance, the pushed object and its wheels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from serpenoid import analysis
from serpenoid.analysis.goals import footprints
from serpenoid.analysis.run_geometry import run_geometry
from serpenoid.plotting.moments import curve
from serpenoid.plotting.series import per_link
from serpenoid.plotting.style import ACCENT, AMBER, GREY, axes_or_new, labelled, legend, palette
from serpenoid.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Names of the variables in GoalPoint.of.
MOVERS = {"base_pose": "head", "center_of_mass": "centre of mass", "object_position": "object"}


def has_aim(run: Trajectory) -> bool:
    """Return whether the run's controller had a goal or a route."""
    around = run_geometry(run)
    return bool(around.goals) or len(around.route) > 1


def keeps_clear(run: Trajectory) -> bool:
    """Return whether there are obstacles to avoid in a run without contact forces."""
    return "contact_force" not in run and bool(footprints(run))


def aim(run: Trajectory, axes: Axes | None = None) -> Axes:
    """Plot the distance of the head, centre of mass or object from its goals, and of the body from the route."""
    axes = axes_or_new(axes)
    away, goals = analysis.goal_distance(run), run_geometry(run).goals
    for i, colour in zip(range(away.shape[1]), palette(away.shape[1])):
        name = f"{MOVERS[goals[i].of]} from " + ("the goal" if away.shape[1] == 1 else f"goal {i}")
        curve(axes, run.times, away[:, i], f"{name}: {away[-1, i]:.3g} m at the end", color=colour, linewidth=1.3)
    if len(run_geometry(run).route) > 1:
        led, times, way = "head", run.times, analysis.path_distance(run)
        if "route_distance" in run:
            led, times, way = "middle", run["tick"], np.abs(run["route_distance"])
        curve(axes, times, way, f"{led} from the route: {np.nanmax(way):.3g} m at most", color=AMBER, linewidth=1.3)
    axes.set_ylim(bottom=0.0)
    legend(axes)
    return labelled(axes, "time [s]", "distance [m]")


def clearance(run: Trajectory, axes: Axes | None = None) -> Axes:
    """Plot the distance between the body and the nearest obstacle, with its minimum marked."""
    axes = axes_or_new(axes)
    gap = analysis.clearance(run)
    curve(axes, run.times, gap, "body to the nearest obstacle", color=palette(1)[0], linewidth=1.3)
    nearest = int(gap.argmin())
    axes.plot(run.times[nearest], gap[nearest], "o", color=ACCENT, markersize=5, label=f"least: {gap[nearest]:.3g} m")
    axes.axhline(0.0, color=GREY, linewidth=0.9, linestyle="--", label="contact")
    legend(axes)
    return labelled(axes, "time [s]", "clearance [m]")


def pushed_object(run: Trajectory, axes: Axes | None = None) -> Axes:
    """Plot displacement and speed of the object."""
    axes = axes_or_new(axes)
    moved = np.linalg.norm(run["object_position"] - run["object_position"][0], axis=1)
    first, second = palette(2)
    curve(axes, run.times, moved, f"moved: {moved[-1]:.3g} m at the end", color=first, linewidth=1.3)
    speed = np.linalg.norm(run["object_velocity"], axis=1)
    curve(axes, run.times, speed, f"speed: {speed[-1]:.3g} m/s at the end", color=second, linewidth=1.3)
    legend(axes)
    return labelled(axes, "time [s]", "object: moved [m], speed [m/s]")


def wheel_forces(run: Trajectory, axes: Axes | None = None) -> Axes:
    """Plot the lateral force of the wheels of every link that has wheels; dotted while one of them slips."""
    axes = per_link(run, axes, run["wheel_force"], links_with_wheels(run), "lateral wheel force [N]")
    slipping = np.where(run["wheel_holds"] == 0.0, run["wheel_force"], np.nan)
    if np.isfinite(slipping).any():
        lines = axes.plot(run.times, slipping, ".", color=ACCENT, markersize=3)
        lines[0].set_label("slipping")
        legend(axes)
    return axes


def wheel_slip(run: Trajectory, axes: Axes | None = None) -> Axes:
    """Plot the lateral speed of the wheels of every link that has wheels."""
    axes = per_link(run, axes, run["wheel_slip"], links_with_wheels(run), "wheel slip [m/s]")
    if float(np.nanmax(np.abs(run["wheel_slip"]), initial=0.0)) < 1e-9:  # hide rounding errors
        axes.set_ylim(-0.01, 0.01)
    return axes


def links_with_wheels(run: Trajectory) -> np.ndarray:
    """Return (links,) which links have wheels."""
    return np.isfinite(run["wheel_force"]).any(axis=0)


def has_wheels(run: Trajectory) -> bool:
    """Return whether any link of the run has wheels."""
    return bool(links_with_wheels(run).any())
