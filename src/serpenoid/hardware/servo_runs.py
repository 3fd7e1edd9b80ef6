"""A scenario as pulses for servos, and a servo log laid over a scenario."""

from __future__ import annotations

import dataclasses
from math import ceil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import Unsupported
from serpenoid.gaits.base import Gait
from serpenoid.hardware.logs import Comparison, Recording, compare, read_log
from serpenoid.hardware.servos import Plan, Servo, plan
from serpenoid.kernels.motion import motion_samples
from serpenoid.plotting.style import COLOURS, dressed, legend, new_figure, write
from serpenoid.scenarios.base import Scenario
from serpenoid.trajectory import Trajectory


def plan_scenario(scenario: Scenario, servo: Servo) -> Plan:
    """Pulses for a scenario's gait; the torques of its run are held against the servo's."""
    robot, _, gait = scenario.parts()
    if not isinstance(gait, Gait):
        raise Unsupported(f"a plan follows a gait; {type(scenario).__name__} is led by {type(gait).__name__}")
    times = servo.frame * np.arange(int(scenario.duration / servo.frame + 1e-9) + 1)
    angles = motion_samples(gait.motion(robot), times)[0]
    run = scenario.run()
    torques = np.array([np.interp(times, run.times, torque) for torque in run["joint_torque"].T]).T
    return plan(servo, robot.joint_names, times, angles, torques)


def compare_log(path: Path, scenario: Scenario) -> tuple[Recording, NDArray, list[Comparison]]:
    """A log, the simulated angles at its times, and the error per joint; the run is as long as the log."""
    recording = read_log(path, scenario.parts().robot.joint_names)
    period = scenario.sample_period
    duration = max(scenario.duration, period * ceil(recording.times[-1] / period - 1e-9))
    run = dataclasses.replace(scenario, duration=duration).run()
    simulated = angles_at(run, recording.times)
    return recording, simulated, compare(recording, simulated)


def angles_at(run: Trajectory, times: NDArray) -> NDArray:
    """Joint angles between the samples, by cubics through angles and rates."""
    from scipy.interpolate import CubicHermiteSpline

    return CubicHermiteSpline(run.times, run["joint_position"], run["joint_velocity"])(times)


def draw_comparison(recording: Recording, simulated: NDArray, path: Path, label: str = "recorded") -> Path:
    """Recorded and simulated angles side by side, a panel per joint that moves."""
    moving = np.flatnonzero((np.ptp(recording.angles, axis=0) > 1e-6) | (np.ptp(simulated, axis=0) > 1e-6))
    shown = moving if moving.size else np.arange(1)
    rows = ceil(shown.size / 4)
    figure = new_figure(12.0, 1.0 + 2.0 * rows)
    axes = figure.subplots(rows, min(4, shown.size), squeeze=False, sharex=True, sharey=True).flat
    for axis, joint in zip(axes, shown):
        axis.plot(recording.times, np.degrees(recording.angles[:, joint]), color=COLOURS[1], label=label)
        axis.plot(recording.times, np.degrees(simulated[:, joint]), "--", color=COLOURS[0], label="simulated")
        dressed(axis).set_title(recording.joints[joint], fontsize=9, loc="left")
    for axis in list(axes)[shown.size :]:
        axis.remove()
    figure.supxlabel("time [s]")
    figure.supylabel("joint angle [deg]")
    legend(figure.axes[0], loc="upper right", bbox_to_anchor=(1.0, 1.0))
    return write(figure, path)
