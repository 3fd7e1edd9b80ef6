"""Scenario presets: TOML files that only set values, named after their scenario.

`list` shows their first line. A file names the class of its scenario (`type`) and values of its fields. It becomes a
subclass with these defaults: conical-sidewinding.toml is ConicalSidewinding of this module.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import new_class
from typing import Any

from serpenoid.configuration import field_types, from_plain, plain_name, read_toml
from serpenoid.errors import FileProblem, InvalidValue, UnknownName

FOLDER = Path(__file__).parent


def names() -> dict[str, str]:
    """Return every preset by name, as `module:Class`."""
    return {path.stem: f"{__name__}:{class_name(path)}" for path in sorted(FOLDER.glob("*.toml"))}


def class_name(path: Path) -> str:
    """Return the class name of a file: climb-pole.toml is ClimbPole."""
    return "".join(word.capitalize() for word in path.stem.split("-"))


@cache
def read_preset(path: Path) -> Any:
    """Return the class of a file: a subclass of the scenario that it names, with other defaults."""
    data = read_toml(path)
    try:
        module, _, name = data.pop("type").partition(":")
        base: Any = getattr(import_module(module), name)
        defaults = {key: from_plain(value, field_types(base)[key], key) for key, value in data.items()}
    except (KeyError, AttributeError, ImportError, InvalidValue, UnknownName) as error:
        raise FileProblem(path, f"is not a scenario: type, and fields of that class ({error})") from None
    line = path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
    cls = new_class(class_name(path), (base,), defaults, lambda body: body.update(__doc__=line, __module__=__name__))
    return dataclass(frozen=True)(cls)


def __getattr__(name: str) -> Any:
    """Return the class of a file of this folder."""
    path = FOLDER / f"{plain_name(name).replace('_', '-')}.toml"
    if not path.exists() or class_name(path) != name:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return read_preset(path)
