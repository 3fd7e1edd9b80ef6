"""What a number of a configuration may be and what it usually is, and the one check of a dataclass's fields.

A field says it in its annotation, for every number that it holds:

    amplitude: Annotated[float, usual(0.1, 1.2)] = 0.5
    frequency: Annotated[float, at_least(0.0, usual=(0.1, 3.0))] = 1.0
    links: Annotated[int, between(2, 500, usual=(3, 20))] = 5
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Sequence
from functools import cache
from math import inf, nextafter
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple

import numpy as np

from serpenoid.configuration.annotations import field_types, members
from serpenoid.configuration.words import describe
from serpenoid.errors import LARGEST, finite, require

Pair = tuple[float, float]


class Range(NamedTuple):
    """The limits of a number, and the range in which it usually lies (for sliders, `optimise` and `fit`)."""

    low: float
    high: float
    usual: Pair
    open_low: bool = False  # whether the number must lie above `low`
    open_high: bool = False  # whether it must lie below `high`

    @property
    def closed(self) -> Pair:
        """Least and greatest number that is allowed."""
        low = nextafter(self.low, inf) if self.open_low else self.low
        return low, nextafter(self.high, -inf) if self.open_high else self.high

    def __contains__(self, value: Any) -> bool:
        low, high = self.closed
        return bool(low <= value <= high)

    @property
    def words(self) -> str:
        """The limits in short: `above 0`, `2 to 500`; empty where any number will do."""
        low, high = (f"{end:g}" if isinstance(end, float) else str(end) for end in (self.low, self.high))
        below = f"below {high}" if self.open_high else f"at most {high}"
        above = f"above {low}" if self.open_low else f"{low} or above"
        if self.low <= -LARGEST:
            return "" if self.high >= LARGEST else below
        if self.high >= LARGEST:
            return above
        return f"{above}, {below}" if self.open_low or self.open_high else f"{low} to {high}"


def usual(low: float, high: float) -> Range:
    """Any number; usually from `low` to `high`."""
    return Range(-LARGEST, LARGEST, (low, high))


def above(low: float, usual: Pair, most: float = LARGEST) -> Range:
    """A number above `low`, and at most `most`."""
    return Range(low, most, usual, open_low=True)


def at_least(low: float, usual: Pair) -> Range:
    """A number that is `low` or above."""
    return Range(low, LARGEST, usual)


def between(low: float, high: float, usual: Pair) -> Range:
    """A number from `low` to `high`, ends included."""
    return Range(low, high, usual)


@cache
def field_ranges(cls: Any) -> dict[str, Range]:
    """The ranges that the annotations of a dataclass's fields carry."""
    hints = typing.get_type_hints(cls, include_extras=True)
    found = {}
    for field in dataclasses.fields(cls):
        carried = [item for item in getattr(hints[field.name], "__metadata__", ()) if isinstance(item, Range)]
        if carried:
            found[field.name] = carried[0]
    return found


@cache
def quick_rules(cls: Any) -> tuple[tuple[str, Any, float, float, bool], ...]:
    """Name, type, least and greatest value of each field that is checked, and whether it may be None.

    Type None: a value takes a second look.

    Checked are fields with a range, switches, and fields that take one of some words.
    """
    found = []
    for name, annotation in field_types(cls).items():
        known = field_ranges(cls).get(name)
        if known:
            kind = next((kind for kind in (float, int) if kind in members(annotation)), None)
            found.append((name, kind, *known.closed, type(None) in members(annotation)))
        elif annotation is bool or typing.get_origin(annotation) is Literal:
            found.append((name, bool if annotation is bool else None, False, True, False))
    return tuple(found)


def check_fields(config: Any) -> None:
    """Refuse a dataclass with a field that its annotation does not allow; for `__post_init__`.

    A million cells of a sweep pass here: plain tuples and one comparison for a value of the very type.
    """
    cls: Any = type(config)
    values = config.__dict__
    for name, kind, low, high, optional in quick_rules(cls):
        value = values[name]
        if not ((type(value) is kind and low <= value <= high) or (value is None and optional)):
            check_value(name, value, field_types(cls)[name], field_ranges(cls).get(name))
            if isinstance(value, np.integer):  # a count that numpy made
                object.__setattr__(config, name, int(value))


def check_value(name: str, value: Any, annotation: Any, known: Range | None) -> None:
    """Refuse a value that an annotation and its range do not allow; tuples are looked at number by number."""
    allowed = members(annotation)
    if value is None and type(None) in allowed:
        return
    shape = next((option for option in allowed if typing.get_origin(option) is tuple), None)
    if shape is not None and isinstance(value, tuple | list | np.ndarray):
        check_items(name, value, typing.get_args(shape), known)
    elif known is not None and (float in allowed or int in allowed):
        check_number(name, value, float not in allowed, known)
    else:
        word = typing.get_origin(annotation) is Literal and isinstance(value, str)
        good = isinstance(value, bool) if annotation is bool else word and value in typing.get_args(annotation)
        require(good, name, value, describe(annotation))


def check_items(name: str, values: Sequence[Any] | np.ndarray, kinds: tuple[Any, ...], known: Range | None) -> None:
    """Refuse a tuple of the wrong length, or with an item that is not allowed."""
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        kinds = kinds[:1] * len(values)
    require(len(values) == len(kinds), name, values, f"{len(kinds)} numbers")
    for i, (item, kind) in enumerate(zip(values, kinds)):
        check_value(f"{name}[{i}]", item, kind, known)


def check_number(name: str, value: Any, whole: bool, known: Range) -> None:
    """Refuse what is no number, not finite or outside of a range."""
    both = not (known.open_low or known.open_high) and known.low > -LARGEST and known.high < LARGEST
    allowed = f"from {known.words}" if both else known.words
    if whole:
        good = isinstance(value, Integral) and not isinstance(value, bool) and value in known
        require(good, name, value, f"a whole number {allowed}".strip())
        return
    require(isinstance(value, Real) and not isinstance(value, bool), name, value, "a number")
    require(finite(name, value) in known, name, value, allowed)
