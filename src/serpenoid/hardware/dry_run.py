"""Dry runs: a scenario's law on simulated modules, and the commands that it would send."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import changed
from serpenoid.control.base import Command, Controller, Observation
from serpenoid.control.kernel_law import KernelController
from serpenoid.control.open_loop import OpenLoop
from serpenoid.engines import find_engine
from serpenoid.engines.base import Engine
from serpenoid.gaits.base import Gait
from serpenoid.hardware.hebi_gains import check_gains
from serpenoid.hardware.hebi_settings import drive_with, settings_of
from serpenoid.hardware.joint_map import JointMap
from serpenoid.hardware.motor_plant import soft_start
from serpenoid.hardware.safety import Safety
from serpenoid.hardware.servos import Violation, excesses
from serpenoid.robots.base import Robot
from serpenoid.robots.sensors import ALWAYS_SENSED
from serpenoid.runtime.loop import run_loop
from serpenoid.runtime.plants import SimulatedPlant
from serpenoid.scenarios.base import Scenario
from serpenoid.simulation import world_for
from serpenoid.trajectory import Trajectory


class DryRun(NamedTuple):
    """Commands that would be sent to modules."""

    run: Trajectory  # simulation of these commands
    joints: JointMap  # module of each joint
    sent: NDArray  # (ticks, joints) angles as sent to the modules [rad]
    start_time: float  # duration of the soft start from the initial pose of the simulation [s]
    violations: list[Violation]


def law_of(scenario: Scenario) -> Controller:
    """Return a scenario's controller for modules: a gait is sampled once per period."""
    controller = scenario.parts().controller
    return OpenLoop(controller, rates=True) if isinstance(controller, Gait) else controller


def with_gains(scenario: Scenario, path: Path) -> Scenario:
    """Return the scenario with the gains of a file; raise an error if its robot's modules would reject them."""
    robot = scenario.parts().robot
    loops = robot.drive.cascade
    strategy = None if loops is None else loops.strategy
    table, joints = check_gains(path, strategy, robot.joints), list(range(robot.joints))
    given = {name: np.broadcast_to(column, robot.joints) for name, column in table.values.items()}
    drive = drive_with(robot, settings_of(robot, joints) | given, np.arange(robot.joints), joints)
    return scenario if drive is None else changed(scenario, {"robot.drive": drive})


class SoftlyStarted(SimulatedPlant):
    """A simulated robot that moves to the law's first shape before the law's time begins, as modules do."""

    def __init__(self, engine: Engine, period: float, sample_period: float, rate: float):
        super().__init__(engine, period, sample_period)
        self.rate = rate  # [rad/s]

    @property
    def recorded(self) -> tuple[str, ...]:
        return ALWAYS_SENSED

    def forget(self) -> None:
        super().forget()
        self.begun: float | None = None  # start of the law's time [s]

    def fuses(self, controller: KernelController) -> bool:
        """Return False: the soft start precedes the law's time and runs tick by tick."""
        return False

    def observe(self) -> Observation:
        found = super().observe()
        return Observation(found.time - (self.begun or 0.0), found.read, found.truth)

    def step(self, command: Command) -> Observation:
        if self.begun is None:
            here = self.observe().joint_position
            for target in soft_start(here, command.position, self.rate * self.period):
                self.carry(Command.empty(self.robot.joints)._replace(position=target), self.steps_per_command)
            self.begun = self.time
        return super().step(command)

    def samples(self) -> tuple[NDArray, dict[str, NDArray]]:
        """Return the samples of the law's own time."""
        times, variables = super().samples()
        kept = times > (self.begun or 0.0) - 1e-9
        trimmed = {name: values[kept] for name, values in variables.items()}
        return times[kept] - (self.begun or 0.0), trimmed


def softly_run(scenario: Scenario, duration: float, rate: float) -> Trajectory:
    """Simulate a scenario's law with the soft start of modules, at a rate [rad/s]."""
    robot, world = scenario.parts().robot, world_for(*scenario.parts())
    engine = find_engine(robot, world, getattr(scenario, "engine", None))(robot, world, scenario.step)
    plant = SoftlyStarted(engine, scenario.control_period, scenario.sample_period, rate)
    return run_loop(plant, law_of(scenario), duration, initial=scenario.initial(), seed=scenario.seed)


def dry_run(scenario: Scenario, safety: Safety, joints: JointMap) -> DryRun:
    """Simulate a scenario's commands and compare them with every limit.

    It samples every step, because torques are means over a sample interval and peaks occur just after a command.
    """
    run = softly_run(replace(scenario, sample_period=scenario.step), scenario.duration, safety.start_rate)
    targets, period = run["command_position"], scenario.control_period
    here = scenario.initial().joint_array("joint_position", targets.shape[1])
    ramp = soft_start(np.zeros(targets.shape[1]) if here is None else here, targets[0], safety.start_rate * period)
    found = find_violations(run, safety, scenario.parts().robot, period)
    return DryRun(run, joints, joints.to_modules(targets), len(ramp) * period, found)


def find_violations(run: Trajectory, safety: Safety, robot: Robot, period: float) -> list[Violation]:
    """Return every limit that commands or the simulated joints would exceed, with each joint's largest excess."""
    names, ticks, targets = robot.joint_names, run["tick"], run["command_position"]
    reach = safety.angles(robot)
    found: list[Violation] = []
    for j, most in enumerate(reach):
        found += excesses(names[j : j + 1], ticks, targets[:, j : j + 1], float(most), -float(most), "angle", "rad")
    lag = targets[:-1] - run["sensed_joint_position"][1:]
    rows = [
        ("rate", "rad/s", ticks[1:], np.diff(targets, axis=0) / period, safety.most_speed),
        ("distance from its target", "rad", ticks[1:], lag, safety.most_lag),
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
