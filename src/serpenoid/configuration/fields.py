"""Fields of a configuration by dotted name: list, read and change them.

A tuple of dataclasses with a `name` each is its own level: parameters.amplitude.mass. Numbers in a tuple are counted
from 0: sign.0.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from serpenoid.configuration.annotations import (
    class_choices,
    field_docs,
    field_types,
    folded,
    groups_of,
    means_none,
    presets_of,
    required,
    unit_in,
)
from serpenoid.configuration.classes import class_named, installed_names
from serpenoid.configuration.ranges import Range, field_ranges
from serpenoid.configuration.words import describe
from serpenoid.errors import InvalidValue, UnknownName, within_field


class Field(NamedTuple):
    """One leaf of a configuration, as used by help and sweeps."""

    name: str  # dotted
    annotation: Any
    default: Any
    doc: str
    range: Range | None  # limits and usual range of its numbers

    @property
    def unit(self) -> str:
        """Unit of its numbers; empty without one."""
        return unit_in(self.doc)


def walk(config: Any, prefix: str = "") -> Iterator[Field]:
    """Yield every field of a configuration that can be set, depth first."""
    cls: Any = type(config)
    docs, ranges = field_docs(cls), field_ranges(cls)
    for name, annotation in field_types(cls).items():
        value = getattr(config, name)
        if named_items(value):
            for below, item in named_items(value).items():
                inner = walk(item, f"{prefix}{name}.{below}.")
                yield from (field for field in inner if not field.name.endswith(f".{below}.name"))
            continue
        nested = dataclasses.is_dataclass(value)
        if not nested or len(class_choices(annotation)) > 1:
            yield Field(prefix + name, annotation, value, docs.get(name, ""), ranges.get(name))
        if nested:
            yield from walk(value, f"{prefix}{name}.")


def named_items(value: Any) -> dict[str, Any]:
    """Return the items of a tuple by name, if all are dataclasses with distinct names; else an empty dict."""
    if not isinstance(value, tuple) or not all(dataclasses.is_dataclass(item) for item in value):
        return {}
    names = [getattr(item, "name", None) for item in value]
    good = all(isinstance(name, str) and name for name in names) and len(set(names)) == len(names)
    return dict(zip(names, value)) if good else {}  # type: ignore[arg-type]


def items_of(value: Any) -> dict[str, Any]:
    """Return the items of a tuple, dataclasses by name and numbers by place; else an empty dict."""
    named = named_items(value)
    numbers = isinstance(value, tuple) and all(type(item) in (int, float) for item in value)
    return {str(place): item for place, item in enumerate(value)} if numbers and not named else named


def get(config: Any, name: str) -> Any:
    """Return the value of a dotted field."""
    whole = config
    for part in name.split("."):
        if part in items_of(config):
            config = items_of(config)[part]
            continue
        if not dataclasses.is_dataclass(config) or part not in field_types(type(config)):
            known = [field.name for field in walk(whole)] if dataclasses.is_dataclass(whole) else []
            raise UnknownName("field", name, known)
        config = getattr(config, part)
    return config


def changed(config: Any, changes: Mapping[str, Any]) -> Any:
    """Return a copy of a configuration with dotted fields set; all changes are applied before validation."""
    check_names(config, changes)
    here: dict[str, Any] = {}
    below: dict[str, dict[str, Any]] = {}
    for name, value in changes.items():
        head, _, rest = name.partition(".")
        if rest:
            below.setdefault(head, {})[rest] = value
        else:
            here[head] = value
    for head, value in here.items():
        here[head] = choose_class(config, head, value, below.get(head, {}))
    for head, nested in below.items():
        owner = here.get(head, getattr(config, head))
        if not dataclasses.is_dataclass(owner) and not items_of(owner):
            raise InvalidValue(head, owner, describe(field_types(type(config))[head]))
        with within_field(head):
            here[head] = changed_items(owner, nested) if items_of(owner) else changed(owner, nested)
    return dataclasses.replace(config, **set_back(type(config), here), **here)


def set_back(cls: Any, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the defaults of fields that follow from changed ones (`follows: {field: the one that it follows}`)."""
    followers = {name: leader for name, leader in getattr(cls, "follows", {}).items() if leader in changes}
    return {
        field.name: field.default for field in dataclasses.fields(cls) if field.name in set(followers) - set(changes)
    }


def changed_items(items: tuple[Any, ...], changes: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return a copy of a tuple with some fields of its named dataclasses, or some of its numbers, set."""
    known = items_of(items)
    if not named_items(items):
        for name in changes:
            if name not in known:
                raise UnknownName("field", name, list(known))
        return tuple({**known, **changes}.values())
    below: dict[str, dict[str, Any]] = {}
    for name, value in changes.items():
        head, _, rest = name.partition(".")
        if head not in known or not rest:
            raise UnknownName("field", name, [f"{item}.{field.name}" for item in known for field in walk(known[item])])
        below.setdefault(head, {})[rest] = value
    for name, nested in below.items():
        with within_field(name):
            known[name] = changed(known[name], nested)
    return tuple(known.values())


def check_names(config: Any, changes: Mapping[str, Any]) -> None:
    """Raise UnknownName for fields that the configuration does not have; the error lists those that it has."""
    for name in changes:
        head = name.partition(".")[0]
        known = dataclasses.is_dataclass(config) and head in field_types(type(config))
        if not known:
            raise UnknownName("field", name, [field.name for field in walk(config)])


def choose_class(config: Any, name: str, value: Any, given: Mapping[str, Any]) -> Any:
    """Replace a plain word by the dataclass that it names, with its defaults, for a field with several classes.

    given: other changes of it, which must include the fields without a default.
    """
    annotation = field_types(type(config))[name]
    choices = class_choices(annotation)
    if not (choices and isinstance(value, str)):
        return value
    if means_none(annotation, value):
        return None
    chosen: Any = class_named(name, value, annotation)
    if chosen is None:
        presets = presets_of(choices)
        found = next((n for n in presets if folded(n) == folded(value)), None)
        if found is None:
            raise UnknownName(name, value, [*choices, *presets, *installed_names(groups_of(annotation))])
        return presets[found]()
    current = getattr(config, name)
    if type(current) is chosen:
        return current
    needed = needed_fields(chosen, name, value, given)
    with within_field(name):
        return chosen(**needed)


def needed_fields(chosen: Any, name: str, value: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a dataclass without a default from the given ones; raise an error if one is missing."""
    needed = [field.name for field in dataclasses.fields(chosen) if required(field)]
    for field in needed:
        if field not in given:
            by_word = field_types(chosen)[field] is str
            way = f"given with --{name}.{field} ({field_docs(chosen)[field]})" if by_word else "read from a file"
            raise InvalidValue(name, value, f"{way}: {chosen.__name__} has no default")
    return {field: given[field] for field in needed}
