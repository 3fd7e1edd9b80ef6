"""A scenario on modules: its law, and what would be sent."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import changed
from serpenoid.control.base import Controller
from serpenoid.control.follow import FollowGait
from serpenoid.gaits.base import Gait
from serpenoid.hardware.gains import check_gains
from serpenoid.hardware.hebi_twin.settings import drive_with, settings_of
from serpenoid.hardware.joint_map import JointMap
from serpenoid.hardware.module_plant import soft_start
from serpenoid.hardware.safety import Safety
from serpenoid.hardware.servos import Violation, excesses
from serpenoid.robots.cascade import Cascade
from serpenoid.scenarios.base import Scenario
from serpenoid.simulation import simulate, suited
from serpenoid.trajectory import Trajectory


class DryRun(NamedTuple):
    """What would be sent to modules."""

    run: Trajectory  # the simulation that it was taken from
    joints: JointMap  # which module is which joint
    sent: NDArray  # (ticks, joints) angles as the modules are told [rad]
    start_time: float  # that the soft start takes from where the simulation starts [s]
    violations: list[Violation]


def law_of(scenario: Scenario) -> Controller:
    """A scenario's controller as modules are led: a gait is followed period by period."""
    controller = scenario.parts().controller
    return FollowGait(controller) if isinstance(controller, Gait) else controller


def with_gains(scenario: Scenario, path: Path) -> Scenario:
    """The scenario with the gains of a file, refused where its robot's modules would not take them."""
    robot: Any = scenario.parts().robot
    strategy = robot.drive.strategy if isinstance(robot.drive, Cascade) else None
    table, joints = check_gains(path, strategy, robot.joints), list(range(robot.joints))
    given = {name: np.broadcast_to(column, robot.joints) for name, column in table.values.items()}
    drive = drive_with(robot, settings_of(robot, joints) | given, np.arange(robot.joints), joints)
    return scenario if drive is None else changed(scenario, {"robot.drive": drive})


def dry_run(scenario: Scenario, safety: Safety, joints: JointMap) -> DryRun:
    """A scenario's commands as a simulation answers to them, held against every limit."""
    robot, world = scenario.parts().robot, suited(*scenario.parts())
    timing = dataclasses.asdict(scenario.timing())
    run = simulate(robot, world, law_of(scenario), initial=scenario.initial(), seed=scenario.seed, **timing)
    targets, start = run["command_position"], run["joint_position"][0]
    ramp = soft_start(start, targets[0], safety.start_rate * scenario.control_period)
    found = exceeded(run, safety, robot, scenario.control_period)
    return DryRun(run, joints, joints.to_modules(targets), len(ramp) * scenario.control_period, found)


def exceeded(run: Trajectory, safety: Safety, robot: Any, period: float) -> list[Violation]:
    """Every limit that commands, or the simulated joints under them, would meet; a joint's worst each."""
    names, ticks, targets = robot.joint_names, run["tick"], run["command_position"]
    reach = safety.angles(robot)
    found: list[Violation] = []
    for j, most in enumerate(reach):
        found += excesses(names[j : j + 1], ticks, targets[:, j : j + 1], float(most), -float(most), "angle", "rad")
    after = np.array([np.interp(ticks + period, run.times, angle) for angle in run["joint_position"].T]).T
    rows = [
        ("rate", "rad/s", ticks[1:], np.diff(targets, axis=0) / period, safety.most_speed),
        ("distance from its target", "rad", ticks[:-1], (targets - after)[:-1], safety.most_lag),
        ("simulated torque", "N m", run.times, run["joint_torque"], safety.most_torque),
    ]
    rows += [
        (f"commanded {name}", unit, ticks, run[f"command_{name}"], most)
        for name, unit, most in (("velocity", "rad/s", safety.most_speed), ("torque", "N m", safety.most_torque))
        if f"command_{name}" in run
    ]
    for what, unit, times, values, most in rows:
        found += excesses(names, times, np.nan_to_num(values), most, -most, what, unit)
    return found
