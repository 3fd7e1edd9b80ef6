"""Interfaces between controllers and robots, real or simulated: observations, commands, signals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue, SerpenoidError, instance, require
from serpenoid.gaits.base import Leader
from serpenoid.robots.base import Robot
from serpenoid.support.reading import is_line
from serpenoid.variables import describe

NUMBERS = "fiu"  # kinds of numpy dtypes that are real numbers


class Command(NamedTuple):
    """Joint targets; NaN means not commanded."""

    position: NDArray  # (joints,) [rad]
    velocity: NDArray  # (joints,) [rad/s]
    acceleration: NDArray  # (joints,) [rad/s^2]
    torque: NDArray  # (joints,) [N m]

    @classmethod
    def empty(cls, joints: int) -> Command:
        """Return a command with every target NaN."""
        return cls(*np.full((len(cls._fields), joints), np.nan))

    def checked(self, joints: int) -> Command:
        """Return a copy; raise InvalidValue for a wrong size or infinities. The law may reuse its arrays."""
        try:
            given = np.array(self)
        except ValueError:  # parts of different sizes
            given = np.empty(0)
        if given.shape == (len(self), joints) and given.dtype.kind in NUMBERS and not np.isinf(given).any():
            return Command(*given.astype(float, copy=False))
        name, part = next((n, part) for n, part in zip(self._fields, self) if not commands(part, joints))
        raise InvalidValue(f"command.{name}", part, f"{joints} numbers, NaN where not commanded")


def commands(part: Any, joints: int) -> bool:
    """Return whether an object is a valid part of a command."""
    try:
        given = np.asarray(part)
    except ValueError:
        return False
    return given.shape == (joints,) and given.dtype.kind in NUMBERS and not np.isinf(given).any()


Source = Callable[[str], Any]  # returns a quantity by name, computed on demand; None if it does not exist


class Quantities:
    """Named quantities at one instant, each computed on first access and cached."""

    def __init__(self, source: Source | Mapping[str, Any]):
        self._source: Source = source.get if isinstance(source, Mapping) else source
        self._known: dict[str, Any] = {}

    def read(self, name: str) -> Any:
        """Return a quantity by name; None if it does not exist."""
        if name not in self._known:
            self._known[name] = self._source(name)
        return self._known[name]

    def needed(self, name: str) -> NDArray:
        """Return a quantity by name; raise an error if it does not exist."""
        value = self.read(name)
        if value is None:
            raise SerpenoidError(f"{name} is not available on this robot")
        return value


class Truth(Quantities):
    """Quantities that are available only in simulation."""

    def __init__(self, source: Source | Mapping[str, Any], model: Any = None):
        super().__init__(source)
        self.model = model  # robot, world and engine of the simulation (engines.prediction.Model), for planners

    @property
    def base_pose(self) -> NDArray:
        """Pose of link 0 (7,): x y z [m], quaternion w x y z."""
        return self.needed("base_pose")

    @property
    def base_twist(self) -> NDArray:
        """Twist of link 0 (6,) in its own axes: linear [m/s], angular [rad/s]."""
        return self.needed("base_twist")

    @property
    def link_pose(self) -> NDArray:
        """Poses of all links (links, 7)."""
        return self.needed("link_pose")

    @property
    def contact_force(self) -> NDArray | None:
        """Contact force on every link (links, ...) [N]; None in a world without contacts."""
        return self.read("contact_force")

    @property
    def chain_state(self) -> NDArray | None:
        """State (2 (n + 2),) of a planar chain of n links about its centre of mass; None for other engines."""
        return self.read("chain_state")


class Observation(Quantities):
    """Sensor readings of a robot at one instant. `truth` is None on hardware."""

    def __init__(self, time: float, source: Source | Mapping[str, Any], truth: Truth | None = None):
        super().__init__(source)
        self.time = time  # [s]
        self.truth = truth

    @property
    def joint_position(self) -> NDArray:
        """Joint angle at the output (joints,) [rad]."""
        return self.needed("joint_position")

    @property
    def joint_velocity(self) -> NDArray:
        """Joint velocity (joints,) [rad/s]."""
        return self.needed("joint_velocity")

    @property
    def joint_torque(self) -> NDArray:
        """Torque of the drive on the joint (joints,) [N m]."""
        return self.needed("joint_torque")

    @property
    def motor_position(self) -> NDArray | None:
        """Motor angle before the spring (joints,) [rad]; None without a spring."""
        return self.read("motor_position")

    @property
    def accelerometer(self) -> NDArray:
        """Specific force in each link's axes (links, 3) [m/s^2]."""
        return self.needed("accelerometer")

    @property
    def gyroscope(self) -> NDArray:
        """Angular velocity in each link's axes (links, 3) [rad/s]."""
        return self.needed("gyroscope")

    @property
    def temperature(self) -> NDArray | None:
        """Motor temperature (joints,) [deg C]; None unless the modules report it."""
        return self.read("temperature")

    @property
    def voltage(self) -> NDArray | None:
        """Supply voltage (joints,) [V]; None unless the modules report it."""
        return self.read("voltage")

    @property
    def current(self) -> NDArray | None:
        """Motor current (joints,) [A]; None unless the modules report it."""
        return self.read("current")


class Signal(NamedTuple):
    """A quantity of one tick that a law records."""

    value: Any  # a number, or an array over `dims`
    unit: str = ""
    meaning: str = ""
    dims: tuple[str, ...] = ()  # names such as joint, window, horizon
    clock: bool = False  # whether it is a wall-clock time, which differs between runs

    @classmethod
    def of(cls, name: str, value: Any) -> Signal:
        """Return a signal with the unit and meaning that the catalogue of variables defines for its name."""
        row = describe(name)
        return cls(value, row.unit, row.meaning, row.dims[1:], row.clock)


# May define `signals() -> {name: Signal}`, changed(controller), and `finished() -> bool`, which ends the run.
Law = Callable[[Observation], Command]


class Controller(Leader, ABC):
    """Configuration of a law. Frozen dataclasses repeat bit for bit; other classes cannot be repeated."""

    needs_truth: ClassVar[bool] = False  # whether the law reads observation.truth

    @abstractmethod
    def start(self, robot: Robot, period: float, rng: np.random.Generator) -> Law:
        """Return a law for this robot, called every `period` [s], that owns all of its memory."""

    def kernel(self, robot: Robot, period: float) -> Any:
        """Return the record of a compiled law (kernels/laws/tick.py) called every `period` [s]; None for other laws."""
        return None


def signals_of(law: Any) -> dict[str, Signal]:
    """Return the recorded signals of a law or plant as copied arrays; empty without a signals() method."""
    if not hasattr(law, "signals"):
        return {}
    signals = law.signals()
    instance("signals()", signals, Mapping, "a dictionary of Signal(value, unit, meaning, dims) by name")
    return {name: checked_signal(name, signal) for name, signal in signals.items()}


def checked_signal(name: Any, signal: Any) -> Signal:
    """Return a copy of a signal with its value as an array; raise InvalidValue if it cannot be recorded."""
    word = is_line(name) and name != "" and "/" not in name and not name.startswith(".")
    require(word, "signal", name, "a word without /")
    instance(f"signal {name}", signal, Signal, "a Signal(value, unit, meaning, dims)")
    try:
        value = np.array(signal.value, dtype=float)
    except (TypeError, ValueError):
        raise InvalidValue(f"signal {name}", signal.value, "a number, or an array of numbers") from None
    for text in (signal.unit, signal.meaning):
        require(is_line(text), f"signal {name}", text, "given a unit and a meaning, each a text of one line")
    fits = isinstance(signal.dims, tuple) and len(signal.dims) == value.ndim and all(map(is_line, signal.dims))
    require(fits, f"signal {name}", signal.dims, f"given {value.ndim} dims, one for each axis of its value")
    return signal._replace(value=value)


@dataclass(frozen=True)
class Idle(Controller):
    """A controller that commands nothing: a torque-driven robot coasts."""

    def start(self, robot: Robot, period: float, rng: np.random.Generator) -> Law:
        return lambda observation: Command.empty(robot.joints)
