"""Replay of logs in simulation: the same commands at the same times, from the same soft start."""

from __future__ import annotations

import dataclasses
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command
from serpenoid.engines import find_engine
from serpenoid.engines.base import Engine, Initial, Log, Moment
from serpenoid.hardware.dry_run import softly_run
from serpenoid.hardware.module_logs import ModuleLog, SentCommands, log_of
from serpenoid.hardware.motor_plant import ramp
from serpenoid.robots.sensors import ALWAYS_SENSED
from serpenoid.scenarios.base import Scenario
from serpenoid.simulation import world_for

SAMPLED = 1  # integration steps between two samples of a replay


def simulate_log(scenario: Scenario, log: ModuleLog) -> ModuleLog:
    """Simulate a scenario under the conditions of a log, without sensor noise.

    Commands in the log replace the scenario's controller. Otherwise the controller runs. Its readings precede each
    command if the log is of a robot, and are samples if it is of a simulation.
    """
    if log.commands is not None:
        return Replay(scenario, log, log.commands).run()
    period = scenario.sample_period
    duration = period * ceil(log.times[-1] / period - 1e-9)
    if log.sensed:
        return log_of(softly_run(scenario, duration, np.inf), log.joints)
    return log_of(dataclasses.replace(scenario, duration=duration).run(), log.joints)


class Replay:
    """Commands of a log applied to the engine of a scenario."""

    def __init__(self, scenario: Scenario, log: ModuleLog, commands: SentCommands):
        robot, world = scenario.parts().robot, world_for(*scenario.parts())
        self.engine: Engine = find_engine(robot, world, getattr(scenario, "engine", None))(robot, world, scenario.step)
        self.log, self.period = log, scenario.control_period
        here = log.values["joint_position"][0]
        self.rows, starts = with_ramp(commands, here, -log.times[0], self.period)
        self.first = round(starts[0] / self.engine.step)  # first step, counted from the law's first command
        ends = np.append(starts[1:], max(log.times[-1], starts[-1]) + self.period)
        self.steps = np.diff(np.round(np.append(starts[:1], ends) / self.engine.step).astype(int))
        initial = dataclasses.replace(scenario.initial(), joint_position=tuple(here))
        self.state = self.start(initial, scenario.seed)

    def start(self, initial: Initial, seed: int) -> NDArray:
        """Return the state in which the log begins."""
        return self.engine.initial(initial, None, np.random.default_rng(seed))

    def run(self) -> ModuleLog:
        """Simulate all commands. Samples contain the values before the next command, as a controller reads them."""
        state, number = self.state, 0
        numbers, states, held = [0], [state], [self.rows[0]]
        for row, steps in zip(self.rows, self.steps):
            command = Command(*row)
            while steps > 0:
                some = (steps - 1) % SAMPLED + 1  # so that the last sample is at the end
                state = self.engine.advance(number, state, command, some)
                number, steps = number + some, steps - some
                numbers.append(number)
                states.append(state)
                held.append(row)
        times = self.engine.step * (np.array(numbers) + self.first)
        parts = Command(*np.array(held).swapaxes(0, 1))
        log = Log(self.engine.step * np.array(numbers), np.array(states), parts)
        found = self.engine.variables(log)
        values = {name: found[name] for name in ALWAYS_SENSED}
        moments = Moment(self.engine, log.times[-1], state, Command(*self.rows[-1]), None)
        moments.log = log  # all samples at once: readings are instantaneous, torques of a trajectory are means
        torque = self.engine.computed("joint_torque", moments)
        assert torque is not None
        values["joint_torque"] = torque
        path = found["base_pose"][:, :3] if "base_pose" in found else None
        return ModuleLog(self.log.joints, times, values, path)


def with_ramp(commands: SentCommands, here: NDArray, lead: float, period: float) -> tuple[NDArray, NDArray]:
    """Insert the soft start of `lead` [s] before the commands: rows (commands, parts, joints) and their times [s]."""
    rows, count = np.array(commands.rows), max(0, round(lead / period))
    before: Any = np.full((count, *rows.shape[1:]), np.nan)
    before[:, 0] = ramp(here, rows[0, 0], count)
    return np.concatenate([before, rows]), np.concatenate([period * np.arange(-count, 0), commands.times])
