"""Fields of hebi-py's messages: name, type and width of each, as in hebi-py 2.15.0."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.hardware import hebi_gains as gains
from serpenoid.robots.sensors import SENSED

UNLOCKED, LOCKED_BY_OTHER, LOCKED_BY_SENDER = 0, 1, 2  # values of command_lifetime_state
SINGLE, DOUBLE, INTEGER, COUNT = np.float32, np.float64, np.int32, np.uint64
LIMIT_STRATEGIES = {"HoldPosition": 0, "DampedSpring": 1, "MotorOff": 2, "Disabled": 3}
STRATEGIES = {"Off": 0, "DirectPWM": 1, "Strategy2": 2, "Strategy3": 3, "Strategy4": 4}
CHOICES = {  # numbers of settings that also have names
    "control_strategy": STRATEGIES,
    "mstop_strategy": {"Disabled": 0, "MotorOff": 1, "HoldPosition": 2},
    "min_position_limit_strategy": LIMIT_STRATEGIES,
    "max_position_limit_strategy": LIMIT_STRATEGIES,
}

GAINS = {f"{loop}_{name}": bool if name == "d_on_error" else SINGLE for loop in gains.LOOPS for name in gains.NAMES}
LIMITS = {
    f"{kind}_limit_{end}": DOUBLE if kind == "position" else SINGLE
    for kind in ("position", "velocity", "effort")
    for end in ("min", "max")
}
KEPT = {  # settings that modules store and report, without effect in the emulator
    "accel_includes_gravity": bool, "save_current_settings": bool, "mstop_strategy": INTEGER,
    "min_position_limit_strategy": INTEGER, "max_position_limit_strategy": INTEGER,
    **{f"user_settings_float{k}": SINGLE for k in range(1, 9)},
}  # fmt: skip
SETTINGS: dict[str, Any] = {
    **GAINS, **LIMITS, "control_strategy": INTEGER, "spring_constant": SINGLE, "led": DOUBLE, **KEPT,
}  # fmt: skip
TARGETS = {"position": DOUBLE, "velocity": SINGLE, "effort": SINGLE}
TEMPERATURES = tuple(
    f"{part}_temperature" for part in ("board", "processor", "motor_winding", "motor_housing", "motor_sensor")
)
TIMES = ("receive_time", "transmit_time", "hardware_receive_time", "hardware_transmit_time")
TOLD: dict[str, Any] = {  # feedback that emulated modules report
    **TARGETS, **{f"{name}_command": kind for name, kind in TARGETS.items()}, **dict.fromkeys(TEMPERATURES, SINGLE),
    "motor_position": DOUBLE, **dict.fromkeys(("motor_current", "deflection", "voltage"), SINGLE),
    **dict.fromkeys(TIMES, DOUBLE), **dict.fromkeys(("sender_id", "sequence_number"), COUNT),
    "command_lifetime_state": INTEGER, "led": DOUBLE,
}  # fmt: skip
TOLD |= {row.feedback: SINGLE for row in SENSED.values() if row.feedback and row.feedback not in TOLD}
PHASES = [f"motor_phase_{what}_{phase}" for what in ("current", "voltage", "duty_cycle") for phase in "abc"]
FIELD_ORIENTED = [f"motor_foc_{axis}" for axis in ("id", "iq", "vd", "vq")]
SATELLITES = ("altitude", "heading", "horizontal_accuracy", "latitude", "longitude", "vertical_accuracy")
UNKNOWN: dict[str, Any] = {  # feedback that emulated modules do not report: NaN, or 0 for types without NaN
    **dict.fromkeys(
        ("altitude", "battery_level", "deflection_velocity", "inner_effort_command", "motor_velocity", "pressure",
         "motor_winding_current", "motor_winding_voltage", "pwm_command", *(f"gps_{name}" for name in SATELLITES),
         *PHASES, *FIELD_ORIENTED, *(f"{name}_command" for name in FIELD_ORIENTED),
         *(f"inner_{name}_command" for name in FIELD_ORIENTED), "ar_orientation", "ar_position", "force", "torque",
         "magnetometer", "orientation"), SINGLE),
    **dict.fromkeys(
        ("ar_quality", "drivetrain_state", "effort_limit_state", "motor_hall_state", "mstop_state",
         "position_limit_state", "reset_button", "temperature_state", "velocity_limit_state"), INTEGER),
    **dict.fromkeys(("gps_timestamp", "rx_sequence_number"), COUNT),
}  # fmt: skip
UNKNOWN = {name: kind for name, kind in UNKNOWN.items() if name not in TOLD}
WIDTHS = {
    **dict.fromkeys(("accelerometer", "gyro", "magnetometer", "force", "torque", "ar_position"), 3),
    **dict.fromkeys(("orientation", "ar_orientation"), 4),
}  # components of vector columns
WORDS = (
    "name", "family", "serial", "mac_address",
    *(f"{part}_{what}" for part in ("electrical", "mechanical", "firmware") for what in ("type", "revision")),
    *(f"user_settings_bytes{k}" for k in range(1, 9)),
)  # fmt: skip
ADDRESSES = ("ip_address", "subnet_mask", "default_gateway")
RECORDS = {"calibration_state": INTEGER, "runtime_seconds_on": COUNT, "runtime_seconds_commanded": COUNT}
