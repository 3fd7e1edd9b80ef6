"""Assignment of X-series motors to joints, and the bus that they are on, from a small TOML file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import at_least, between, check_fields, from_plain, read_toml, usual
from serpenoid.errors import FileProblem, InvalidValue, SerpenoidError, require
from serpenoid.hardware.dynamixel_models import (
    BAUD_RATES,
    BLOCK,
    CURRENT_BASED,
    DELAY_UNIT,
    EXTENDED,
    GOAL_POSITION,
    MODES,
    STEP,
    STEPS,
    Model,
    find_model,
)
from serpenoid.hardware.joint_map import JointMap, JointRow, twice
from serpenoid.robots.base import Robot

MOST_ID, TURNS = 252, 256  # largest ID; turns to either side in the extended modes
SYNC, STATUS = 14, 11  # bytes of a sync instruction, and of a status packet, besides data and IDs
BITS = 10  # of a byte on the wire, with start and stop bit


@dataclass(frozen=True)
class BusSettings:
    """Serial port of a bus, and how its motors are run."""

    port: str = "/dev/ttyUSB0"
    """serial port"""
    baud_rate: Annotated[int, between(9600, 4_500_000, usual=(57_600, 3_000_000))] = 1_000_000
    """bits per second, as set in the motors: 9600, 57600, 115200, or 1, 2, 3, 4 or 4.5 million"""
    mode: Literal["position", "extended", "current"] = "position"
    """operating mode 3, 4 (more than a turn) or 5 (position with limited current)"""
    return_delay: Annotated[float, between(0.0, 508.0, usual=(0.0, 500.0))] = 0.0
    """delay of a motor's response, written to the motors in steps of 2 us [us]"""
    latency: Annotated[float, at_least(0.0, usual=(1.0, 16.0), most=1000.0)] = 8.0
    """waiting time for late responses; more than the latency timer of the USB adapter [ms]"""

    def __post_init__(self) -> None:
        check_fields(self)
        require(self.baud_rate in BAUD_RATES, "baud_rate", self.baud_rate, f"one of {', '.join(map(str, BAUD_RATES))}")


@dataclass(frozen=True)
class MotorRow:
    """One row of a map."""

    joint: str
    """name of the joint, as the robot names it"""
    id: Annotated[int, between(0, MOST_ID, usual=(1, 18))]
    """ID of the motor"""
    model: str = "xm430-w350"
    """model, such as xm430-w350"""
    sign: Annotated[float, usual(-1.0, 1.0)] = 1.0
    """1 or -1: whether the motor rotates in the joint's direction"""
    zero: Annotated[int, between(-60_000, 60_000, usual=(0, 4095))] = 2048
    """step of the motor at joint angle 0"""

    def __post_init__(self) -> None:
        check_fields(self)
        find_model(self.model)


class MotorMap(NamedTuple):
    """Motors of a bus in the order of the joints."""

    bus: BusSettings
    ids: tuple[int, ...]
    models: tuple[Model, ...]
    joints: JointMap

    @classmethod
    def plain(cls, count: int, bus: BusSettings | None = None, model: str = "xm430-w350") -> MotorMap:
        """Create a map of equal motors with IDs 1, 2, ... head first that rotate as the joints do."""
        ids = tuple(range(1, count + 1))
        offsets = np.full(count, 0.5 * STEPS * STEP)
        bus = bus or BusSettings()
        joints = JointMap(bus.port, tuple(map(title, ids)), np.ones(count), offsets)
        return cls(bus, ids, (find_model(model),) * count, joints)

    @classmethod
    def read(cls, path: Path, robot: Robot) -> MotorMap:
        """Read a file with the fields of BusSettings and one table [[joint]] per joint of the robot."""
        data = read_toml(path)
        rows = data.pop("joint", None)
        if not isinstance(rows, list):
            raise FileProblem(path, "must contain a table [[joint]] per joint: joint, id, model, sign, zero")
        try:
            bus = from_plain(data, BusSettings, "bus")
            return cls.of_rows(bus, [from_plain(row, MotorRow, f"joint[{i}]") for i, row in enumerate(rows)], robot)
        except FileProblem:
            raise
        except SerpenoidError as error:
            raise FileProblem(path, str(error)) from None

    @classmethod
    def of_rows(cls, bus: BusSettings, rows: Sequence[MotorRow], robot: Robot) -> MotorMap:
        """Create a map from rows in any order."""
        twice([str(row.id) for row in rows], "id")
        named = [JointRow(row.joint, title(row.id), row.sign, row.zero * STEP) for row in rows]
        joints = JointMap.of_rows(bus.port, named, robot)
        found = {row.joint: row for row in rows}
        ordered = [found[name] for name in robot.joint_names]
        models = tuple(find_model(row.model) for row in ordered)
        chosen = cls(bus, tuple(row.id for row in ordered), models, joints)
        for row, model in zip(ordered, models):
            unable = chosen.mode == CURRENT_BASED and model.current_unit is None
            require(not unable, "mode", bus.mode, f"position or extended: {row.model} cannot limit its current")
            extended = chosen.mode != MODES["position"]
            require(extended or 0 <= row.zero < STEPS, "zero", row.zero, f"0 to {STEPS - 1} in position mode")
        return chosen

    @property
    def mode(self) -> int:
        """Operating mode."""
        return MODES[self.bus.mode]

    def column(self, name: str) -> NDArray:
        """Return a property of every model (motors,), NaN where it has none."""
        return np.array([getattr(model, name) for model in self.models], dtype=float)

    def limits(self) -> tuple[int, int]:
        """Return the lowest and highest step that the mode permits."""
        return (0, STEPS - 1) if self.mode < EXTENDED else (-TURNS * STEPS, TURNS * STEPS)


class Traffic(NamedTuple):
    """Bytes of one period on the bus, and their time."""

    request: int  # sync read
    answers: int  # status packets
    command: int  # sync write
    time: float  # with the return delays of all motors [s]

    @property
    def bytes(self) -> int:
        """Total number of bytes."""
        return self.request + self.answers + self.command


def traffic(motors: int, bus: BusSettings) -> Traffic:
    """Return the traffic of one period: a sync read of all motors and a sync write of their goals."""
    request, answers = SYNC + motors, motors * (STATUS + BLOCK.size)
    command = SYNC + motors * (1 + GOAL_POSITION.size)
    wire = BITS * (request + answers + command) / bus.baud_rate
    return Traffic(request, answers, command, wire + motors * delay_steps(bus) * DELAY_UNIT)


def check_traffic(motors: int, bus: BusSettings, period: float) -> Traffic:
    """Return the traffic of a period [s]; raise InvalidValue if it does not fit into the period."""
    found = traffic(motors, bus)
    if found.time > period:
        allowed = f"larger: {found.bytes} bytes and the return delays of {motors} motors take {1e3 * found.time:.3g} ms"
        raise InvalidValue("baud_rate", bus.baud_rate, f"{allowed}, the period is {1e3 * period:.3g} ms")
    return found


def delay_steps(bus: BusSettings) -> int:
    """Return the value of the return delay register."""
    return round(1e-6 * bus.return_delay / DELAY_UNIT)


def title(identity: Any) -> str:
    """Return the name of a motor in messages."""
    return f"ID {identity}"
