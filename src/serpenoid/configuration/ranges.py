"""Limits and usual ranges of the numbers in a configuration, and validation of a dataclass's fields.

A field states them in its annotation, for every number that it contains:

    amplitude: Annotated[float, usual(0.1, 1.2)] = 0.5
    frequency: Annotated[float, at_least(0.0, usual=(0.1, 3.0))] = 1.0
    links: Annotated[int, between(2, 500, usual=(3, 20))] = 5

Limits are finite on both sides. A side without its own limit ends at a power of ten, at least a thousand times beyond
the usual range. Robots of any realistic size pass; numbers that overflow in a model do not.
"""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Sequence
from functools import cache
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple

import numpy as np

from serpenoid.configuration.annotations import bases_of, field_types, fits, members, unit_of
from serpenoid.configuration.words import describe
from serpenoid.errors import InvalidValue, require

Pair = tuple[float, float]
MARGIN = 1e3  # factor from the usual range to a default limit
DEGREES = 4.0  # [rad] a larger angle may have been meant in degrees


class Range(NamedTuple):
    """Limits of a number, ends included, and its usual range (for sliders and searches)."""

    low: float
    high: float
    usual: Pair

    @property
    def closed(self) -> Pair:
        """Least and greatest permitted number."""
        return self.low, self.high

    def __contains__(self, value: Any) -> bool:
        return bool(self.low <= value <= self.high)

    @property
    def words(self) -> str:
        """Limits in short form: `2 to 500`."""
        return f"{format_end(self.low)} to {format_end(self.high)}"


def format_end(end: float) -> str:
    """Format one end of a range."""
    return f"{end:g}" if isinstance(end, float) else str(end)


def usual(low: float, high: float) -> Range:
    """Return the range of any number of realistic size, usually from `low` to `high`."""
    most = beyond(max(abs(low), abs(high)))
    return Range(-most, most, (low, high))


def above(low: float, usual: Pair, most: float | None = None) -> Range:
    """Return the range from a thousandth of the usual size above `low` to `most`."""
    nearest = usual[0] - low or (usual[1] - low) / MARGIN
    return Range(low + 1.0 / beyond(1.0 / nearest), beyond(abs(usual[1])) if most is None else most, usual)


def at_least(low: float, usual: Pair, most: float | None = None) -> Range:
    """Return the range from `low` to `most`."""
    return Range(low, beyond(max(map(abs, usual))) if most is None else most, usual)


def between(low: float, high: float, usual: Pair) -> Range:
    """Return the range from `low` to `high`, ends included."""
    return Range(low, high, usual)


def beyond(size: float) -> float:
    """Return the power of ten that is at least a thousand times a size."""
    return 10.0 ** math.ceil(math.log10(MARGIN * size) - 1e-9)


@cache
def field_ranges(cls: Any) -> dict[str, Range]:
    """Return the ranges in the annotations of a dataclass's fields."""
    hints = typing.get_type_hints(cls, include_extras=True)
    found = {}
    for field in dataclasses.fields(cls):
        carried = [item for item in getattr(hints[field.name], "__metadata__", ()) if isinstance(item, Range)]
        if carried:
            found[field.name] = carried[0]
    return found


@cache
def quick_rules(cls: Any) -> tuple[tuple[str, Any, float, float, bool], ...]:
    """Return name, type, least and greatest value of each number and switch, and whether it may be None.

    Type None: a value needs the full check.
    """
    found = []
    for name, annotation in field_types(cls).items():
        known = field_ranges(cls).get(name)
        if known:
            kind = next((kind for kind in (float, int) if kind in members(annotation)), None)
            found.append((name, kind, known.low, known.high, type(None) in members(annotation)))
        elif annotation is bool:
            found.append((name, bool, False, True, False))
    return tuple(found)


@cache
def class_rules(cls: Any) -> tuple[tuple[str, tuple[type, ...]], ...]:
    """Return name and classes of each other field that is checked: words, text, dataclasses and tuples of these.

    Values of other classes, tuples and words need the full check.
    """
    found = []
    for name, annotation in field_types(cls).items():
        if name not in field_ranges(cls) and annotation is not bool and checkable(annotation):
            options = (option for option in members(annotation) if typing.get_origin(option) is None)
            found.append((name, tuple(option for option in options if isinstance(option, type))))
    return tuple(found)


def checkable(annotation: Any) -> bool:
    """Return whether an annotation can be checked: switches, words, text, classes and tuples of these."""
    options = [option for option in members(annotation) if option is not type(None)]
    if all(typing.get_origin(option) is tuple for option in options):
        return all(checkable(item) for option in options for item in typing.get_args(option) if item is not Ellipsis)
    return all(option in (bool, str) or typing.get_origin(option) is Literal or bases_of(option) for option in options)


def check_fields(config: Any) -> None:
    """Raise InvalidValue for a field that violates its annotation; call it in `__post_init__`.

    Lists and arrays become tuples, as annotated. A sweep calls it a million times, so a value of the exact type costs
    one comparison.
    """
    cls: Any = type(config)
    values = config.__dict__
    for name, kind, low, high, optional in quick_rules(cls):
        value = values[name]
        if not ((type(value) is kind and low <= value <= high) or (value is None and optional)):
            try:
                check_value(name, value, field_types(cls)[name], field_ranges(cls).get(name))
            except InvalidValue as error:
                raise with_unit(error, unit_of(cls, name), field_ranges(cls).get(name)) from None
            values[name] = int(value) if isinstance(value, np.integer) else as_tuple(value)
    for name, classes in class_rules(cls):
        if not isinstance(values[name], classes):
            check_value(name, values[name], field_types(cls)[name], None)
            values[name] = as_tuple(values[name])


def as_tuple(value: Any) -> Any:
    """Convert a list or an array to a tuple, row by row; return anything else unchanged."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return tuple(as_tuple(item) for item in value) if isinstance(value, list | tuple) else value


def with_unit(error: InvalidValue, unit: str, known: Range | None) -> InvalidValue:
    """Return the error with the unit of its field, and the value in radians if it looks like degrees."""
    if not unit:
        return error
    ranged = known is not None and error.allowed.endswith(known.words)
    allowed = f"{error.allowed} {unit}" if ranged else f"{error.allowed} [{unit}]"
    return InvalidValue(error.field, error.value, allowed + in_radians(error.value, unit))


def in_radians(value: Any, unit: str) -> str:
    """Return a hint for an angle that was perhaps meant in degrees; empty otherwise."""
    if unit != "rad" or not isinstance(value, int | float) or not DEGREES < abs(value) <= 360.0:
        return ""
    return f" ({value:g} deg = {math.radians(value):.4g} rad)"


def check_value(name: str, value: Any, annotation: Any, known: Range | None) -> None:
    """Raise InvalidValue for a value that violates an annotation or its range; tuples are checked item by item."""
    allowed = members(annotation)
    if value is None and type(None) in allowed:
        return
    shape = next((option for option in allowed if typing.get_origin(option) is tuple), None)
    if shape is not None and (isinstance(value, tuple | list) or (isinstance(value, np.ndarray) and value.ndim)):
        check_items(name, value, typing.get_args(shape), known)
    elif known is not None and (float in allowed or int in allowed):
        check_number(name, value, float not in allowed, known)
    else:
        classes = [f"a {option.__name__}" for option in allowed if bases_of(option)]
        require(
            any(is_a(value, option) for option in allowed), name, value, " or ".join(classes) or describe(annotation)
        )


def is_a(value: Any, option: Any) -> bool:
    """Return whether a value has a plain type: a switch, text, one of some words, or a dataclass of a kind."""
    if typing.get_origin(option) is Literal:
        return isinstance(value, str) and value in typing.get_args(option)
    return isinstance(value, option) if option in (bool, str) else fits(value, option)


def check_items(name: str, values: Sequence[Any] | np.ndarray, kinds: tuple[Any, ...], known: Range | None) -> None:
    """Raise InvalidValue for a tuple of the wrong length or with an invalid item."""
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        kinds = kinds[:1] * len(values)
    require(len(values) == len(kinds), name, values, f"{len(kinds)} numbers")
    for i, (item, kind) in enumerate(zip(values, kinds)):
        check_value(f"{name}[{i}]", item, kind, known)


def check_number(name: str, value: Any, whole: bool, known: Range) -> None:
    """Raise InvalidValue for a value that is not a number, is NaN, or is out of range."""
    if whole:
        good = isinstance(value, Integral) and not isinstance(value, bool) and value in known
        require(good, name, value, f"a whole number from {known.words}")
        return
    require(isinstance(value, Real) and not isinstance(value, bool), name, value, "a number")
    require(value in known, name, value, f"from {known.words}")
