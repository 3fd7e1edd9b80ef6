"""What differs between two configurations, as the smallest changes that lead from one to the other."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from serpenoid.scenarios.base import Parts


def differences(before: Any, after: Any, name: str) -> Iterator[tuple[str, Any]]:
    """(dotted field, new value) of all that differs between dataclasses of one class; else the whole as it is now."""
    if type(before) is not type(after) or not dataclasses.is_dataclass(before):
        if not same(before, after):
            yield name, after
        return
    for field in dataclasses.fields(before):
        if field.init:
            inner = f"{name}.{field.name}"
            yield from differences(getattr(before, field.name), getattr(after, field.name), inner)


def same(before: Any, after: Any) -> bool:
    """Whether two values are equal, also where comparing them gives an array."""
    try:
        return bool(before == after)
    except ValueError:
        return False


def part_changes(before: Parts, after: Parts) -> list[tuple[str, Any]]:
    """What to change on a run of some parts, so that it goes on as one of others."""
    found: list[tuple[str, Any]] = []
    for owner in Parts._fields:
        found += differences(getattr(before, owner), getattr(after, owner), owner)
    return found
