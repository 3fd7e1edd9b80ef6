"""Scenarios on modules: what would be sent, and a log laid over the simulation, joint by joint and in the path."""

from __future__ import annotations

import dataclasses
from math import ceil
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Controller
from serpenoid.control.follow import FollowGait
from serpenoid.gaits.base import Gait
from serpenoid.hardware.logs import Comparison, compare
from serpenoid.hardware.module_logs import ModuleLog, read_module_log
from serpenoid.hardware.safety import Safety
from serpenoid.hardware.servo_runs import angles_at
from serpenoid.hardware.servos import Violation, excesses
from serpenoid.scenarios.base import Scenario
from serpenoid.simulation import simulate
from serpenoid.trajectory import Trajectory


class DryRun(NamedTuple):
    """What would be sent to modules."""

    run: Trajectory  # the simulation that it was taken from
    angles: NDArray  # (ticks, joints) [rad]
    start_time: float  # that the soft start takes from the straight shape [s]
    violations: list[Violation]


class PathComparison(NamedTuple):
    """How far a logged path is from the simulated one, laid on it from its start."""

    rms: float  # [m]
    logged: float  # net displacement [m]
    simulated: float  # [m]


def law_of(scenario: Scenario) -> Controller:
    """A scenario's controller as modules are led: a gait is followed period by period."""
    controller = scenario.parts().controller
    return FollowGait(controller) if isinstance(controller, Gait) else controller


def dry_run(scenario: Scenario, safety: Safety) -> DryRun:
    """A scenario's commands as a simulation answers to them, held against every limit."""
    robot, world, _ = scenario.parts()
    timing = dataclasses.asdict(scenario.timing())
    run = simulate(robot, world, law_of(scenario), initial=scenario.initial(), seed=scenario.seed, **timing)
    angles = run["command_position"]
    names, ticks = robot.joint_names, run["tick"]
    found: list[Violation] = []
    for j, most in enumerate(safety.angles(robot)):
        found += excesses(names[j : j + 1], ticks, angles[:, j : j + 1], float(most), -float(most), "angle", "rad")
    rates = np.diff(angles, axis=0) / scenario.control_period
    found += excesses(names, ticks[1:], rates, safety.most_speed, -safety.most_speed, "rate", "rad/s")
    torque = run["joint_torque"]
    found += excesses(names, run.times, torque, safety.most_torque, -safety.most_torque, "torque", "N m")
    start = 0.5 * np.pi * float(np.nanmax(np.abs(angles[0]))) / safety.start_rate
    return DryRun(run, angles, start, found)


def simulated_as(scenario: Scenario, log: ModuleLog) -> Trajectory:
    """A scenario's run, as long as a log."""
    period = scenario.sample_period
    duration = max(scenario.duration, period * ceil(log.times[-1] / period - 1e-9))
    return dataclasses.replace(scenario, duration=duration).run()


def compare_module_log(
    path: Path, scenario: Scenario
) -> tuple[ModuleLog, NDArray, list[Comparison], PathComparison | None]:
    """A log, the simulated angles at its times, the error per joint and, where the log has one, of the path."""
    log = read_module_log(path, scenario.parts().robot.joint_names)
    run = simulated_as(scenario, log)
    simulated = angles_at(run, log.times)
    return log, simulated, compare(log.recording(), simulated), compare_paths(log, run)


def compare_paths(log: ModuleLog, run: Trajectory) -> PathComparison | None:
    """The logged path against that of the head; the two planes' frames are unknown to each other.

    Each path is taken from its start, in the two axes in which it spreads most; then the logged one is turned, and
    mirrored where that is better, so that they lie closest.
    """
    if log.path is None or "base_pose" not in run:
        return None
    ours = np.array([np.interp(log.times, run.times, axis) for axis in run["base_pose"][:, :3].T]).T
    logged, simulated = (in_plane(points - points[0]) for points in (log.path, ours))
    u, _, vt = np.linalg.svd(logged.T @ simulated)
    distance = np.linalg.norm(logged @ (u @ vt) - simulated, axis=1)
    ends = [float(np.linalg.norm(points[-1])) for points in (logged, simulated)]
    return PathComparison(float(np.sqrt(np.mean(distance**2))), *ends)


def in_plane(points: NDArray) -> NDArray:
    """Points (samples, 3) in the two of their axes that they spread along most."""
    wide = np.sort(np.argsort(np.ptp(points, axis=0))[1:])
    return points[:, wide]
