"""Base of robots, worlds, gaits, controllers and scenarios: classes that a user instantiates."""

from __future__ import annotations

from typing import Any, Self

from serpenoid.errors import UnknownName, Unsupported


class Part:
    """Base class that rejects unknown fields and abstract classes with a one-line error."""

    def __new__(cls, *values: Any, **named: Any) -> Self:
        unfinished: Any = getattr(cls, "__abstractmethods__", None)
        if unfinished:
            names = ", ".join(sorted(unfinished))
            raise Unsupported(f"{cls.__name__} is abstract: derive a class that defines {names}")
        known = cls.__dict__.get("__dataclass_fields__")
        if named and known is not None and not named.keys() <= known.keys():
            wrong = next(name for name in named if name not in known)
            raise UnknownName(f"field of {cls.__name__}", wrong, known)
        return super().__new__(cls)
