"""Robots, worlds, gaits, controllers and scenarios as classes that a user calls by hand."""

from __future__ import annotations

from typing import Any, Self

from serpenoid.errors import UnknownName, Unsupported


class Part:
    """Refuses, in one line, words that a dataclass has no field for, and a class that is not finished."""

    def __new__(cls, *values: Any, **named: Any) -> Self:
        if unfinished := sorted(getattr(cls, "__abstractmethods__", ())):
            raise Unsupported(f"{cls.__name__} cannot be made: derive a class that defines {', '.join(unfinished)}")
        known = vars(cls).get("__dataclass_fields__")
        if known is not None and not named.keys() <= known.keys():
            wrong = next(name for name in named if name not in known)
            raise UnknownName(f"field of {cls.__name__}", wrong, known)
        return super().__new__(cls)
