"""Conversion of configurations to and from plain data: dicts, lists, strings and numbers, as in JSON and TOML."""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from serpenoid.configuration.annotations import (
    bases_of,
    class_choices,
    field_types,
    folded,
    groups_of,
    means_none,
    members,
    named_classes,
    presets_of,
    required,
)
from serpenoid.configuration.classes import find_class, kind_of
from serpenoid.configuration.words import describe, number
from serpenoid.errors import LARGEST, InvalidValue, SerpenoidError, UnknownName, within_field

PI = re.compile(r"[+-]?[0-9.e+-]*\s*\*?\s*pi")  # 0.5pi, as on the command line


def to_plain(value: Any) -> Any:
    """Convert a configuration to dicts, lists, strings and numbers; every dataclass has its `type`."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {name: to_plain(getattr(value, name)) for name in field_types(type(value))}
        return {"type": kind_of(value), **fields}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, tuple | list):
        return [to_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise SerpenoidError(f"{value!r} cannot be written to a file")


def from_plain(data: Any, annotation: Any, name: str = "", known: Mapping[str, type] | None = None) -> Any:
    """Convert plain data to the value of an annotation; `known` maps short class names to classes."""
    if isinstance(data, Mapping):
        return dataclass_from_plain(data, annotation, name, known or {})
    if isinstance(data, str) and class_choices(annotation):
        if means_none(annotation, data):
            return None
        return dataclass_from_plain({"type": data}, annotation, name, known or {})
    failures = []
    for option in members(annotation):
        try:
            return plain_as(data, option, name, known)
        except InvalidValue as error:
            failures.append(error.with_traceback(None))  # a traceback would keep the callers' variables alive
    raise failures[0] if len(failures) == 1 else InvalidValue(name or "type", data, describe(annotation))


def plain_as(data: Any, option: Any, name: str, known: Mapping[str, type] | None) -> Any:
    """Convert plain data to one plain type, strictly, except that a whole number is accepted as a float."""
    if option is Any or (option is type(None) and data is None):
        return data
    origin, args = typing.get_origin(option), typing.get_args(option)
    if origin is tuple and isinstance(data, list | tuple):
        each = args[:1] * len(data) if len(args) == 2 and args[1] is Ellipsis else args
        if len(each) == len(data):
            return tuple(from_plain(item, a, f"{name}[{i}]", known) for i, (item, a) in enumerate(zip(data, each)))
    if origin is Literal and isinstance(data, str | int) and data in args:
        return data
    if option is float and isinstance(data, int | float) and not isinstance(data, bool):
        return as_float(data, name)
    if option is float and isinstance(data, str) and PI.fullmatch(data.strip().lower()):
        return number(name, data)
    if option in (int, str, bool) and type(data) is option:
        return data
    raise InvalidValue(name or "type", data, describe(option))


def as_float(data: float, name: str) -> float:
    """Convert a number to a float; raise InvalidValue if it is too large."""
    try:
        return float(data)
    except OverflowError:
        raise InvalidValue(name, data, f"at most {LARGEST:g} in size") from None


def dataclass_from_plain(data: Mapping[str, Any], annotation: Any, name: str, known: Mapping[str, type]) -> Any:
    """Create a dataclass from a mapping of its fields; `type` names the class if there is a choice."""
    choices = class_choices(annotation)
    bases = bases_of(annotation)
    data = over_preset(data, choices)
    named = iter(named_classes(annotation).values())
    cls = class_of(data["type"], annotation, name, known) if "type" in data else next(named, None)
    if cls is None:
        allowed = "a table with a type" if bases or annotation is Any else describe(annotation)
        raise InvalidValue(name or "type", data, allowed)
    if bases and not issubclass(cls, bases):  # before instantiation: a file may name an unrelated class
        raise InvalidValue(name or "type", data["type"], describe(annotation))
    hints = field_types(cls)
    for key in data:
        if key not in hints and key not in ("type", "schema"):
            raise UnknownName("field", f"{name}.{key}".lstrip("."), hints)
    prefix = f"{name}." if name else ""
    usual = {field.name: field.default for field in dataclasses.fields(cls)}
    values = {
        k: from_plain(of_kind(v, hints[k], usual[k]), hints[k], prefix + k, known)
        for k, v in data.items()
        if k in hints
    }
    missing = [f.name for f in dataclasses.fields(cls) if f.name in hints and f.name not in values and required(f)]
    if missing:
        raise InvalidValue(prefix + missing[0], None, "given")
    if not name:
        return cls(**values)
    with within_field(name):
        return cls(**values)


def of_kind(data: Any, annotation: Any, usual: Any) -> Any:
    """Add the type of the field's default to a table without a type, for a field with an abstract class."""
    open_kind = isinstance(data, Mapping) and "type" not in data and class_choices(annotation)
    if not open_kind or named_classes(annotation) or not dataclasses.is_dataclass(usual):
        return data
    return {"type": kind_of(usual), **data}


def class_of(kind: Any, annotation: Any, name: str, known: Mapping[str, type]) -> type:
    """Return the class that a type names; an unknown one is reported with its field."""
    choices = class_choices(annotation)
    try:
        return find_class(kind, choices, known, groups_of(annotation))
    except UnknownName as error:
        raise UnknownName(name or error.kind, error.name, [*error.choices, *presets_of(choices)]) from None


def over_preset(data: Mapping[str, Any], choices: Mapping[str, type]) -> Mapping[str, Any]:
    """Merge a mapping whose `type` names a preset of a class into that preset; return any other unchanged."""
    kind = data.get("type")
    if not isinstance(kind, str) or ":" in kind or folded(kind) in map(folded, choices):
        return data
    found = next((make for name, make in presets_of(choices).items() if folded(name) == folded(kind)), None)
    rest = {key: value for key, value in data.items() if key != "type"}
    return data if found is None else laid_over(to_plain(found()), rest)


def laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Merge plain data: `above` replaces entries of `below`, recursively for tables without their own type."""
    out = {**below, **above}
    for key, value in above.items():
        if isinstance(value, Mapping) and "type" not in value and isinstance(below.get(key), Mapping):
            out[key] = laid_over(below[key], value)
    return out


def repeatable(value: Any) -> bool:
    """Return whether a value is a dataclass (or plain) that can be found again by its module and name."""
    try:
        plain = to_plain(value)
        return from_plain(plain, type(value)) is not None
    except Exception:
        return False
