"""Live run on emulated modules, with the interface of a stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import HardwareFault, Unsupported
from serpenoid.hardware import TwinPhysics, twin
from serpenoid.hardware.emulator import EmulatedPlant
from serpenoid.hardware.hebi_bus import HebiBus
from serpenoid.hardware.hebi_settings import drive_with, settings_of
from serpenoid.runtime.loop import Loop
from serpenoid.scenarios.base import Scenario
from serpenoid.simulation import Stream, Timing
from serpenoid.trajectory import Trajectory

MOST = 1_000_000  # ticks
AT_ONCE = 0  # [ms]: emulated modules answer without delay, and the law must not wait
GAINS = ("kp", "ki", "kd")  # editable gains of each loop


class TwinStream(Stream):
    """A scenario's controller on simulated modules, stepped tick by tick as fast as requested."""

    def __init__(self, scenario: Scenario, keep: int):
        robot, world, controller = scenario.parts()
        period = scenario.control_period
        self.engine, self.seed = getattr(scenario, "engine", None), scenario.seed
        self.timing = Timing(MOST * period, scenario.step, period, period)
        initial = replace(scenario.initial(), scatter=scenario.scatter)
        self.parts = {
            "robot": robot, "world": world, "controller": controller, "timing": self.timing, "initial": initial,
        }  # fmt: skip
        physics = TwinPhysics(scenario.step, self.engine, scenario.seed, keep)
        found = twin(robot, world, period=period, physics=physics)
        assert isinstance(found, EmulatedPlant)
        assert isinstance(found.bus, HebiBus)
        self.modules, self.plant, self.bus = found, found.simulated, found.bus
        self.loop = Loop(found, controller, initial, scenario.seed, script=scenario.script())
        self.ticks, self.seen, self.over = MOST, 0, False
        self.gains = self.read_gains()  # stored, because only the run's own thread may query the modules

    def go_on(self) -> None:
        """Advance one tick; a fault that holds the modules ends the run."""
        try:
            self.loop.step()
        except HardwareFault:
            self.over = True
            raise

    def trajectory(self) -> Trajectory:
        """Return the recording so far; it is not repeatable as a simulation because of the modules."""
        found = super().trajectory()
        found.attributes["unrepeatable"] = ["modules"]
        return found

    def readings(self) -> list[list[Any]]:
        """Return a row per module: name, joint, angle, torque, current, voltage, temperature, and whether commanded
        manually."""
        found, plant = self.modules.measured, self.modules
        quantities = [found[name] for name in ("joint_position", "joint_torque", "current", "voltage", "temperature")]
        hand = ~np.isnan(plant.by_hand)
        return [
            [module, joint, *(float(values[j]) for values in quantities), "by hand" if hand[j] else ""]
            for j, (module, joint) in enumerate(zip(plant.joints.names, plant.robot.joint_names))
        ]

    def read_gains(self) -> dict[str, NDArray]:
        """Return the gains of the modules, such as position_kp, (modules,)."""
        info = self.bus.group.request_info(AT_ONCE)
        if info is None:
            raise Unsupported("the modules do not report their gains")
        names = [f"{loop}_{name}" for loop in ("position", "velocity", "effort") for name in GAINS]
        return {name: info.full(name).copy() for name in names}

    def set_gains(self, gains: dict[str, float], chosen: Sequence[int]) -> None:
        """Send gains to some modules; unsupported gains are refused and the run continues."""
        robot, count = self.plant.robot, self.modules.robot.joints
        command, every = self.bus.command(count), list(range(count))
        settings = settings_of(robot, every)
        for name, value in gains.items():
            column = np.full(count, np.nan)  # NaN: not commanded
            column[list(chosen)] = value
            command.put(name, column)
            settings[name] = np.where(np.isnan(column), settings[name], column)
        drive_with(robot, settings, np.arange(count), every)  # a module that refuses does not report why
        if not self.bus.group.send_command_with_acknowledgement(command, AT_ONCE):
            raise Unsupported("the modules did not acknowledge the gains")
        self.gains = self.read_gains()

    def close(self) -> None:
        """Release the modules."""
        self.modules.close()
