"""Emulated motors in this process as a plant, with access to the simulation behind them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from motor_bench.bench import Bench
from serpenoid.control.base import Command, Observation
from serpenoid.errors import require
from serpenoid.hardware.emulator import EmulatedPlant
from serpenoid.runtime.events import Event
from serpenoid.runtime.plants import SimulatedPlant

BACK = 0.9  # fraction of the largest rate at which a joint returns to the law's target


class BenchPlant(EmulatedPlant):
    """Emulated motors at full speed, with access to the simulation behind them, sample by sample."""

    @property
    def bench(self) -> Bench:
        """Bench of the motors, found through their bus."""
        bus: Any = self.bus
        found: Bench = bus.bench
        return found

    def forget(self) -> None:
        super().forget()
        self.by_hand = np.full(self.robot.joints, np.nan)  # angles that replace the law's [rad]
        self.returning = np.zeros(self.robot.joints, dtype=bool)  # joints that still return to the law

    def step(self, command: Command) -> Observation:
        return super().step(self.with_hand(command))

    def lead(self, joint: int, angle: float | None) -> None:
        """Move one joint smoothly to an angle [rad] that replaces the law's; None returns it to the law."""
        reach = float(self.safety.angles(self.robot)[joint])
        require(angle is None or abs(angle) <= reach, "angle", angle, f"within +-{reach:.4g} rad")
        self.returning[joint] = angle is None and not np.isnan(self.by_hand[joint])
        self.by_hand[joint] = np.nan if angle is None else angle

    def with_hand(self, command: Command) -> Command:
        """Return the law's command, except for joints that are moved by hand or are returning."""
        held = self.returning | ~np.isnan(self.by_hand)
        if self.sent is None or not held.any():
            return command
        wanted = np.where(np.isnan(self.by_hand), command.position, self.by_hand)
        most = self.period * np.where(self.returning, BACK * self.safety.most_speed, self.safety.start_rate)
        step = np.clip(wanted - self.sent.position, -most, most)
        self.returning &= np.abs(wanted - self.sent.position) > most
        return command._replace(
            position=np.where(held, self.sent.position + step, command.position),
            velocity=np.where(held & ~np.isnan(command.velocity), 0.0, command.velocity),
        )

    def apply(self, event: Event) -> None:
        """Apply a push, or a changed field of robot or world, to the simulation behind the motors."""
        self.simulated.apply(event)

    def variable_names(self) -> tuple[str, ...]:
        return self.simulated.variable_names()

    @property
    def simulated(self) -> SimulatedPlant:
        """Simulation behind the motors."""
        return self.bench.plant

    def samples(self) -> tuple[NDArray, dict[str, NDArray]]:
        """Return the samples of the run, without soft start and stop."""
        times, variables = self.simulated.samples()
        times = times - (self.began - self.bench.origin)
        kept = (times > -1e-9) & (times < self.time + 1e-9)
        trimmed = {name: values[kept] for name, values in variables.items()}
        return np.round(times[kept], 9), trimmed
