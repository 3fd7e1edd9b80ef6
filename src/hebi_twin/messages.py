"""Commands, feedback and information of a group of modules, by hebi-py's names."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hebi_twin.leds import Led
from serpenoid.errors import UnknownName
from serpenoid.hardware import hebi_gains as gains
from serpenoid.hardware.hebi_fields import (
    ADDRESSES,
    CHOICES,
    GAINS,
    RECORDS,
    SETTINGS,
    TARGETS,
    TIMES,
    TOLD,
    UNKNOWN,
    WIDTHS,
    WORDS,
)


class Column:
    """One quantity over the modules of a group, in the type that hebi-py gives it."""

    def __init__(self, name: str, kind: Any, settable: bool):
        self.name, self.kind, self.settable = name, kind, settable

    def __get__(self, owner: Any, cls: Any = None) -> Any:
        if owner is None:
            return self
        values = cast(owner.full(self.name), self.kind)
        return Written.of(values, owner, self.name) if self.settable and self.name in ("velocity", "effort") else values

    def __set__(self, owner: Any, value: Any) -> None:
        if not self.settable:
            raise AttributeError(f"property {self.name!r} of {type(owner).__name__!r} object has no setter")
        owner.put(self.name, value)


class Written(np.ndarray):
    """Rates or efforts of a command; writing to them changes the command, as in hebi-py."""

    command: Any
    field: str

    @classmethod
    def of(cls, values: NDArray, command: Any, field: str) -> Written:
        """Create a column of a command."""
        found = values.view(cls)
        found.command, found.field = command, field
        return found

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, value)
        if getattr(self, "command", None) is not None:
            column = self.command.full(self.field).copy()
            column[index] = value
            self.command.put(self.field, column)


def cast(values: NDArray, kind: Any) -> NDArray:
    """Return a copy in another type; unknown values are 0 if the type has no NaN."""
    return np.array(values if np.issubdtype(kind, np.floating) else np.nan_to_num(values), dtype=kind)


class Columns:
    """Quantities over modules; NaN if not set or unknown."""

    __slots__ = ("_size",)
    _size: int

    @property
    def size(self) -> int:
        """Number of modules."""
        return self._size

    @property
    def modules(self) -> list[OfModule]:
        """Messages of the single modules."""
        return [OfModule(self, index) for index in range(self.size)]

    @property
    def led(self) -> Led:
        """Lights of the modules."""
        return Led(self)

    @abstractmethod
    def full(self, name: str) -> NDArray:
        """Return a column in double precision."""

    def put(self, name: str, value: Any) -> None:
        """Set a column; raise AttributeError if it is read-only."""
        raise AttributeError(f"property {name!r} of {type(self).__name__!r} object has no setter")


class OfModule:
    """Message of one module: plain numbers and words."""

    __slots__ = ("_columns", "_index")

    def __init__(self, columns: Columns, index: int):
        object.__setattr__(self, "_columns", columns)
        object.__setattr__(self, "_index", index)

    @property
    def led(self) -> Led:
        """Light of the module."""
        return Led(self._columns, self._index)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._columns, name)[self._index]
        return value.item() if isinstance(value, np.generic) else value

    def __setattr__(self, name: str, value: Any) -> None:
        if not isinstance(getattr(type(self._columns), name, None), Column):
            raise AttributeError(f"a message of one module has no attribute {name!r}")
        column = self._columns.full(name).copy()
        column[self._index] = np.nan if value is None else choice(name, value)
        self._columns.put(name, column)


class GroupMessage(Columns):
    """Columns of a group."""

    __slots__ = ("values",)

    def __init__(self, number_of_modules: int, shared: GroupMessage | None = None):
        self._size = int(number_of_modules)
        self.values: dict[str, NDArray] = {}
        if shared is not None:
            self.copy_from(shared)

    def __getitem__(self, index: Any) -> Any:
        return self.modules[index]

    def full(self, name: str) -> NDArray:
        found, width = self.values.get(name), WIDTHS.get(name)
        return np.full((self.size, width) if width else self.size, np.nan) if found is None else found

    def clear(self) -> None:
        """Clear all columns."""
        self.values = {}

    def copy_from(self, src: GroupMessage) -> None:
        """Copy all columns of another message of the same size."""
        if src.size != self.size:
            raise ValueError("Number of modules must be equal")
        self.values = {name: value.copy() for name, value in src.values.items()}


class View(Columns):
    """A view of some modules of a message; reads and writes affect the message."""

    __slots__ = ("_places", "_whole")

    def __init__(self, whole: GroupMessage, mask: Iterable[int]):
        self._whole, self._places = whole, [int(index) for index in mask]
        self._size = len(self._places)
        if any(not 0 <= place < whole.size for place in self._places):
            raise ValueError(f"input indices is out of range (expected (0 <= x < {whole.size})")

    def full(self, name: str) -> NDArray:
        return self._whole.full(name)[self._places]


def column_of(name: str, value: Any, size: int) -> NDArray:
    """Create a column from one number or one per module, or from words for fields with names."""
    column = np.asarray(choice(name, value), dtype=float)
    if column.ndim == 0:
        column = np.full(size, float(column))
    if len(column) < size:
        raise IndexError("list index out of range")
    return column[:size].copy()


class GroupCommandView(View):
    """Commands of some modules."""

    __slots__ = ()

    def put(self, name: str, value: Any) -> None:
        column = self._whole.full(name).copy()
        column[self._places] = np.nan if value is None else column_of(name, value, self.size)
        self._whole.values[name] = column


class GroupFeedbackView(View):
    """Feedback of some modules."""

    __slots__ = ()


class GroupCommand(GroupMessage):
    """Command to modules; NaN and unset fields mean not commanded."""

    __slots__ = ()

    def put(self, name: str, value: Any) -> None:
        """Set a column from one number or one per module; None clears it."""
        if value is None:
            self.values.pop(name, None)
        else:
            self.values[name] = column_of(name, value, self.size)

    def create_view(self, mask: Iterable[int]) -> GroupCommandView:
        """Return the commands of some modules."""
        return GroupCommandView(self, mask)

    def copy_gains_from(self, other: GroupCommand | GroupInfo) -> None:
        """Copy the gains of another command or information."""
        for name in (*GAINS, "control_strategy"):
            if name in other.values:
                self.put(name, other.values[name])

    def read_gains(self, file: str) -> None:
        """Read the gains of a file."""
        if not Path(file).is_file():
            raise OSError(f"{file} is not a file")
        table = gains.check_gains(Path(file), modules=self.size)
        for name, column in {**table.values, "control_strategy": table.strategy}.items():
            self.put(name, column if len(column) > 1 else float(column[0]))

    def write_gains(self, file: str) -> None:
        """Write the gains of this command to a file, as hebi-py does."""
        write_columns(Path(file), self)


class GroupFeedback(GroupMessage):
    """Feedback of modules."""

    __slots__ = ()

    def create_view(self, mask: Iterable[int]) -> GroupFeedbackView:
        """Return the feedback of some modules."""
        return GroupFeedbackView(self, mask)


class GroupInfo(GroupMessage):
    """Information of modules: names and settings."""

    __slots__ = ("words",)

    def __init__(self, number_of_modules: int, shared: GroupMessage | None = None):
        self.words: dict[str, list[str]] = {}
        super().__init__(number_of_modules, shared)

    def copy_from(self, src: GroupMessage) -> None:
        super().copy_from(src)
        self.words = {name: list(words) for name, words in getattr(src, "words", {}).items()}

    def word(self, name: str) -> list[str | None]:
        """Return a column of words; None if unknown."""
        return list(self.words.get(name, [None] * self.size))

    def write_gains(self, file: str) -> None:
        """Write the gains of the modules to a file."""
        write_columns(Path(file), self)


def choice(name: str, value: Any) -> Any:
    """Return numbers for words, if a field is set by words."""
    if isinstance(value, str) and name in CHOICES:
        if value not in CHOICES[name]:
            raise ValueError(str(UnknownName(name, value, CHOICES[name])))
        return CHOICES[name][value]
    return [choice(name, each) for each in value] if isinstance(value, list | tuple) else value


def write_columns(path: Path, message: GroupMessage) -> None:
    """Write the gains of a message in HEBI's format."""
    columns = {name: value for name, value in message.values.items() if name in GAINS and not np.isnan(value).all()}
    gains.write_table(path, gains.GainTable(cast(message.full("control_strategy"), np.int32), columns))


def microseconds(name: str) -> property:
    """Create a property that returns a time in microseconds."""
    return property(lambda feedback: cast(1e6 * feedback.full(name), np.uint64), doc=f"{name} [us]")


def words_of(name: str) -> property:
    """Create a property that returns a column of words."""
    return property(lambda info: info.word(name), doc=f"{name} of each module")


def addresses_of(name: str) -> property:
    """Create a property that returns network addresses."""
    return property(lambda info: np.array([word or "0.0.0.0" for word in info.word(name)]), doc=name)


def into_array(name: str) -> Any:
    """Create a method that writes a column into an array."""

    def get(feedback: GroupFeedback, array: NDArray) -> None:
        if array.size != feedback.size:
            raise ValueError("Input array must be the size of the group feedback")
        array[:] = feedback.full(name)

    get.__doc__ = f"Write {name} into an array."
    return get


def add_fields() -> None:
    """Add the fields to the classes."""
    given: dict[Any, tuple[dict[str, Any], bool]] = {
        GroupCommand: ({**TARGETS, **SETTINGS}, True), GroupCommandView: ({**TARGETS, **SETTINGS}, True),
        GroupFeedback: ({**TOLD, **UNKNOWN}, False), GroupFeedbackView: ({**TOLD, **UNKNOWN}, False),
        GroupInfo: ({**SETTINGS, **RECORDS}, False),
    }  # fmt: skip
    for kind, (fields, settable) in given.items():
        for name in fields.keys() - {"led"}:
            setattr(kind, name, Column(name, fields[name], settable))
    for kind in (GroupFeedback, GroupFeedbackView):
        for name in TIMES:
            setattr(kind, f"{name}_us", microseconds(name))
    for name in TARGETS:
        setattr(GroupFeedback, f"get_{name}", into_array(name))
        setattr(GroupFeedback, f"get_{name}_command", into_array(f"{name}_command"))
    for name in WORDS:
        setattr(GroupInfo, name, words_of(name))
    for name in ADDRESSES:
        setattr(GroupInfo, name, addresses_of(name))


add_fields()
