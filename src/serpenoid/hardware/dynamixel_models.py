"""Dynamixel X-series: models, their units and registers (protocol 2.0), from the manufacturer's manual."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.errors import UnknownName

STEPS = 4096  # per turn
STEP = 2.0 * np.pi / STEPS  # [rad]
VELOCITY_UNIT = 0.229 * 2.0 * np.pi / 60.0  # [rad/s]
VOLTAGE_UNIT = 0.1  # [V]
BAUD_RATES = (9600, 57_600, 115_200, 1_000_000, 2_000_000, 3_000_000, 4_000_000, 4_500_000)
WATCHDOG_UNIT = 0.02  # [s]
WATCHDOG_MOST, WATCHDOG_TRIPPED = 127, 255
DELAY_UNIT = 2e-6  # of the return delay [s]
POSITION, EXTENDED, CURRENT_BASED = 3, 4, 5  # operating modes
MODES = {"position": POSITION, "extended": EXTENDED, "current": CURRENT_BASED}


class Register(NamedTuple):
    """Address and size of a value in the control table."""

    address: int
    size: int  # bytes


MODEL_NUMBER, FIRMWARE, IDENTITY, BAUD_RATE = Register(0, 2), Register(6, 1), Register(7, 1), Register(8, 1)
RETURN_DELAY, DRIVE_MODE, OPERATING_MODE = Register(9, 1), Register(10, 1), Register(11, 1)
CURRENT_LIMIT, MOST_POSITION, LEAST_POSITION = Register(38, 2), Register(48, 4), Register(52, 4)
TORQUE_ENABLE, STATUS_LEVEL, HARDWARE_ERROR = Register(64, 1), Register(68, 1), Register(70, 1)
BUS_WATCHDOG, GOAL_CURRENT, GOAL_VELOCITY = Register(98, 1), Register(102, 2), Register(104, 4)
PROFILE_ACCELERATION, PROFILE_VELOCITY, GOAL_POSITION = Register(108, 4), Register(112, 4), Register(116, 4)
CLOCK, CURRENT, VELOCITY, ANGLE = Register(120, 2), Register(126, 2), Register(128, 4), Register(132, 4)
VOLTAGE, TEMPERATURE = Register(144, 2), Register(146, 1)
BLOCK = Register(CLOCK.address, TEMPERATURE.address + 1 - CLOCK.address)  # read in every period
CLOCK_PERIOD = 32.768  # after which the motors' clock in milliseconds begins again [s]

ERRORS = {0: "input voltage", 2: "overheating", 3: "encoder", 4: "electrical shock", 5: "overload"}  # bits
ALERT = 0x80  # bit of the error byte of a status packet: see HARDWARE_ERROR


class Model(NamedTuple):
    """A model of the X-series."""

    number: int
    current_unit: float | None = 2.69e-3  # [A]; None if it does not measure its current
    torque_constant: float | None = None  # stall torque over stall current at the usual voltage [N m/A]


MODELS = {
    "xl330-m077": Model(1190, 1e-3, 0.146), "xl330-m288": Model(1200, 1e-3, 0.354),
    "xc330-m181": Model(1230, 1e-3, 0.333), "xc330-m288": Model(1240, 1e-3, 0.517),
    "xc330-t181": Model(1210, 1e-3, 0.950), "xc330-t288": Model(1220, 1e-3, 1.150),
    "xm335-t323": Model(1710, 1e-3, 1.290),
    "xl430-w250": Model(1060, None), "2xl430-w250": Model(1090, None), "2xc430-w250": Model(1160, None),
    "xc430-w150": Model(1070, None), "xc430-w240": Model(1080, None),
    "xm430-w210": Model(1030, torque_constant=1.304), "xm430-w350": Model(1020, torque_constant=1.783),
    "xm540-w150": Model(1130, torque_constant=1.659), "xm540-w270": Model(1120, torque_constant=2.409),
    "xh430-w210": Model(1010, torque_constant=1.923), "xh430-w350": Model(1000, torque_constant=2.615),
    "xh430-v210": Model(1050, 1.34e-3, 3.714), "xh430-v350": Model(1040, 1.34e-3, 4.714),
    "xh540-w150": Model(1110, torque_constant=1.449), "xh540-w270": Model(1100, torque_constant=2.020),
    "xh540-v150": Model(1150, torque_constant=2.667), "xh540-v270": Model(1140, torque_constant=3.833),
    "xd430-t210": Model(1011, torque_constant=1.923), "xd430-t350": Model(1001, torque_constant=2.615),
    "xd540-t150": Model(1111, torque_constant=1.449), "xd540-t270": Model(1101, torque_constant=2.020),
    "xw430-t200": Model(1280), "xw430-t333": Model(1270, torque_constant=2.385),
    "xw540-t140": Model(1180, torque_constant=1.408), "xw540-t260": Model(1170, torque_constant=1.939),
    "xw540-h260": Model(1310, torque_constant=3.625),
}  # fmt: skip
NAMES = {model.number: name for name, model in MODELS.items()}


def find_model(name: str) -> Model:
    """Return a model by its name, in capitals or not."""
    if name.lower() not in MODELS:
        raise UnknownName("model", name, MODELS)
    return MODELS[name.lower()]


def errors_in(status: int) -> str:
    """Name the bits of a hardware error status."""
    names = [ERRORS.get(bit, f"bit {bit}") for bit in range(8) if status >> bit & 1]
    return " and ".join(names) or "a hardware error"
