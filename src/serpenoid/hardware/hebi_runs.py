"""A scenario on modules: its law, and what would be sent."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Controller
from serpenoid.control.follow import FollowGait
from serpenoid.gaits.base import Gait
from serpenoid.hardware.safety import Safety
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
