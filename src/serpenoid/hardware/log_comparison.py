"""Comparison of a log with the simulation of a scenario: joint by joint, and of the path."""

from __future__ import annotations

import dataclasses
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.hardware.load_comparison import Loads, compare_loads
from serpenoid.hardware.logs import Comparison, Recording, compare
from serpenoid.hardware.module_logs import ModuleLog, read_log
from serpenoid.hardware.replay import simulate_log
from serpenoid.plotting.style import COLOURS, dressed, labelled, legend, new_figure, write
from serpenoid.scenarios.base import Scenario

SEEN = 0.01  # fraction of the largest motion from which a joint is plotted


class PathComparison(NamedTuple):
    """Distance of a logged path from the simulated one, aligned at the start."""

    rms: float  # [m]
    logged: NDArray  # (samples, 2) in the simulated path's axes [m]
    simulated: NDArray  # (samples, 2) [m]

    @property
    def distances(self) -> tuple[float, float]:
        """Return the net displacements, logged and simulated [m]."""
        return float(np.linalg.norm(self.logged[-1])), float(np.linalg.norm(self.simulated[-1]))


class LogComparison(NamedTuple):
    """A log and the simulated values at its times."""

    log: ModuleLog  # up to the end of the simulation
    simulated: NDArray  # (samples, joints) [rad]
    joints: list[Comparison]
    path: PathComparison | None  # if the log has one
    excess: float  # time of the log beyond the end of the simulation [s]
    loads: Loads | None  # if the log has torques or currents


def compare_log(path: Path, scenario: Scenario) -> LogComparison:
    """Compare a log with a scenario's run of the same length; if that ends earlier, until then.

    Commands in the log replace the scenario's controller.
    """
    log = read_log(path, scenario.parts().robot.joint_names)
    run = run_alone(scenario, log) if log.commands is None else simulate_log(scenario, log)
    log = log.begun()
    whole, log = log.times[-1], log.until(run.times[-1])
    angles = angles_at(run, log.times)
    return LogComparison(
        log, angles, compare(log.recording(), angles), compare_paths(log, run), float(whole - log.times[-1]),
        compare_loads(log, run),
    )  # fmt: skip


def run_alone(scenario: Scenario, log: ModuleLog) -> ModuleLog:
    """Run a scenario for the length of a log."""
    period = scenario.sample_period
    run = dataclasses.replace(scenario, duration=period * ceil(log.times[-1] / period - 1e-9)).run()
    values = {name: run[name] for name in ("joint_position", "joint_velocity", "joint_torque") if name in run}
    return ModuleLog(log.joints, run.times, values, run["base_pose"][:, :3] if "base_pose" in run else None)


def angles_at(run: ModuleLog, times: NDArray) -> NDArray:
    """Return joint angles between the samples, by cubics through angles and rates."""
    from scipy.interpolate import CubicHermiteSpline

    return CubicHermiteSpline(run.times, run.values["joint_position"], run.values["joint_velocity"])(times)


def compare_paths(log: ModuleLog, run: ModuleLog) -> PathComparison | None:
    """Compare the logged path with that of the head; the rotation between their frames is unknown.

    Each path starts at zero and is reduced to its two principal axes. The logged path is then rotated, and mirrored
    if that is better, for the closest match.
    """
    if log.path is None or run.path is None:
        return None
    ours = np.array([np.interp(log.times, run.times, axis) for axis in run.path.T]).T
    logged, simulated = (in_plane(points - points[0]) for points in (log.path, ours))
    u, _, vt = np.linalg.svd(logged.T @ simulated)
    laid = logged @ (u @ vt)
    distance = np.linalg.norm(laid - simulated, axis=1)
    return PathComparison(float(np.sqrt(np.mean(distance**2))), laid, simulated)


def in_plane(points: NDArray) -> NDArray:
    """Project points (samples, 3) on their two axes of largest extent."""
    wide = np.sort(np.argsort(np.ptp(points, axis=0))[1:])
    return points[:, wide]


def draw_comparison(
    recording: Recording, simulated: NDArray, path: Path, label: str = "recorded", track: PathComparison | None = None
) -> Path:
    """Plot recorded and simulated angles side by side, one panel per joint that moves, with the path below."""
    shown = worth_showing(recording.angles, simulated)
    rows, columns, more = ceil(shown.size / 4), min(4, shown.size), 0 if track is None else 4.0
    figure = new_figure(12.0, 1.0 + 2.0 * rows + more)
    panels: Any = figure
    if track is not None:
        parts: Any = figure.subfigures(2, 1, height_ratios=[1.0 + 2.0 * rows, more])
        panels, below = parts
        draw_track(below, track, label)
    axes = list(panels.subplots(rows, columns, squeeze=False, sharex=True, sharey=True).flat)
    for axis, joint in zip(axes, shown):
        axis.plot(recording.times, np.degrees(recording.angles[:, joint]), color=COLOURS[1], label=label)
        axis.plot(recording.times, np.degrees(simulated[:, joint]), "--", color=COLOURS[0], label="simulated")
        dressed(axis).set_title(recording.joints[joint], fontsize=9, loc="left")
    for axis in axes[shown.size :]:
        axis.remove()
    for axis in axes[max(0, shown.size - columns) : shown.size]:  # lowest panel of each column
        axis.tick_params(labelbottom=True)
    panels.supxlabel("time [s]")
    panels.supylabel("joint angle [deg]")
    legend(panels.axes[0], loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2)
    return write(figure, path)


def worth_showing(recorded: NDArray, simulated: NDArray) -> NDArray:
    """Return joints that move in one of the two, or differ between them, by a fraction of the largest motion."""
    ranges = np.ptp(recorded, axis=0), np.ptp(simulated, axis=0), np.abs(recorded - simulated).max(axis=0)
    found = np.flatnonzero(np.max(ranges, axis=0) > SEEN * np.max(ranges))
    return found if found.size else np.arange(1)


def draw_track(figure: Any, track: PathComparison, label: str) -> None:
    """Plot both paths from above with a common start, the simulated one to the right."""
    axes = dressed(figure.subplots())
    x, y = track.simulated[-1] / (np.linalg.norm(track.simulated[-1]) or 1.0)
    turn = np.array([[x, -y], [y, x]])
    for points, name, style, colour in ((track.logged, label, "-", 1), (track.simulated, "simulated", "--", 0)):
        axes.plot(*(points @ turn).T, style, color=COLOURS[colour], label=name)
    axes.set_aspect("equal", "datalim")
    labelled(axes, "[m]", "[m]", "path from above, common start")
