"""Emulated X-series motors: a simulated robot that answers protocol 2.0."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from dynamixel_twin import control_table as table
from dynamixel_twin.control_table import ControlTable
from dynamixel_twin.packets import Framing, Instruction, status_packet
from motor_bench.bench import TOO_SOON, Bench
from serpenoid.control.base import Command
from serpenoid.engines.base import Initial
from serpenoid.hardware import dynamixel_models as x
from serpenoid.hardware.dynamixel_map import BITS
from serpenoid.hardware.dynamixel_models import Model

BROADCAST = 254
SUPPLY, BROWN_OUT = 12.0, 7.0  # voltages [V]
(PING, READ, WRITE, REG_WRITE, ACTION, FACTORY_RESET, REBOOT, CLEAR, SYNC_READ, SYNC_WRITE, BULK_READ,
 BULK_WRITE) = (1, 2, 3, 4, 5, 6, 8, 0x10, 0x82, 0x83, 0x92, 0x93)  # fmt: skip
REMEMBERED = 100_000  # number of instructions
BOOT = 0.3  # in which a motor does not answer after a reboot instruction [s]


class Motor(NamedTuple):
    """A motor on the bus."""

    identity: int
    model: Model
    joint: int | None = None  # of the robot; None for a separate motor
    sign: float = 1.0  # whether it rotates in the joint's direction
    zero: float = 0.5 * x.STEPS * x.STEP  # its angle at joint angle 0 [rad]
    baud_rate: int = 1_000_000
    wire: bool = True  # whether bytes and return delays take time


class MotorBench(Bench):
    """X-series motors on a bus."""

    KINDS: ClassVar[frozenset[str]] = frozenset(
        ("drop", "late", "vanish", "noise", "stall", "brown_out", "hot", "crc", "reboot", "overload", "cut")
    )
    modules: tuple[Motor, ...]

    def prepare(self) -> None:
        self.tables = [ControlTable(m.identity, m.model, m.baud_rate) for m in self.modules]
        self.framing = Framing()
        self.booting: dict[int, float] = {}  # motor -> time at which it answers again [s]
        self.applied: set[int] = set()  # faults that have acted
        self.received: deque[tuple[float, Instruction]] = deque(maxlen=REMEMBERED)
        self.actions: dict[int, Callable[[Instruction, list[int]], None]] = {
            PING: self.ping, READ: self.read, WRITE: self.write, REG_WRITE: self.reg_write, ACTION: self.action,
            REBOOT: self.reboot, SYNC_READ: self.sync_read, SYNC_WRITE: self.sync_write, BULK_READ: self.bulk_read,
            BULK_WRITE: self.bulk_write,
        }  # fmt: skip

    def reset(self, initial: Initial, rng: np.random.Generator) -> None:
        super().reset(initial, rng)
        self.applied.clear()
        self.measure()
        for own in self.tables:
            own.put(x.GOAL_POSITION, own.get(x.ANGLE))

    @property
    def absent(self) -> set[int]:
        cut = {i for fault in self.acting("cut") for i in range(fault.module, len(self.modules))}
        return super().absent | cut | {i for i, time in self.booting.items() if time > self.time + TOO_SOON}

    def events(self) -> list[float]:
        return [*self.booting.values(), *(own.expiry() for own in self.tables)]

    def handle(self) -> None:
        self.booting = {i: time for i, time in self.booting.items() if time > self.time + TOO_SOON}
        for number, fault in enumerate(self.faults):
            due = fault.kind in ("reboot", "overload") and fault.acts(self.run_time + TOO_SOON)
            if due and number not in self.applied:
                self.applied.add(number)
                if fault.kind == "reboot":
                    self.restart(fault.module, self.origin + fault.start + fault.duration)
                else:
                    self.tables[fault.module].shut_down(table.OVERLOAD)
        if any(own.expiry() <= self.time + TOO_SOON for own in self.tables):
            self.measure()
            for own in self.tables:
                if own.expiry() <= self.time + TOO_SOON:
                    own.trip()

    def restart(self, index: int, until: float) -> None:
        """Restart a motor, which answers again at a time [s]."""
        self.tables[index].restart(until)
        self.booting[index] = until

    def active(self) -> Command:
        command = Command.empty(self.plant.robot.joints)
        for motor, own in zip(self.modules, self.tables):
            if motor.joint is not None and own.torque:
                angle = own.get(x.GOAL_POSITION, signed=True) * x.STEP
                command.position[motor.joint] = motor.sign * (angle - motor.zero)
        return self.with_faults(command)

    def measure(self) -> None:
        """Write the measurements of the motors to their registers."""
        seen = self.observed()
        temperatures = self.telemetry(seen)["temperature"]
        signs, zeros = np.array([(m.sign, m.zero) for m in self.modules]).T
        position = signs * self.over(seen.joint_position) + zeros
        for fault in self.acting("noise"):
            position = position + fault.strength * self.draws.standard_normal(len(self.modules))
        velocity, torque = (signs * self.over(part) for part in (seen.joint_velocity, seen.joint_torque))
        for j, (motor, own) in enumerate(zip(self.modules, self.tables)):
            constant, unit = motor.model.torque_constant, motor.model.current_unit
            current = torque[j] / constant / unit if constant and unit else 0.0
            voltage = [fault.amount or BROWN_OUT for fault in self.acting("brown_out")] or [SUPPLY]
            own.put(x.ANGLE, round(position[j] / x.STEP))
            own.put(x.VELOCITY, round(velocity[j] / x.VELOCITY_UNIT))
            own.put(x.CURRENT, round(current))
            own.put(x.VOLTAGE, round(voltage[0] / x.VOLTAGE_UNIT))
            own.put(x.TEMPERATURE, round(temperatures[j]))
            own.put(x.CLOCK, round(1e3 * ((self.time - own.began) % x.CLOCK_PERIOD)) % 32768)

    def hear(self, data: bytes, baud_rate: int | None = None) -> None:
        """Accept bytes of the bus at a baud rate, any if None; whole packets are executed."""
        for instruction in self.framing.instructions(data):
            if self.lost():
                continue
            self.received.append((self.time, instruction))
            there = [
                i for i, own in enumerate(self.tables)
                if i not in self.absent and baud_rate in (None, x.BAUD_RATES[own.get(x.BAUD_RATE)])
            ]  # fmt: skip
            self.execute(instruction, there)
        self.handle()

    def execute(self, instruction: Instruction, there: list[int]) -> None:
        """Execute an instruction on the motors that hear it."""
        if not instruction.good:
            return self.confirm([i for i in there if self.is_for(instruction, i)], table.BAD_CHECKSUM)
        for i in there:
            self.tables[i].heard = self.time
        code = instruction.code
        single = code < SYNC_READ
        called = [i for i in there if self.is_for(instruction, i)] if single else there
        action = self.actions.get(code)
        if action is None:  # including a factory reset
            known = code in (FACTORY_RESET, CLEAR)
            return self.confirm(called, table.RESULT_FAIL if known else table.BAD_INSTRUCTION)
        return action(instruction, called)

    def is_for(self, instruction: Instruction, index: int) -> bool:
        """Return whether an instruction addresses a motor."""
        return instruction.identity in (BROADCAST, self.tables[index].get(x.IDENTITY))

    def named(self, identity: int, there: Sequence[int]) -> list[int]:
        """Return the motors with an ID."""
        return [i for i in there if self.tables[i].get(x.IDENTITY) == identity]

    def confirm(self, called: list[int], error: int) -> None:
        """Answer an instruction that returns no data."""
        self.reply([(i, error, b"") for i in called if self.tables[i].get(x.STATUS_LEVEL) >= 2])

    def reply(self, rows: list[tuple[int, int, bytes]]) -> None:
        """Send status packets one after another: motor, error number, data."""
        after = 0.0
        for i, error, data in rows:
            own, motor = self.tables[i], self.modules[i]
            packet = status_packet(own.get(x.IDENTITY), error | own.alert, data)
            if motor.wire:
                after += own.get(x.RETURN_DELAY) * x.DELAY_UNIT + BITS * len(packet) / motor.baud_rate
            crc = [fault for fault in self.acting("crc") if fault.module == i]
            if any(self.draws.random() < fault.strength for fault in crc):
                packet = packet[:-1] + bytes([packet[-1] ^ 0x5A])
            self.answer(packet, after)

    def ping(self, instruction: Instruction, called: list[int]) -> None:
        rows = [(i, 0, bytes(self.tables[i].data[:2]) + bytes([self.tables[i].get(x.FIRMWARE)])) for i in called]
        self.reply(sorted(rows, key=lambda row: self.tables[row[0]].get(x.IDENTITY)))

    def read(self, instruction: Instruction, called: list[int]) -> None:
        address, size = words(instruction.data, 2)
        if instruction.identity != BROADCAST:
            self.reply(self.values([(i, address, size) for i in called]))

    def values(self, rows: list[tuple[int, int, int]]) -> list[tuple[int, int, bytes]]:
        """Return answers with registers: motor, address, size."""
        self.measure()
        found = [(i, self.tables[i].read(address, size)) for i, address, size in rows]
        return [(i, table.NO_ERROR if data else table.NO_ACCESS, data or b"") for i, data in found]

    def write(self, instruction: Instruction, called: list[int]) -> None:
        self.measure()
        for i in called:
            error = self.tables[i].write(*addressed(instruction.data))
            if instruction.identity != BROADCAST:
                self.confirm([i], error)

    def reg_write(self, instruction: Instruction, called: list[int]) -> None:
        for i in called:
            self.tables[i].registered = addressed(instruction.data)
            self.tables[i].put(table.REGISTERED, 1)
        self.confirm(called, table.NO_ERROR)

    def action(self, instruction: Instruction, called: list[int]) -> None:
        self.measure()
        for i in called:
            own = self.tables[i]
            error = own.write(*own.registered) if own.registered else table.RESULT_FAIL
            own.registered = None
            own.put(table.REGISTERED, 0)
            if instruction.identity != BROADCAST:
                self.confirm([i], error)

    def reboot(self, instruction: Instruction, called: list[int]) -> None:
        self.confirm(called, table.NO_ERROR)
        for i in called:
            self.restart(i, self.time + BOOT)

    def sync_read(self, instruction: Instruction, there: list[int]) -> None:
        address, size = words(instruction.data, 2)
        self.answer_in_turn([(identity, address, size) for identity in instruction.data[4:]], there)

    def bulk_read(self, instruction: Instruction, there: list[int]) -> None:
        rows = [instruction.data[k : k + 5] for k in range(0, len(instruction.data) - 4, 5)]
        self.answer_in_turn([(row[0], *words(row[1:], 2)) for row in rows], there)

    def answer_in_turn(self, asked: list[tuple[Any, ...]], there: list[int]) -> None:
        """Answer for each ID in turn. A motor waits for the one before it: after a silent one no motor answers."""
        rows: list[tuple[int, int, int]] = []
        for identity, address, size in asked:
            found = self.named(identity, there)
            if not found:
                break
            rows += [(i, address, size) for i in found]
        self.reply(self.values(rows))

    def sync_write(self, instruction: Instruction, there: list[int]) -> None:
        self.measure()
        (address, size), data = words(instruction.data, 2), instruction.data[4:]
        for k in range(0, len(data) - size, size + 1):
            for i in self.named(data[k], there):
                self.tables[i].write(address, data[k + 1 : k + 1 + size])

    def bulk_write(self, instruction: Instruction, there: list[int]) -> None:
        self.measure()
        data = instruction.data
        while len(data) > 5:
            address, size = words(data[1:], 2)
            for i in self.named(data[0], there):
                self.tables[i].write(address, data[5 : 5 + size])
            data = data[5 + size :]


def words(data: bytes, number: int) -> tuple[int, ...]:
    """Return the first numbers of two bytes each; 0 beyond the end."""
    return tuple(int.from_bytes(data[2 * k : 2 * k + 2], "little") for k in range(number))


def addressed(data: bytes) -> tuple[int, bytes]:
    """Return the address and the bytes of a write instruction."""
    return words(data, 1)[0], data[2:]
