"""Preparation of X-series motors before a run: they are found, checked and set, while nothing moves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue, Unsupported, require
from serpenoid.hardware import dynamixel_models as x
from serpenoid.hardware.dynamixel_map import MotorMap, delay_steps, title
from serpenoid.hardware.dynamixel_port import PacketPort
from serpenoid.hardware.safety import Safety

CONFIRMS_ALL = 2  # status level at which motors confirm every instruction


def prepare(port: PacketPort, motors: MotorMap, safety: Safety) -> tuple[NDArray, NDArray, list[int]]:
    """Find and set the motors of a map; return lowest and highest steps, and the goal currents of mode 5."""
    find(port, motors)
    wanted = [
        (x.RETURN_DELAY, delay_steps(motors.bus)), (x.DRIVE_MODE, 0), (x.OPERATING_MODE, motors.mode),
    ]  # fmt: skip
    least, most, currents = [], [], []
    for identity, model in zip(motors.ids, motors.models):
        port.write(identity, x.STATUS_LEVEL, CONFIRMS_ALL)  # not confirmed if it was lower
        error = read(port, identity, x.HARDWARE_ERROR)
        if error:
            raise Unsupported(f"motor {title(identity)} reports {x.errors_in(error)}: switch it off and on again")
        write(port, identity, x.BUS_WATCHDOG, 0)
        for register, value in wanted:
            if read(port, identity, register) != value:
                write(port, identity, x.TORQUE_ENABLE, 0)  # it locks these registers
                write(port, identity, register, value)
        write(port, identity, x.PROFILE_ACCELERATION, 0)
        write(port, identity, x.PROFILE_VELOCITY, 0)
        low, high = motors.limits()
        if motors.mode == x.POSITION:
            low, high = (read(port, identity, register) for register in (x.LEAST_POSITION, x.MOST_POSITION))
        least.append(low)
        most.append(high)
        limit = read(port, identity, x.CURRENT_LIMIT) if motors.mode == x.CURRENT_BASED else 0
        currents.append(goal_current(model, limit, safety))
    return np.array(least), np.array(most), currents


def find(port: PacketPort, motors: MotorMap) -> None:
    """Raise an error unless each ID of a map answers once, as the model that the map names."""
    answers = [port.ping(identity) for identity in motors.ids]
    rate, place = motors.bus.baud_rate, motors.bus.port
    for identity, (_, unclear) in zip(motors.ids, answers):
        require(not unclear, "id", identity, "that of one motor: two answer to it")
    silent = [title(identity) for identity, (number, _) in zip(motors.ids, answers) if number is None]
    if len(silent) == len(answers):
        raise InvalidValue("baud_rate", rate, f"that of the motors: none of {', '.join(silent)} answers on {place}")
    if silent:
        raise Unsupported(f"{', '.join(silent)} does not answer on {place} at {rate} baud")
    for identity, model, (number, _) in zip(motors.ids, motors.models, answers):
        found = x.NAMES.get(number or 0, f"number {number}")
        require(number == model.number, f"model of {title(identity)}", x.NAMES[model.number], f"{found}, as it reports")


def read(port: PacketPort, identity: int, register: x.Register) -> int:
    """Return a value of a motor, asking twice; raise Unsupported if it cannot be read."""
    for _ in range(2):
        value = port.read(identity, register)
        if value is not None:
            return value
    raise Unsupported(f"motor {title(identity)} does not answer clearly (register {register.address})")


def write(port: PacketPort, identity: int, register: x.Register, value: int) -> None:
    """Write a value to a motor; raise Unsupported if it does not confirm it."""
    if not any(port.write(identity, register, value) for _ in range(2)):
        raise Unsupported(f"motor {title(identity)} does not accept {value} in register {register.address}")


def goal_current(model: x.Model, limit: int, safety: Safety) -> int:
    """Return the largest current of mode 5 in the motor's units: for the largest torque, if its constant is known."""
    if model.torque_constant is None or model.current_unit is None:
        return limit
    return min(limit, int(safety.most_torque / model.torque_constant / model.current_unit))
