"""Axes of a sweep: a field with its values, from text such as 0.5:10:39, log:0.1:10:20 or dry,viscous,fluid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from itertools import islice, product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid import configuration
from serpenoid.errors import InvalidValue, SerpenoidError, UnknownName, instance, require

if TYPE_CHECKING:
    from serpenoid.scenarios.base import Scenario

GRAMMAR = "start:stop:count, log:start:stop:count or a list a,b,c (with a sample also start:stop)"
MOST_VALUES = 10**9
MOST_BESIDE = 32  # combinations of the other axes' ends with which an end is tried
MOST_CHECKED = 1000  # values of an axis that are tried on the scenario before anything runs


@dataclass(frozen=True)
class Listed:
    """Axis with a list of values: numbers, names or Booleans."""

    field: str
    values: tuple[Any, ...]

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self.values)

    def at(self, indices: NDArray) -> list[Any]:
        """Return the values at the given indices."""
        return [self.values[i] for i in indices]

    def between(self, shares: NDArray) -> list[Any]:
        """Map fractions in 0..1 to values; every value covers an equal interval."""
        return self.at(np.minimum((shares * self.size).astype(int), self.size - 1))

    @property
    def labels(self) -> list[str] | None:
        """Values as text if they are not numbers, otherwise None."""
        numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in self.values)
        return None if numeric else [word(value) for value in self.values]

    def stored(self, values: Sequence[Any]) -> NDArray:
        """Encode values as numbers for an array: unchanged, or as their index among the labels."""
        if self.labels is None:
            return np.array(values, dtype=float)
        index = {word(value): i for i, value in enumerate(self.values)}
        return np.array([index[word(value)] for value in values], dtype=float)

    def plain(self) -> Any:
        """Return plain data for the configuration in the store."""
        return configuration.to_plain(list(self.values))


@dataclass(frozen=True)
class Spaced:
    """Axis with `count` evenly spaced values including both ends; count 0 is a continuous range."""

    field: str
    start: float
    stop: float
    count: int
    logarithmic: bool = False
    whole: bool = False  # the field takes integers

    labels = None

    @property
    def size(self) -> int:
        """Number of values; 0 for a continuous range."""
        return self.count

    def at(self, indices: NDArray) -> list[Any]:
        """Return the values at the given indices."""
        last = max(self.count - 1, 1)
        values = self.scaled(np.asarray(indices, dtype=float) / last)
        values[np.asarray(indices) == 0] = self.start
        values[np.asarray(indices) == last] = self.stop
        return self.typed(values)

    def between(self, shares: NDArray) -> list[Any]:
        """Map fractions in 0..1 to values."""
        if self.count:
            return self.at(np.minimum((shares * self.count).astype(int), self.count - 1))
        if self.whole:
            return self.typed(np.minimum(np.floor(self.start + shares * (self.stop - self.start + 1.0)), self.stop))
        return self.typed(self.scaled(shares))

    def scaled(self, shares: NDArray) -> NDArray:
        """Map 0..1 to start..stop; decimal steps stay decimal (0.3, not 0.30000000000000004)."""
        if self.logarithmic:
            return self.start * (self.stop / self.start) ** shares
        values = self.start + shares * (self.stop - self.start)
        return np.round(values, 15 - max(0, int(np.ceil(np.log10(max(abs(self.start), abs(self.stop), 1e-12))))))

    def typed(self, values: NDArray) -> list[Any]:
        """Convert values to Python numbers of the field's type."""
        return [int(round(value)) for value in values] if self.whole else values.tolist()

    def stored(self, values: Sequence[Any]) -> NDArray:
        """Encode values as numbers for an array."""
        return np.array(values, dtype=float)

    def plain(self) -> Any:
        """Return plain data for the configuration in the store."""
        return {"start": self.start, "stop": self.stop, "count": self.count, "logarithmic": self.logarithmic}


Axis = Listed | Spaced


def word(value: Any) -> str:
    """Format a value that is not a number as one word."""
    if isinstance(value, bool):
        return str(value).lower()
    return configuration.plain_name(type(value)) if is_dataclass(value) else str(value)


def axes_of(scenario: Scenario, over: Mapping[str, Any], sampled: bool) -> tuple[Axis, ...]:
    """Build the axes of a sweep and check each against the scenario's fields."""
    instance("over", over, Mapping, "a dictionary of fields and their values")
    if not over:
        raise SerpenoidError(f"--over: must be at least one field with its values: {GRAMMAR}")
    axes = tuple(axis_of(scenario, field, values) for field, values in over.items())
    for axis in axes:
        if isinstance(axis, Spaced) and not axis.count and not sampled:
            raise InvalidValue(axis.field, f"{axis.start}:{axis.stop}", f"{GRAMMAR}; a grid needs the count")
        check_names(scenario, axis)
    check_ends(scenario, axes)
    return axes


def axis_of(scenario: Scenario, field: str, values: Any) -> Axis:
    """Build one axis from text or from a list of values."""
    instance("field", field, str, "the name of a field, such as gait.frequency")
    takes = annotation_of(scenario, field)
    if isinstance(values, Listed | Spaced):
        return values
    if isinstance(values, str):
        return parse_axis(field, takes, values.strip())
    instance(field, values, Iterable, f"values, or {GRAMMAR}")
    listed = [value.item() if isinstance(value, np.generic) else value for value in values]
    return list_axis(field, listed)


def annotation_of(scenario: Scenario, field: str) -> Any:
    """Return the annotation of a field of the scenario."""
    try:
        configuration.get(scenario, field)
    except UnknownName:
        raise UnknownName("field", field, [known.name for known in configuration.walk(scenario)]) from None
    owner, _, leaf = field.rpartition(".")
    held = configuration.get(scenario, owner) if owner else scenario
    if isinstance(held, tuple):
        return type(configuration.get(held, leaf))
    return configuration.field_types(type(held))[leaf]


def parse_axis(field: str, annotation: Any, text: str) -> Axis:
    """Parse an axis from text."""
    if ":" in text:
        return parse_range(field, annotation, text)
    words = [piece.strip() for piece in text.split(",")]
    if not all(words):
        raise InvalidValue(field, text, GRAMMAR)
    return list_axis(field, [configuration.parse(field, annotation, [piece]) for piece in words])


def parse_range(field: str, annotation: Any, text: str) -> Spaced:
    """Parse an axis from start:stop:count, or log:start:stop:count with logarithmic spacing."""
    pieces = text.split(":")
    logarithmic = pieces[0] == "log"
    pieces = pieces[1:] if logarithmic else pieces
    types = configuration.members(annotation)
    if len(pieces) not in (2, 3) or not (float in types or int in types):
        raise InvalidValue(
            field, text, GRAMMAR if float in types or int in types else configuration.describe(annotation)
        )
    start, stop = (configuration.number(field, piece) for piece in pieces[:2])
    count = configuration.parse_as(f"{field} (count)", int, [pieces[2]]) if len(pieces) == 3 else 0
    require(len(pieces) == 2 or 1 <= count <= MOST_VALUES, f"{field} (count)", count, f"from 1 to {MOST_VALUES}")
    require(bool(np.isfinite([start, stop]).all()), field, text, "finite numbers")
    require(start != stop or count == 1, field, text, "a range whose ends differ")
    require(not logarithmic or (start > 0.0 and stop > 0.0), field, text, "above 0 at both ends of a logarithmic range")
    axis = Spaced(field, start, stop, count, logarithmic, whole=float not in types)
    if axis.whole and count:
        values = axis.scaled(np.arange(min(count, MOST_CHECKED)) / max(count - 1, 1))
        require(bool(np.all(values == np.round(values))), field, text, "a range of whole numbers")
    return axis


def list_axis(field: str, values: list[Any]) -> Listed:
    """Build an axis from a list of values without repetitions."""
    require(bool(values), field, values, GRAMMAR)
    for value in values:
        require(not isinstance(value, float) or bool(np.isfinite(value)), field, value, "a finite number")
    for value, count in Counter(word(value) for value in values).items():
        require(count == 1, field, value, "given only once")
    return Listed(field, tuple(values))


def ends_of(axis: Axis) -> list[Any]:
    """Return the first and the last value of an axis."""
    if isinstance(axis, Listed) or axis.count == 1:
        return axis.at(np.unique([0, axis.size - 1]))
    return axis.typed(np.array([axis.start, axis.stop]))


def check_ends(scenario: Scenario, axes: Sequence[Axis]) -> None:
    """Refuse an axis whose first or last value is invalid both alone and in combination with the other axes' ends."""
    for axis in axes:
        others = [other for other in axes if other is not axis]
        rows = islice(product(*map(ends_of, others)), MOST_BESIDE)
        beside = [{other.field: value for other, value in zip(others, row)} for row in rows]
        for end in ends_of(axis):
            problem = refusal(scenario, {axis.field: end})
            if problem and all(refusal(scenario, {**given, axis.field: end}) for given in beside):
                raise problem


def refusal(scenario: Scenario, changes: Mapping[str, Any]) -> SerpenoidError | None:
    """Return the error of building the scenario with these changes; None if they are valid."""
    try:
        configuration.changed(scenario, changes)
    except SerpenoidError as error:
        return error
    return None


def check_names(scenario: Scenario, axis: Axis) -> None:
    """Refuse a name that is not a field of the scenario before anything runs; invalid numbers fail cell by cell."""
    if isinstance(axis, Spaced):
        return
    for value in axis.values[:MOST_CHECKED]:
        try:
            configuration.changed(scenario, {axis.field: value})
        except UnknownName:
            raise
        except InvalidValue as error:
            if not isinstance(value, int | float):
                raise error from None
        except TypeError:
            raise InvalidValue(axis.field, value, configuration.describe(annotation_of(scenario, axis.field))) from None
