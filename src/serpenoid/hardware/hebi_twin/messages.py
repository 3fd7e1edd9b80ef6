"""Commands, feedback and information of a group of modules, by hebi-py's names."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import UnknownName
from serpenoid.hardware import gains

STRATEGIES = {"Off": 0, "DirectPWM": 1, "Strategy2": 2, "Strategy3": 3, "Strategy4": 4}
GAINS = {f"{loop}_{name}": bool if name == "d_on_error" else np.float32 for loop in gains.LOOPS for name in gains.NAMES}
LIMITS = {
    f"{kind}_limit_{end}": np.float64 if kind == "position" else np.float32
    for kind in ("position", "velocity", "effort")
    for end in ("min", "max")
}
SETTINGS = {**GAINS, **LIMITS, "control_strategy": np.int32, "spring_constant": np.float32}
TARGETS = {"position": np.float64, "velocity": np.float32, "effort": np.float32}
TEMPERATURES = tuple(
    f"{part}_temperature" for part in ("board", "processor", "motor_winding", "motor_housing", "motor_sensor")
)
SCALARS = {
    **TARGETS,
    **{f"{name}_command": kind for name, kind in TARGETS.items()},
    **dict.fromkeys(TEMPERATURES, np.float32),
    "motor_position": np.float64, "motor_velocity": np.float32, "motor_current": np.float32, "deflection": np.float32,
    "voltage": np.float32, "pwm_command": np.float32,
    **dict.fromkeys(("receive_time", "transmit_time", "hardware_receive_time", "hardware_transmit_time"), np.float64),
    **dict.fromkeys(("sender_id", "sequence_number"), np.uint64),
    **dict.fromkeys(("command_lifetime_state", "mstop_state", "temperature_state", "position_limit_state"), np.int32),
}  # fmt: skip
VECTORS = {"accelerometer": np.float32, "gyro": np.float32}
WORDS = ("name", "family", "serial", "ip_address", "mac_address")


class Column:
    """One quantity over the modules of a group, in the type that hebi-py gives it."""

    def __init__(self, name: str, kind: Any, settable: bool):
        self.name, self.kind, self.settable = name, kind, settable

    def __get__(self, owner: Any, cls: Any = None) -> Any:
        return self if owner is None else cast(owner.full(self.name), self.kind)

    def __set__(self, owner: Any, value: Any) -> None:
        if not self.settable:
            raise AttributeError(f"property {self.name!r} of {type(owner).__name__!r} object has no setter")
        owner.put(self.name, value)


def cast(values: NDArray, kind: Any) -> NDArray:
    """A copy in another type; what is not known is 0 where the type has no NaN."""
    return np.array(values if np.issubdtype(kind, np.floating) else np.nan_to_num(values), dtype=kind)


class GroupMessage:
    """Columns over modules; NaN where nothing is set or known."""

    width: ClassVar[dict[str, int]] = {}  # of columns of vectors

    def __init__(self, number_of_modules: int, shared: GroupMessage | None = None):
        self.size = int(number_of_modules)
        self.values: dict[str, NDArray] = {}
        if shared is not None:
            self.copy_from(shared)

    def full(self, name: str) -> NDArray:
        """A column in double precision."""
        width = self.width.get(name)
        return self.values.get(name, np.full((self.size, width) if width else self.size, np.nan))

    def clear(self) -> None:
        """Nothing is set."""
        self.values = {}

    def copy_from(self, other: GroupMessage) -> None:
        """All columns of another message of the same size."""
        self.values = {name: value.copy() for name, value in other.values.items()}


class GroupCommand(GroupMessage):
    """What modules are told; NaN and what is not set mean: not commanded."""

    def put(self, name: str, value: Any) -> None:
        """Set a column from one number or one per module; None lets it go."""
        if value is None:
            self.values.pop(name, None)
            return
        if name == "control_strategy":
            value = strategies(value)
        column = np.asarray(value, dtype=float)
        if column.ndim == 0:
            column = np.full(self.size, float(column))
        if len(column) < self.size:
            raise IndexError("list index out of range")
        self.values[name] = column[: self.size].copy()

    def read_gains(self, file: str) -> None:
        """Take the gains of a file."""
        if not Path(file).is_file():
            raise OSError(f"{file} is not a file")
        table = gains.check_gains(Path(file), modules=self.size)
        for name, column in {**table.values, "control_strategy": table.strategy}.items():
            self.put(name, column if len(column) > 1 else float(column[0]))

    def write_gains(self, file: str) -> None:
        """Write the gains of this command to a file, as hebi-py does."""
        write_columns(Path(file), self)


class GroupFeedback(GroupMessage):
    """What modules tell."""

    width: ClassVar[dict[str, int]] = dict.fromkeys(VECTORS, 3)


class GroupInfo(GroupMessage):
    """What modules are: names, and the settings that they have."""

    def __init__(self, number_of_modules: int, shared: GroupMessage | None = None):
        self.words: dict[str, list[str]] = {}
        super().__init__(number_of_modules, shared)

    def word(self, name: str) -> list[str | None]:
        """A column of words; None where nothing is known."""
        return list(self.words.get(name, [None] * self.size))

    def write_gains(self, file: str) -> None:
        """Write the gains of the modules to a file."""
        write_columns(Path(file), self)


def strategies(value: Any) -> Any:
    """Strategies by number from their names."""
    if isinstance(value, str):
        if value not in STRATEGIES:
            raise ValueError(str(UnknownName("control_strategy", value, STRATEGIES)))
        return STRATEGIES[value]
    return [strategies(each) for each in value] if isinstance(value, list | tuple) else value


def write_columns(path: Path, message: GroupMessage) -> None:
    """The gains that a message holds, in HEBI's form."""
    columns = {name: value for name, value in message.values.items() if name in GAINS and not np.isnan(value).all()}
    gains.write_table(path, gains.GainTable(cast(message.full("control_strategy"), np.int32), columns))


def words_of(name: str) -> property:
    """A property that gives a column of words."""
    return property(lambda info: info.word(name), doc=f"{name} of each module")


_kind: Any
for _name, _kind in {**TARGETS, **SETTINGS}.items():
    setattr(GroupCommand, _name, Column(_name, _kind, True))
for _name, _kind in {**SCALARS, **VECTORS}.items():
    setattr(GroupFeedback, _name, Column(_name, _kind, False))
for _name, _kind in SETTINGS.items():
    setattr(GroupInfo, _name, Column(_name, _kind, False))
for _name in WORDS:
    setattr(GroupInfo, _name, words_of(_name))
