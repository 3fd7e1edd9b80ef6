"""Sensors: the table of sensed quantities, and noise, bias, resolution, rate and delay of readings."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import at_least, between, check_fields
from serpenoid.errors import instance, require
from serpenoid.kernels.laws.sensed import Errors
from serpenoid.robots.imus import INERTIAL

ANGLE, SIGNED, PLAIN, FRONT_LINK = range(4)  # conversion of a module's value to a joint's; see JointMap
NO_COLUMNS: Mapping[str, float] = MappingProxyType({})


class SensedQuantity(NamedTuple):
    """Row of SENSED. The catalogue of variables has unit and dimensions under the same name."""

    always: bool = False  # whether every robot senses it; otherwise None if an engine or module lacks it
    recorded: bool = False  # record as `sensed_NAME` always, or only if readings are not ideal
    feedback: str = ""  # feedback column of modules, by hebi-py's name; empty if modules do not measure it
    mapping: int = PLAIN  # of a module's value
    signal: str = ""  # variable recorded by plants of modules at every tick; empty if there is none
    columns: Mapping[str, float] = NO_COLUMNS  # endings of its columns in logs, each with the factor to SI units
    link_columns: str = ""  # the same for quantities of links: name of the column, with link number and axis


# Sensed quantities by variable; Observation's properties and Sensors' fields have the same names.
SENSED: dict[str, SensedQuantity] = {
    "joint_position": SensedQuantity(
        always=True, feedback="position", mapping=ANGLE, columns={"_rad": 1.0, "_deg": np.pi / 180.0}
    ),
    "joint_velocity": SensedQuantity(always=True, feedback="velocity", mapping=SIGNED, columns={"_rad_s": 1.0}),
    "joint_torque": SensedQuantity(always=True, feedback="effort", mapping=SIGNED, columns={"_Nm": 1.0}),
    "accelerometer": SensedQuantity(feedback="accelerometer", mapping=FRONT_LINK, link_columns="accel{}_{}"),
    "gyroscope": SensedQuantity(feedback="gyro", mapping=FRONT_LINK, link_columns="gyro{}_{}"),
    "motor_position": SensedQuantity(feedback="motor_position", mapping=ANGLE, columns={"_motor_rad": 1.0}),
    "voltage": SensedQuantity(feedback="voltage", signal="module_voltage", columns={"_V": 1.0}),
    "current": SensedQuantity(feedback="motor_current", signal="module_current", columns={"_A": 1.0}),
    "temperature": SensedQuantity(
        feedback="motor_winding_temperature", signal="module_temperature", columns={"_degC": 1.0}
    ),
}
ALWAYS_SENSED = tuple(name for name, row in SENSED.items() if row.always)


def short_name(name: str) -> str:
    """Return the short name of a sensed quantity in records: `position` for `joint_position`."""
    return name.removeprefix("joint_")


@dataclass(frozen=True)
class Sensor:
    """Errors of one kind of sensor; all zero for an ideal one."""

    noise: Annotated[float, at_least(0.0, usual=(0.0, 0.1))] = 0.0
    """standard deviation of each reading, in the unit of the quantity"""
    bias: Annotated[float, at_least(0.0, usual=(0.0, 0.1))] = 0.0
    """standard deviation of each sensor's constant offset, drawn once per run, in the unit of the quantity"""
    resolution: Annotated[float, at_least(0.0, usual=(0.0, 0.01))] = 0.0
    """resolution of a reading, in the unit of the quantity; 0: continuous"""

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def ideal(self) -> bool:
        """True if it reads the true quantity."""
        return not (self.noise or self.bias or self.resolution)


@dataclass(frozen=True)
class Sensors:
    """All sensors of a robot."""

    joint_position: Sensor = Sensor()
    """encoders at the joints' outputs [rad]"""
    joint_velocity: Sensor = Sensor()
    """joint rates [rad/s]"""
    joint_torque: Sensor = Sensor()
    """torques of the drives [N m]"""
    accelerometer: Sensor = Sensor()
    """accelerometer of every link [m/s^2]"""
    gyroscope: Sensor = Sensor()
    """gyroscope of every link [rad/s]"""
    motor_position: Sensor = Sensor()
    """encoders at the motors, before the springs [rad]"""
    period: Annotated[float, between(0.0, 10.0, usual=(0.0, 0.1))] = 0.0
    """time between two readings [s]; 0: one at every control period"""
    delay: Annotated[float, between(0.0, 10.0, usual=(0.0, 0.1))] = 0.0
    """delay of a reading [s]"""

    def __post_init__(self) -> None:
        check_fields(self)
        for field in fields(self):
            if isinstance(field.default, Sensor):
                instance(field.name, getattr(self, field.name), Sensor, "a Sensor(noise, bias, resolution)")

    @property
    def ideal(self) -> bool:
        """True if every reading is the true quantity without delay."""
        kinds = (getattr(self, field.name) for field in fields(self))
        return not (self.period or self.delay) and all(kind.ideal for kind in kinds if isinstance(kind, Sensor))


class Readings:
    """Sensors of one run: which moment is read, and the readings of its quantities."""

    def __init__(self, sensors: Sensors, period: float, rng: np.random.Generator):
        self.sensors = sensors
        self.kinds = [field.name for field in fields(sensors) if isinstance(getattr(sensors, field.name), Sensor)]
        # One random stream per kind, so that reading one kind does not change the noise of another.
        self.streams = dict(zip(self.kinds, rng.spawn(len(self.kinds))))
        self.biases: dict[str, NDArray] = {}
        self.every = max(1, ticks_of("sensors.period", sensors.period, period))  # between two readings
        self.age = ticks_of("sensors.delay", sensors.delay, period)
        self.moments: deque[tuple[int, Any]] = deque(maxlen=self.every + self.age + 1)
        noisy = {name for name in self.kinds if not getattr(sensors, name).ideal}
        self.recorded = tuple(
            name for name, row in SENSED.items() if row.always or row.recorded and name in noisy
        )  # of every tick

    def take(self, tick: int, source: Any) -> Any:
        """Return the source of readings at a tick, given that of the true quantities; delayed ones are older."""
        self.moments.append((tick, Reading(self, source)))
        wanted = max(0, (max(0, tick - self.age) // self.every) * self.every)
        return next(reading for number, reading in self.moments if number >= wanted)

    def read(self, name: str, value: Any) -> Any:
        """Return a reading of a quantity."""
        sensor = getattr(self.sensors, name) if name in self.streams else None
        if sensor is None or value is None or sensor.ideal:
            return value
        out = value + self.errors(name, 1, np.shape(value))[0]
        return np.round(out / sensor.resolution) * sensor.resolution if sensor.resolution else out

    @property
    def at_once(self) -> bool:
        """True if readings are undelayed at every tick and compiled laws read all that is recorded."""
        return self.every == 1 and self.age == 0 and self.recorded == ALWAYS_SENSED

    def errors(self, name: str, ticks: int, shape: tuple[int, ...]) -> NDArray:
        """Return bias and noise (ticks, *shape) of the next `ticks` readings of a quantity, before rounding."""
        sensor, stream = getattr(self.sensors, name), self.streams[name]
        if name not in self.biases:
            self.biases[name] = sensor.bias * stream.standard_normal(shape)
        return self.biases[name] + sensor.noise * stream.standard_normal((ticks, *shape))

    def mark(self) -> Any:
        """Return the state of the random generators, for back_to()."""
        return {name: stream.bit_generator.state for name, stream in self.streams.items()}, dict(self.biases)

    def back_to(self, mark: Any) -> None:
        """Restore the random generators to a mark."""
        states, self.biases = mark
        for name, state in states.items():
            self.streams[name].bit_generator.state = state

    def errors_ahead(self, ticks: int, joints: int, links: int) -> Errors:
        """Return the errors of all quantities that a law reads in `ticks` ticks; of IMUs if links > 0."""
        rows = np.zeros((ticks, len(ALWAYS_SENSED), joints))
        for k, name in enumerate(ALWAYS_SENSED):
            if not getattr(self.sensors, name).ideal:
                rows[:, k] = self.errors(name, ticks, (joints,))
        inertial = np.zeros((ticks, len(INERTIAL), links, 3))
        for k, name in enumerate(INERTIAL):
            if links and not getattr(self.sensors, name).ideal:
                inertial[:, k] = self.errors(name, ticks, (links, 3))
        steps = [getattr(self.sensors, name).resolution for name in (*ALWAYS_SENSED, *INERTIAL)]
        return Errors(rows, inertial, np.array(steps))


def no_errors(joints: int) -> Errors:
    """Return the errors of ideal sensors."""
    return Errors(np.zeros((0, len(ALWAYS_SENSED), joints)), np.zeros((0, len(INERTIAL), 0, 3)), np.zeros(0))


def ticks_of(field: str, time: float, period: float) -> int:
    """Convert a time [s] to control periods; raise if it is not a multiple."""
    ticks = round(time / period)
    require(abs(time / period - ticks) < 1e-6, field, time, f"a multiple of the control period {period:g} s")
    return ticks


class Reading:
    """Readings of one moment, each computed once."""

    def __init__(self, readings: Readings, source: Any):
        self.readings, self.source = readings, source
        self.known: dict[str, Any] = {}

    def __call__(self, name: str) -> Any:
        if name not in self.known:
            self.known[name] = self.readings.read(name, self.source(name))
        return self.known[name]
