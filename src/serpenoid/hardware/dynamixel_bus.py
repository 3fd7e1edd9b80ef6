"""Dynamixel X-series motors on a serial bus: read by one request per period, commanded by one packet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import ceil
from threading import Lock
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command
from serpenoid.errors import HardwareFault, require
from serpenoid.hardware import dynamixel_models as x
from serpenoid.hardware.clock import Clock
from serpenoid.hardware.dynamixel_map import MotorMap, title
from serpenoid.hardware.dynamixel_port import BROKEN, PacketPort, Status
from serpenoid.hardware.dynamixel_setup import prepare
from serpenoid.hardware.motor_bus import PATIENCE, Feedback, MotorBus
from serpenoid.hardware.safety import Safety

REBOOTED = 0.1  # jump of a motor's clock that only a reboot explains [s]
COLUMNS = {  # quantity -> register, and whether it is signed
    "joint_position": (x.ANGLE, True), "joint_velocity": (x.VELOCITY, True), "current": (x.CURRENT, True),
    "voltage": (x.VOLTAGE, False), "temperature": (x.TEMPERATURE, False), "clock": (x.CLOCK, False),
}  # fmt: skip


class DynamixelBus(MotorBus):
    """Motors on a serial port. A command that comes within a transfer is sent right after it."""

    noun: ClassVar[str] = "motor"
    expiry: ClassVar[str] = "stopped by their bus watchdog"

    def __init__(self, port: PacketPort, motors: MotorMap, clock: Clock, safety: Safety):
        self.port, self.motors, self.clock, self.safety = port, motors, clock, safety
        self.size = len(motors.ids)
        self.watchdog = watchdog_steps(safety.lifetime)
        with port.patiently():
            self.least, self.most, self.currents = prepare(port, motors, safety)
        self.lock = Lock()  # of the port
        self.goals: list[int] | None = None  # steps that wait for the end of a transfer
        self.reported: str | None = None
        self.engaged = False
        self.clocks = np.full(self.size, np.nan)  # last times by the motors' clocks [s]
        self.asked = np.nan  # clock time of the last request [s]
        self.period, self.due = PATIENCE, clock.now()  # of the next request [s]
        units = motors.column("current_unit")
        self.units = {
            "joint_position": x.STEP, "joint_velocity": x.VELOCITY_UNIT, "current": units, "voltage": x.VOLTAGE_UNIT,
            "temperature": 1.0, "clock": 1e-3,
        }  # fmt: skip
        self.torque_constants = motors.column("torque_constant")

    def listen(self, period: float) -> None:
        self.period, self.due = period, self.clock.now()
        self.reported, self.clocks = None, np.full(self.size, np.nan)

    def transfer(self, call: Callable[[], Any], otherwise: Any = None) -> Any:
        """Use the port for a transfer, and then send the goals that came meanwhile; `otherwise` if the port broke."""
        try:
            with self.lock:
                return call()
        except BROKEN:
            return otherwise
        finally:
            self.flush()

    def flush(self) -> None:
        """Send the last goals, unless a transfer is under way: it sends them at its end."""
        while self.goals is not None and self.lock.acquire(blocking=False):
            try:
                goals, self.goals = self.goals, None
                if goals is not None:
                    self.port.write_all(self.motors.ids, x.GOAL_POSITION, goals)
            except BROKEN:
                return  # its feedback will be late
            finally:
                self.lock.release()

    def feedback(self, timeout: float = PATIENCE) -> Feedback | None:
        """Wait until the next request is due, and ask; None if it is not due in time or no motor answers."""
        left = self.due - self.clock.now()
        if left > timeout:
            self.clock.sleep(timeout)
            return None
        if left > 0.0:
            self.clock.sleep(left)
        now = self.clock.now()
        self.due = self.due + self.period if now - self.due < self.period else now + self.period
        found: dict[int, Status] = self.transfer(lambda: self.port.read_all(self.motors.ids, x.BLOCK), {})
        if not found:
            return None
        self.check(found)
        values = {name: self.column(name, found) for name in COLUMNS}
        self.check_clocks(values.pop("clock"), now)
        values["joint_torque"] = self.torque_constants * values["current"]
        return Feedback(now, values)

    def column(self, name: str, found: dict[int, Status]) -> NDArray:
        """Return a quantity of all motors in SI units, NaN for those that did not answer."""
        (address, size), signed = COLUMNS[name]
        start = address - x.BLOCK.address
        rows = [found.get(identity) for identity in self.motors.ids]
        numbers = [
            np.nan if row is None else int.from_bytes(row.data[start : start + size], "little", signed=signed)
            for row in rows
        ]
        return np.array(numbers, dtype=float) * self.units[name]

    def check(self, found: dict[int, Status]) -> None:
        """Store the hardware error that a motor reports."""
        for identity, status in found.items():
            if status.alert and self.reported is None:
                error = self.transfer(partial(self.port.read, identity, x.HARDWARE_ERROR))
                what = x.errors_in(error or 0)
                self.reported = f"motor {title(identity)} reports {what} and may have switched its torque off"

    def check_clocks(self, clocks: NDArray, now: float) -> None:
        """Store a reboot: the motor's clock began again."""
        ahead = clocks - self.clocks - (now - self.asked)
        jump = np.abs((ahead + 0.5 * x.CLOCK_PERIOD) % x.CLOCK_PERIOD - 0.5 * x.CLOCK_PERIOD)
        again = np.flatnonzero(jump > REBOOTED)
        if again.size and self.reported is None:
            name = title(self.motors.ids[int(again[0])])
            self.reported = f"motor {name} rebooted: its clock began again, and its torque is off"
        drifted = (self.clocks + now - self.asked) % x.CLOCK_PERIOD
        self.clocks, self.asked = np.where(np.isnan(clocks), drifted, clocks), now

    def problem(self) -> str | None:
        return self.reported

    def engage(self) -> None:
        """Switch torque and bus watchdog on; each motor confirms both."""
        self.engaged = True
        rows = [
            (x.TORQUE_ENABLE, 1, "does not switch its torque on"),
            (x.BUS_WATCHDOG, self.watchdog, "has no watchdog"),
        ]
        if self.motors.mode == x.CURRENT_BASED:
            self.transfer(lambda: self.port.write_all(self.motors.ids, x.GOAL_CURRENT, self.currents))
        with self.port.patiently():
            self.set_all(rows)
        self.due = self.clock.now() + self.period

    def set_all(self, rows: Sequence[tuple[x.Register, int, str]]) -> None:
        """Write registers of every motor: register, value, and the feature missing in motors that do not confirm it."""
        for identity in self.motors.ids:
            for register, value, problem in rows:
                done = self.transfer(partial(self.port.write, identity, register, value), False)
                if not done:
                    raise HardwareFault(0.0, f"motor {title(identity)} {problem}")

    def refused(self, command: Command) -> str | None:
        if not np.isnan(command.torque).all():
            return "X-series motors in position modes do not accept torques"
        names = self.motors.joints.names
        if np.isnan(command.position).any():
            return f"motor {names[int(np.argmax(np.isnan(command.position)))]} needs an angle at every tick"
        steps = np.round(command.position / x.STEP)
        out = (steps < self.least) | (steps > self.most)
        if out.any():
            j = int(np.argmax(out))
            return f"commanded step of motor {names[j]} is {steps[j]:.0f}, within {self.least[j]} to {self.most[j]}"
        return None

    def send(self, command: Command) -> None:
        self.goals = [int(step) for step in np.round(command.position / x.STEP)]
        self.flush()
        if self.goals is not None:  # only a hold comes within a transfer
            self.port.cut_short()

    def lost(self, names: Sequence[str]) -> list[str]:
        """Return the motors that do not answer a ping."""
        silent = []
        with self.port.patiently():
            for identity, name in zip(self.motors.ids, self.motors.joints.names):
                number, unclear = self.transfer(partial(self.port.ping, identity), (None, False))
                if name in names and number is None and not unclear:
                    silent.append(name)
        return silent

    def close(self) -> None:
        """Switch watchdog and torque off, and close the port."""
        ids, zeros = self.motors.ids, [0] * self.size
        if self.engaged:
            self.transfer(lambda: self.port.write_all(ids, x.BUS_WATCHDOG, zeros))
            self.transfer(lambda: self.port.write_all(ids, x.TORQUE_ENABLE, zeros))
        self.transfer(self.port.close)


def watchdog_steps(lifetime: float) -> int:
    """Return the value of the bus watchdog for a lifetime of commands [s]; 0 disables it."""
    steps = ceil(lifetime / x.WATCHDOG_UNIT - 1e-9)
    most = x.WATCHDOG_MOST * x.WATCHDOG_UNIT
    require(steps <= x.WATCHDOG_MOST, "safety.lifetime", lifetime, f"at most {most:g} s, of the motors' bus watchdog")
    return steps
