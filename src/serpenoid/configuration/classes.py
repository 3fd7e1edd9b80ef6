"""Classes that a file may name: those of this package, of entry points of installed packages, and of opened modules.

A recording is untrusted data. It never imports anything except this package's own modules and the classes that entry
points of installed packages name.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
import typing
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from serpenoid.configuration.annotations import (
    bases_of,
    class_choices,
    field_types,
    folded,
    groups_of,
    kinds_of,
    members,
    presets_of,
    required,
)
from serpenoid.errors import InvalidValue, UnknownName, require
from serpenoid.support import plugins

PACKAGE = "serpenoid"
# Modules whose public classes a file may name, including the classes of their fields.
ROOMS = ("robots", "worlds", "gaits", "control", "simulation", "planning", "scenarios")
GROUPS = ("robots", "worlds", "gaits", "controllers", "scenarios")  # entry point groups whose classes a file may name
OPENED: list[str] = []  # modules that the user named, in this order


def kind_of(value: Any) -> str:
    """Return the location of a class, as `module:Class`."""
    cls = value if isinstance(value, type) else type(value)
    return f"{cls.__module__}:{cls.__qualname__}"


def open_module(name: str) -> None:
    """Import a module that the user named, also from the working directory; files may then name its classes."""
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.append(folder)
    try:
        import_module(name)
    except Exception as error:  # a user's module may raise anything
        problem = " ".join(f"{type(error).__name__}: {error}".split())
        raise InvalidValue("module", name, f"a module that can be imported ({problem})") from None
    if name not in OPENED:
        OPENED.append(name)


def find_class(kind: Any, choices: Mapping[str, type], known: Mapping[str, type], groups: Sequence[str] = ()) -> type:
    """Return the dataclass of a `type` entry: a short name, or `module:Class` of this package or an opened module.

    groups: entry points by which installed packages add short names.
    """
    if not isinstance(kind, str):
        raise InvalidValue("type", kind, "the name of a class")
    named = {**choices, **known}  # our short names take precedence over the user's classes
    by_name = {folded(name): cls for name, cls in named.items()} | {kind_of(cls): cls for cls in named.values()}
    found = by_name.get(kind) or by_name.get(folded(kind))
    if found is not None:
        return found
    module, _, qualname = kind.partition(":")
    if not qualname:
        installed = installed_class(kind, groups)
        if installed is None:
            raise UnknownName("type", kind, [*named, *installed_names(groups)])
        return installed
    own = own_class(kind) if module.partition(".")[0] == PACKAGE else None
    if own is None and module not in sys.modules:
        own = installed_class(kind)
    return own or loaded_class(module, qualname)


def installed_class(kind: str, groups: Sequence[str] = ()) -> type | None:
    """Return the dataclass of an entry point of an installed package, by the point's name or as its `module:Class`.

    groups: groups that may define the name. `module:Class` may be in any. Only an exact match is loaded.
    """
    for group in GROUPS if ":" in kind else groups:
        for name, entry in plugins.entries(group).items():
            if kind == entry.value or ":" not in kind and folded(kind) == folded(name):
                found = plugins.load(group, name)
                if found is not None and not (isinstance(found, type) and dataclasses.is_dataclass(found)):
                    raise InvalidValue("type", entry.value, "a dataclass")
                return found
    return None


def installed_names(groups: Sequence[str]) -> list[str]:
    """Return the names that installed packages add in groups of entry points."""
    return [name for group in groups for name in plugins.entries(group)]


def class_named(name: str, word: str, annotation: Any) -> type | None:
    """Return the class that a word selects for a field, by its short name or as `module:Class`.

    Return None if no short name matches; raise InvalidValue if the field cannot have a class of this kind.
    """
    choices = class_choices(annotation)
    known = {folded(name): cls for name, cls in choices.items()}
    if folded(word) in known:
        return known[folded(word)]
    try:
        if ":" in word:
            found: type | None = find_class(word, {}, {})
        else:
            preset = folded(word) in map(folded, presets_of(choices))
            found = None if preset else installed_class(word, groups_of(annotation))
    except InvalidValue as error:
        raise InvalidValue(name, word, error.allowed) from None
    if found is None:
        return None
    bases = bases_of(annotation)
    require(issubclass(found, bases), name, word, f"a {' or a '.join(sorted({c.__name__ for c in bases}))}")
    return found


def needed_types(name: str, annotation: Any, word: str) -> dict[str, Any]:
    """Return the types of the fields without a default, of the class that a word selects for a field."""
    chosen: Any = class_named(name, word, annotation)
    fields = () if chosen is None else dataclasses.fields(chosen)
    return {field.name: field_types(chosen)[field.name] for field in fields if required(field)}


def own_class(kind: str) -> type | None:
    """Return a class that one of this package's modules exports; modules are searched until it is found."""
    for room in sorted(ROOMS, key=lambda room: not kind.startswith(f"{PACKAGE}.{room}.")):  # the likely one first
        found = room_classes(room).get(kind)
        if found is not None:
            return found
        if kind in room_places(room):
            module, _, name = kind.partition(":")
            return getattr(import_module(module), name)
    return None


@cache
def room_classes(room: str) -> dict[str, type]:
    """Return the public dataclasses of a module and those of their fields, by `module:Class`."""
    module = import_module(f"{PACKAGE}.{room}")
    found: dict[str, type] = {}
    for name in module.__all__:
        collect(getattr(module, name), found)
    return found


def room_places(room: str) -> set[str]:
    """Return the `module:Class` entries of a module's registries, which are loaded on demand."""
    module = import_module(f"{PACKAGE}.{room}")
    registries = [shown for name in module.__all__ if isinstance(shown := getattr(module, name), dict)]
    return {entry for registry in registries for entry in registry.values() if isinstance(entry, str)}


def collect(cls: Any, found: dict[str, type]) -> None:
    """Add a dataclass and, by its annotations, every dataclass below it."""
    if not (isinstance(cls, type) and dataclasses.is_dataclass(cls)) or kind_of(cls) in found:
        return
    found[kind_of(cls)] = cls
    for annotation in field_types(cls).values():
        for below in classes_in(annotation):
            collect(below, found)


def classes_in(annotation: Any) -> Iterator[Any]:
    """Yield the classes that an annotation names, in unions and tuples, and the loaded subclasses of an abstract
    class.
    """
    for option in members(annotation):
        if typing.get_origin(option) is tuple:
            for item in typing.get_args(option):
                yield from classes_in(item)
        elif inspect.isabstract(option):
            yield from kinds_of(option)
        else:
            yield option


def loaded_class(module: str, qualname: str) -> type:
    """Return a dataclass of a loaded module: opened by name, or imported by the user's own program.

    A script that was recorded as `__main__` may be opened under its own name.
    """
    places = [module, *OPENED] if module == "__main__" else [module]
    found = next((cls for place in places if (cls := attribute_of(place, qualname)) is not None), None)
    if found is None and (module == "__main__" or module not in sys.modules):
        name = "NAME" if module == "__main__" else module
        allowed = f"of this package or of a module that you open: --module {name} (in Python: import {name})"
        raise InvalidValue("type", f"{module}:{qualname}", allowed)
    if not (isinstance(found, type) and dataclasses.is_dataclass(found)):
        raise InvalidValue("type", f"{module}:{qualname}", f"a dataclass of {module}")
    return found


def attribute_of(module: str, qualname: str) -> Any:
    """Return an attribute of a loaded module from its namespace; getattr could import more."""
    found: Any = sys.modules.get(module)
    for part in qualname.split("."):
        found = vars(found).get(part) if hasattr(found, "__dict__") else None
    return found
