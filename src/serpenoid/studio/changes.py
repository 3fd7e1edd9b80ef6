"""Differences between two configurations, as the smallest set of changes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from serpenoid import configuration
from serpenoid.errors import SerpenoidError
from serpenoid.scenarios.base import Parts, Scenario


def differences(before: Any, after: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield (dotted field, new value) for the differences of two dataclasses; the whole value if their classes
    differ."""
    if type(before) is not type(after) or not dataclasses.is_dataclass(before):
        if not same(before, after):
            yield name, after
        return
    for field in dataclasses.fields(before):
        if field.init:
            inner = f"{name}.{field.name}"
            yield from differences(getattr(before, field.name), getattr(after, field.name), inner)


def same(before: Any, after: Any) -> bool:
    """Return whether two values are equal, even if the comparison gives an array."""
    try:
        return bool(before == after)
    except ValueError:
        return False


def part_changes(before: Parts, after: Parts) -> list[tuple[str, Any]]:
    """Return the changes that convert a run's parts to others."""
    found: list[tuple[str, Any]] = []
    for owner in Parts._fields:
        found += differences(getattr(before, owner), getattr(after, owner), owner)
    return found


def scenario_with(scenario: Scenario, parts: Parts) -> Scenario | None:
    """Return the scenario that runs with these parts, matched by field names; None if it cannot represent them."""
    found = scenario
    for what, value in part_changes(found.parts(), parts):
        holders = (with_field(found, name, what, value) for name in candidates(found, what, value))
        held = next((trial for trial in holders if trial is not None), None)
        if held is None:
            return None
        found = held
    return found if not part_changes(found.parts(), parts) else None


def candidates(scenario: Scenario, what: str, value: Any) -> list[str]:
    """Return the fields of a scenario that may correspond to a field of its parts, or to a whole part."""
    owner, _, field = what.partition(".")
    if field:
        names = [f"{name}.{field}" for name, part in vars(scenario).items() if dataclasses.is_dataclass(part)]
        return [what, *names] if owner != "controller" else [*names, field]
    types = configuration.field_types(type(scenario))
    return [name for name, kind in types.items() if type(value) in configuration.class_choices(kind).values()]


def with_field(scenario: Scenario, name: str, what: str, value: Any) -> Scenario | None:
    """Return a scenario with one changed field if its parts then have the wanted value."""
    try:
        trial = configuration.changed(scenario, {name: value})
        return trial if same(field_of(trial.parts(), what), value) else None
    except SerpenoidError:
        return None


def field_of(parts: Parts, what: str) -> Any:
    """Return a field of robot, world or controller by its dotted name, or a whole part by its own."""
    owner, _, field = what.partition(".")
    return configuration.get(getattr(parts, owner), field) if field else getattr(parts, owner)
