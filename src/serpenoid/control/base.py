"""What passes between a controller and a robot, real or simulated: observations, commands, signals."""

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

NUMBERS = "fiu"  # kinds of numpy's types that are real numbers


class Command(NamedTuple):
    """Targets over joints; NaN means not commanded."""

    position: NDArray  # (joints,) [rad]
    velocity: NDArray  # (joints,) [rad/s]
    acceleration: NDArray  # (joints,) [rad/s^2]
    torque: NDArray  # (joints,) [N m]

    @classmethod
    def empty(cls, joints: int) -> Command:
        """A command that commands nothing."""
        return cls(*np.full((len(cls._fields), joints), np.nan))

    def checked(self, joints: int) -> Command:
        """A copy, refused where it has the wrong size or holds infinities; the law may use its arrays again."""
        try:
            given = np.array(self)
        except ValueError:  # of different sizes
            given = np.empty(0)
        if given.shape == (len(self), joints) and given.dtype.kind in NUMBERS and not np.isinf(given).any():
            return Command(*given.astype(float, copy=False))
        name, part = next((n, part) for n, part in zip(self._fields, self) if not commands(part, joints))
        raise InvalidValue(f"command.{name}", part, f"{joints} numbers, NaN where not commanded")


def commands(part: Any, joints: int) -> bool:
    """Whether something is a part of a command."""
    try:
        given = np.asarray(part)
    except ValueError:
        return False
    return given.shape == (joints,) and given.dtype.kind in NUMBERS and not np.isinf(given).any()


Source = Callable[[str], Any]  # a quantity by its name, computed when it is asked for; None where there is none


class Quantities:
    """Named quantities of one moment, each computed when it is first read and then kept."""

    def __init__(self, source: Source | Mapping[str, Any]):
        self._source: Source = source.get if isinstance(source, Mapping) else source
        self._known: dict[str, Any] = {}

    def read(self, name: str) -> Any:
        """A quantity by its name; None where there is none."""
        if name not in self._known:
            self._known[name] = self._source(name)
        return self._known[name]

    def needed(self, name: str) -> NDArray:
        """A quantity that must be there."""
        value = self.read(name)
        if value is None:
            raise SerpenoidError(f"{name} is not known on this robot")
        return value


class Truth(Quantities):
    """What a simulation knows and a robot does not."""

    @property
    def base_pose(self) -> NDArray:
        """(7,) of link 0: x y z [m], quaternion w x y z."""
        return self.needed("base_pose")

    @property
    def base_twist(self) -> NDArray:
        """(6,) of link 0 in its own axes: linear [m/s], angular [rad/s]."""
        return self.needed("base_twist")

    @property
    def link_pose(self) -> NDArray:
        """(links, 7) of every link."""
        return self.needed("link_pose")

    @property
    def contact_force(self) -> NDArray | None:
        """(links, ...) on every link [N]; None where nothing is touched in this world."""
        return self.read("contact_force")

    @property
    def chain_state(self) -> NDArray | None:
        """(2 (n + 2),) of a planar chain of n links by its centre of mass; None where the engine has another state."""
        return self.read("chain_state")


class Observation(Quantities):
    """What a robot senses at one moment. `truth` is None on hardware."""

    def __init__(self, time: float, source: Source | Mapping[str, Any], truth: Truth | None = None):
        super().__init__(source)
        self.time = time  # [s]
        self.truth = truth

    @property
    def joint_position(self) -> NDArray:
        """(joints,) angle at the joint's output [rad]."""
        return self.needed("joint_position")

    @property
    def joint_velocity(self) -> NDArray:
        """(joints,) [rad/s]."""
        return self.needed("joint_velocity")

    @property
    def joint_torque(self) -> NDArray:
        """(joints,) torque of the drive on the joint [N m]."""
        return self.needed("joint_torque")

    @property
    def motor_position(self) -> NDArray | None:
        """(joints,) angle of the motor before the spring [rad]; None without a spring."""
        return self.read("motor_position")

    @property
    def accelerometer(self) -> NDArray:
        """(links, 3) specific force in each link's axes [m/s^2]."""
        return self.needed("accelerometer")

    @property
    def gyroscope(self) -> NDArray:
        """(links, 3) angular velocity in each link's axes [rad/s]."""
        return self.needed("gyroscope")

    @property
    def temperature(self) -> NDArray | None:
        """(joints,) of the motors [deg C]; None unless modules tell."""
        return self.read("temperature")

    @property
    def voltage(self) -> NDArray | None:
        """(joints,) of the supply [V]; None unless modules tell."""
        return self.read("voltage")

    @property
    def current(self) -> NDArray | None:
        """(joints,) of the motors [A]; None unless modules tell."""
        return self.read("current")


class Signal(NamedTuple):
    """What a law wants recorded of a tick."""

    value: Any  # a number, or an array over `dims`
    unit: str = ""
    meaning: str = ""
    dims: tuple[str, ...] = ()  # such as joint, window, horizon
    clock: bool = False  # whether it is a time of the wall clock, which no two runs share

    @classmethod
    def of(cls, name: str, value: Any) -> Signal:
        """Return a signal with the unit and meaning that the catalogue of variables has for its name."""
        row = describe(name)
        return cls(value, row.unit, row.meaning, row.dims[1:], row.clock)


Law = Callable[[Observation], Command]  # may have signals() -> {name: Signal} and changed(controller)


class Controller(Leader, ABC):
    """The configuration of a law; frozen dataclasses repeat bit for bit, other classes cannot be repeated."""

    needs_truth: ClassVar[bool] = False  # whether the law reads observation.truth

    @abstractmethod
    def start(self, robot: Robot, period: float, rng: np.random.Generator) -> Law:
        """A law for this robot that is asked every `period` [s], with all its memory in itself."""

    def kernel(self, robot: Robot, period: float) -> Any:
        """The record of a law that is a kernel (kernels/laws/tick.py), asked every `period` [s]; None of any other."""
        return None


def signals_of(law: Any) -> dict[str, Signal]:
    """What a law (or a plant) wants recorded, a copy as arrays; nothing where it has no signals()."""
    if not hasattr(law, "signals"):
        return {}
    told = law.signals()
    instance("signals()", told, Mapping, "a dictionary of Signal(value, unit, meaning, dims) by name")
    return {name: checked_signal(name, signal) for name, signal in told.items()}


def checked_signal(name: Any, signal: Any) -> Signal:
    """A copy of a signal with its value as an array, refused where it cannot be recorded."""
    word = is_line(name) and name != "" and "/" not in name and not name.startswith(".")
    require(word, "signal", name, "named by a word without /")
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
    """Commands nothing: a torque-driven robot coasts."""

    def start(self, robot: Robot, period: float, rng: np.random.Generator) -> Law:
        return lambda observation: Command.empty(robot.joints)
