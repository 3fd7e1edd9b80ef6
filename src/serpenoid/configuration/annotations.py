"""Annotations of dataclasses: types, meanings, and the classes that a field accepts."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import textwrap
import types
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

TYPES: dict[Any, dict[str, Any]] = {}  # field types of the dataclasses seen so far


def field_types(cls: Any) -> dict[str, Any]:
    """Return the resolved annotations of a dataclass's fields, without their ranges."""
    if cls not in TYPES:
        hints = typing.get_type_hints(cls)
        TYPES[cls] = {field.name: hints[field.name] for field in dataclasses.fields(cls) if field.init}
    return TYPES[cls]


@cache
def field_docs(cls: Any) -> dict[str, str]:
    """Return the docstring below each field of a dataclass, including inherited fields."""
    docs: dict[str, str] = {}
    base: Any
    for base in reversed(cls.__mro__):
        if not dataclasses.is_dataclass(base):
            continue
        try:
            source = inspect.getsource(base)  # type: ignore[arg-type]
            tree = ast.parse(textwrap.dedent(source))
        except (OSError, TypeError, SyntaxError):
            continue
        body = tree.body[0].body  # type: ignore[attr-defined]
        for node, following in zip(body, body[1:]):
            if (
                isinstance(node, ast.AnnAssign)
                and isinstance(node.target, ast.Name)
                and isinstance(following, ast.Expr)
                and isinstance(following.value, ast.Constant)
            ):
                docs[node.target.id] = " ".join(str(following.value.value).split())
    return docs


def unit_of(cls: Any, name: str) -> str:
    """Return the unit of a field from its docstring; empty without one."""
    return unit_in(field_docs(cls).get(name, ""))


def unit_in(doc: str) -> str:
    """Return the unit in the first brackets of a docstring; empty without one."""
    unit = re.search(r"\[([^\]]+)\]", doc)
    return unit.group(1) if unit and unit.group(1) != "-" else ""


def members(annotation: Any) -> tuple[Any, ...]:
    """Return the alternatives of a union, or the annotation alone."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return typing.get_args(annotation)
    return (annotation,)


def class_choices(annotation: Any) -> dict[str, type]:
    """Return the dataclasses that a field accepts, by plain name, including all subclasses of an abstract class."""
    found = named_classes(annotation)
    kinds = [kind for c in members(annotation) if inspect.isabstract(c) for kind in kinds_of(c)]
    return {**found, **{plain_name(c): c for c in sorted(kinds, key=plain_name)}} if kinds else found


@cache
def named_classes(annotation: Any) -> dict[str, type]:
    """Return the instantiable dataclasses that an annotation names itself, by plain name."""
    classes = (c for c in declared_classes(annotation) if not inspect.isabstract(c))
    return {plain_name(c): c for c in classes}


def declared_classes(annotation: Any) -> tuple[type, ...]:
    """Return the classes that an annotation names."""
    return tuple(
        c for c in members(annotation) if isinstance(c, type) and (dataclasses.is_dataclass(c) or inspect.isabstract(c))
    )


def bases_of(annotation: Any) -> tuple[type, ...]:
    """Return the classes of which a field's value must be a subclass; empty if any class is accepted.

    If a base of a named class has `plugs_in`, that base is returned: the user's own gait, law, robot or world is then
    accepted. `plugs_in` names the groups of entry points (support/plugins.py) by which installed packages add to it.
    """
    named = declared_classes(annotation)
    return tuple(next((base for base in c.__mro__ if "plugs_in" in vars(base)), c) for c in named)


def groups_of(annotation: Any) -> tuple[str, ...]:
    """Return the entry point groups (`plugs_in`) whose classes a field accepts."""
    return tuple(dict.fromkeys(group for base in bases_of(annotation) for group in getattr(base, "plugs_in", ())))


def fits(value: Any, annotation: Any) -> bool:
    """Return whether a value is one of the classes that an annotation names, or a user's own of the same kind."""
    own = type(value).__module__.partition(".")[0] == __name__.partition(".")[0]
    return isinstance(value, declared_classes(annotation) if own else bases_of(annotation))


def kinds_of(base: type) -> list[type]:
    """Return the loaded, instantiable dataclasses below an abstract class."""
    children: list[type] = base.__subclasses__()
    below = [kind for child in children for kind in (child, *kinds_of(child))]
    return [kind for kind in dict.fromkeys(below) if dataclasses.is_dataclass(kind) and not inspect.isabstract(kind)]


def presets_of(choices: Mapping[str, type]) -> dict[str, Callable[[], Any]]:
    """Return the configurations that classes provide (`presets`), by name."""
    return {name: make for cls in choices.values() for name, make in getattr(cls, "presets", dict)().items()}


def means_none(annotation: Any, word: Any) -> bool:
    """Return whether a word clears a field that may be a class or None."""
    return type(None) in members(annotation) and isinstance(word, str) and folded(word) == "none"


def plain_name(cls: type | str) -> str:
    """Return the name of a class in lower case: MovingFrameChain is moving_frame_chain."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls if isinstance(cls, str) else cls.__name__).lower()


def folded(name: str) -> str:
    """Return a name without case, underscores and hyphens."""
    return name.lower().replace("_", "").replace("-", "")


def required(field: dataclasses.Field[Any]) -> bool:
    """Return whether a dataclass field has no default."""
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
