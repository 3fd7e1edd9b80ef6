"""Dataclasses as configurations: fields by dotted name, from words, to and from plain data (JSON, TOML)."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import math
import re
import textwrap
import tomllib
import types
import typing
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from serpenoid.errors import FileProblem, InvalidValue, SerpenoidError, UnknownName
from serpenoid.upgrades import upgrade

SCHEMA = 1


class Field(NamedTuple):
    """One leaf of a configuration, as help and sweeps see it."""

    name: str  # dotted
    annotation: Any
    default: Any
    doc: str


def kind_of(value: Any) -> str:
    """Where a class lives, as `module:Class`."""
    cls = value if isinstance(value, type) else type(value)
    return f"{cls.__module__}:{cls.__qualname__}"


TYPES: dict[Any, dict[str, Any]] = {}  # field types of the dataclasses seen so far


def field_types(cls: Any) -> dict[str, Any]:
    """The resolved annotations of a dataclass's fields."""
    if cls not in TYPES:
        hints = typing.get_type_hints(cls)
        TYPES[cls] = {field.name: hints[field.name] for field in dataclasses.fields(cls) if field.init}
    return TYPES[cls]


@cache
def field_docs(cls: Any) -> dict[str, str]:
    """The string below each field of a dataclass, inherited ones included."""
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


def members(annotation: Any) -> tuple[Any, ...]:
    """The alternatives of a union, or the annotation alone."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return typing.get_args(annotation)
    return (annotation,)


@cache
def class_choices(annotation: Any) -> dict[str, type]:
    """The dataclasses that a field may hold, by plain name."""
    classes = (c for c in members(annotation) if isinstance(c, type) and dataclasses.is_dataclass(c))
    return {plain_name(c): c for c in classes}


def plain_name(cls: type) -> str:
    """A class's name in words: MovingFrameChain is moving_frame_chain."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()


def folded(name: str) -> str:
    """A name without regard to case, underscores and hyphens."""
    return name.lower().replace("_", "").replace("-", "")


def walk(config: Any, prefix: str = "") -> Iterator[Field]:
    """Every field that can be set on a configuration, depth first."""
    cls: Any = type(config)
    docs = field_docs(cls)
    for name, annotation in field_types(cls).items():
        value = getattr(config, name)
        nested = dataclasses.is_dataclass(value)
        if not nested or len(class_choices(annotation)) > 1:
            yield Field(prefix + name, annotation, value, docs.get(name, ""))
        if nested:
            yield from walk(value, f"{prefix}{name}.")


def get(config: Any, name: str) -> Any:
    """The value of a dotted field."""
    for part in name.split("."):
        if not dataclasses.is_dataclass(config) or part not in field_types(type(config)):
            raise UnknownName("field", name, [field.name for field in walk(config)] if config else [])
        config = getattr(config, part)
    return config


def changed(config: Any, changes: Mapping[str, Any]) -> Any:
    """A copy of a configuration with dotted fields set; all changes are applied before anything is validated."""
    check_names(config, changes)
    here: dict[str, Any] = {}
    below: dict[str, dict[str, Any]] = {}
    for name, value in changes.items():
        head, _, rest = name.partition(".")
        if rest:
            below.setdefault(head, {})[rest] = value
        else:
            here[head] = choose_class(config, head, value)
    for head, nested in below.items():
        owner = here.get(head, getattr(config, head))
        with within_field(head):
            here[head] = changed(owner, nested)
    return dataclasses.replace(config, **here)


def check_names(config: Any, changes: Mapping[str, Any]) -> None:
    """Refuse fields that the configuration does not have, naming those that it has."""
    for name in changes:
        head = name.partition(".")[0]
        known = dataclasses.is_dataclass(config) and head in field_types(type(config))
        if not known:
            raise UnknownName("field", name, [field.name for field in walk(config)])


def choose_class(config: Any, name: str, value: Any) -> Any:
    """A plain word for a field that holds one of several dataclasses becomes that dataclass, with its defaults."""
    choices = class_choices(field_types(type(config))[name])
    if not (choices and isinstance(value, str)):
        return value
    by_name = {folded(choice): cls for choice, cls in choices.items()}
    if folded(value) not in by_name:
        raise UnknownName(name, value, choices)
    chosen = by_name[folded(value)]
    current = getattr(config, name)
    if type(current) is chosen:
        return current
    if any(required(field) for field in dataclasses.fields(chosen)):
        raise InvalidValue(name, value, f"read from a file: {chosen.__name__} has no default")
    return chosen()


class within_field:
    """Prefix the field of an InvalidValue or UnknownName raised inside with the name of its owner."""

    def __init__(self, owner: str):
        self.owner = owner

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, InvalidValue):
            raise error.within(self.owner) from None
        if isinstance(error, UnknownName) and error.kind == "field":
            raise UnknownName(
                "field", f"{self.owner}.{error.name}", [f"{self.owner}.{c}" for c in error.choices]
            ) from None


def parse(name: str, annotation: Any, words: list[str]) -> Any:
    """The value that words on a command line (or in a sweep) mean for a field."""
    options = members(annotation)
    if class_choices(annotation):
        return one(name, words, "one name")
    if typing.get_origin(annotation) is tuple and class_choices(typing.get_args(annotation)[0]):
        return parse_instances(name, typing.get_args(annotation)[0], words)
    failure: InvalidValue | None = None
    for option in sorted(options, key=lambda o: o is str):
        try:
            return parse_as(name, option, words)
        except InvalidValue as error:
            failure = failure or error
    if failure is None:
        raise InvalidValue(name, " ".join(words), describe(annotation))
    raise InvalidValue(name, " ".join(words), describe(annotation)) from None


def parse_as(name: str, option: Any, words: list[str]) -> Any:
    """The value of words as one plain type."""
    origin = typing.get_origin(option)
    if origin is tuple:
        return parse_tuple(name, option, words)
    word = one(name, words, describe(option))
    if origin is Literal:
        matches = [choice for choice in typing.get_args(option) if str(choice) == word]
        if not matches:
            raise InvalidValue(name, word, describe(option))
        return matches[0]
    if option is type(None) and word.lower() in ("none", "auto"):
        return None
    if option is bool and word.lower() in ("true", "false"):
        return word.lower() == "true"
    if option is int and re.fullmatch(r"[+-]?\d{1,18}", word):
        return int(word)
    if option is float:
        return number(name, word)
    if option is str:
        return word
    raise InvalidValue(name, word, describe(option))


def parse_tuple(name: str, option: Any, words: list[str]) -> tuple[Any, ...]:
    """Several words as a tuple, of fixed or any length."""
    args = typing.get_args(option)
    pieces = [piece for word in words for piece in word.split(",") if piece]
    if len(args) == 2 and args[1] is Ellipsis:
        return tuple(parse(name, args[0], [piece]) for piece in pieces)
    if len(pieces) != len(args):
        raise InvalidValue(name, " ".join(words), describe(option))
    return tuple(parse(name, arg, [piece]) for arg, piece in zip(args, pieces))


def parse_instances(name: str, annotation: Any, words: list[str]) -> tuple[Any, ...]:
    """Dataclasses of numbers, a word each: the class, then its numbers, as in disc:-1,0,0.2; the word none for none."""
    choices = {folded(choice): cls for choice, cls in class_choices(annotation).items()}
    found = []
    for word in words if words != ["none"] else ():
        kind, _, rest = word.partition(":")
        cls = choices.get(folded(kind))
        pieces = [piece for piece in rest.split(",") if piece]
        if cls is None or len(pieces) != len(number_names(cls)):
            raise InvalidValue(name, word, describe_instances(annotation))
        numbers = iter([number(name, piece) for piece in pieces])
        sizes = {field: len(typing.get_args(kind)) for field, kind in field_types(cls).items()}
        values = {f: tuple(next(numbers) for _ in range(size)) if size else next(numbers) for f, size in sizes.items()}
        with within_field(name):
            found.append(cls(**values))
    return tuple(found)


def number_names(cls: Any) -> list[str]:
    """A name for every number that a dataclass of numbers takes: center_x, center_y, radius."""
    names: list[str] = []
    for field, kind in field_types(cls).items():
        axes = "xyz"[: len(typing.get_args(kind))]
        names += [f"{field}_{axis}" for axis in axes] or [field]
    return names


def describe_instances(annotation: Any) -> str:
    """How dataclasses of numbers are written in words."""
    return " or ".join(f"{name}:{','.join(number_names(cls))}" for name, cls in class_choices(annotation).items())


def number(name: str, word: str) -> float:
    """A float, with `pi` as a factor where wanted (0.5pi)."""
    text = word.strip().lower()
    factor = 1.0
    if text.endswith("pi") and text != "pi":
        text, factor = text[:-2].rstrip("* ") or "1", math.pi
    elif text == "pi":
        return math.pi
    try:
        return float(text) * factor
    except ValueError:
        raise InvalidValue(name, word, "a number") from None


def one(name: str, words: list[str], allowed: str) -> str:
    """The only word there is."""
    if len(words) != 1:
        raise InvalidValue(name, " ".join(words), allowed)
    return words[0]


def describe(annotation: Any) -> str:
    """What a field takes, in plain words."""
    choices = class_choices(annotation)
    if choices:
        return "one of " + ", ".join(sorted(choices))
    names = {float: "a number", int: "a whole number", bool: "true or false", str: "text", type(None): "none"}
    parts = []
    for option in members(annotation):
        args = typing.get_args(option)
        if typing.get_origin(option) is Literal:
            parts.append("one of " + ", ".join(map(str, args)))
        elif typing.get_origin(option) is tuple and len(args) == 2 and args[1] is Ellipsis:
            each = describe_instances(args[0]) if class_choices(args[0]) else describe(args[0])
            parts.append(f"a list, each {each}")
        elif typing.get_origin(option) is tuple:
            parts.append(f"{len(args)} values, each {describe(args[0])}")
        else:
            parts.append(names.get(option, getattr(option, "__name__", str(option))))
    return " or ".join(parts)


def to_plain(value: Any) -> Any:
    """A configuration as dicts, lists, strings and numbers; every dataclass carries its `type`."""
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
    """The value that plain data means for an annotation; `known` maps short class names to classes."""
    if isinstance(data, Mapping):
        return dataclass_from_plain(data, annotation, name, known or {})
    if isinstance(data, str) and class_choices(annotation):
        return dataclass_from_plain({"type": data}, annotation, name, known or {})
    failures = []
    for option in members(annotation):
        try:
            return plain_as(data, option, name, known)
        except InvalidValue as error:
            failures.append(error)
    raise failures[0] if len(failures) == 1 else InvalidValue(name, data, describe(annotation))


def plain_as(data: Any, option: Any, name: str, known: Mapping[str, type] | None) -> Any:
    """Plain data as one plain type, strictly, except that a whole number may stand for a float."""
    if option is Any or (option is type(None) and data is None):
        return data
    origin, args = typing.get_origin(option), typing.get_args(option)
    if origin is tuple and isinstance(data, list | tuple):
        each = args[:1] * len(data) if len(args) == 2 and args[1] is Ellipsis else args
        if len(each) == len(data):
            return tuple(from_plain(item, a, f"{name}[{i}]", known) for i, (item, a) in enumerate(zip(data, each)))
    if origin is Literal and data in args:
        return data
    if option is float and isinstance(data, int | float) and not isinstance(data, bool):
        return float(data)
    if option in (int, str, bool) and type(data) is option:
        return data
    raise InvalidValue(name, data, describe(option))


def dataclass_from_plain(data: Mapping[str, Any], annotation: Any, name: str, known: Mapping[str, type]) -> Any:
    """A dataclass from a mapping of its fields, with `type` naming the class where there is a choice."""
    choices = class_choices(annotation)
    cls = find_class(data["type"], choices, known) if "type" in data else next(iter(choices.values()), None)
    if cls is None:
        raise InvalidValue(name or "type", data, "a table with a type")
    hints = field_types(cls)
    for key in data:
        if key not in hints and key not in ("type", "schema"):
            raise UnknownName("field", f"{name}.{key}".lstrip("."), hints)
    prefix = f"{name}." if name else ""
    values = {k: from_plain(v, hints[k], prefix + k, known) for k, v in data.items() if k in hints}
    missing = [f.name for f in dataclasses.fields(cls) if f.name in hints and f.name not in values and required(f)]
    if missing:
        raise InvalidValue(prefix + missing[0], None, "given")
    if not name:
        return cls(**values)
    with within_field(name):
        return cls(**values)


def required(field: dataclasses.Field[Any]) -> bool:
    """Whether a dataclass field has no default."""
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def find_class(kind: str, choices: Mapping[str, type], known: Mapping[str, type]) -> type:
    """The dataclass of a `type` entry: a short name, or `module:Class` of anything importable."""
    if not isinstance(kind, str):
        raise InvalidValue("type", kind, "the name of a class")
    named = {**known, **choices}
    by_name = {folded(name): cls for name, cls in named.items()}
    if folded(kind) in by_name:
        return by_name[folded(kind)]
    module, _, qualname = kind.partition(":")
    if not qualname:
        raise UnknownName("type", kind, named)
    try:
        found: Any = import_module(module)
        for part in qualname.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):
        raise InvalidValue("type", kind, "a class of an importable module") from None
    if not (isinstance(found, type) and dataclasses.is_dataclass(found)):
        raise InvalidValue("type", kind, "a dataclass")
    return found


def repeatable(value: Any) -> bool:
    """Whether a value is a dataclass (or plain) that can be found again by its module and name."""
    try:
        plain = to_plain(value)
        return from_plain(plain, type(value)) is not None
    except Exception:
        return False


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file of a schema that this release reads, without its schema entry."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileProblem(path, "no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileProblem(path, f"cannot be read ({error})") from None
    except tomllib.TOMLDecodeError as error:
        raise FileProblem(path, f"is no valid TOML ({error})") from None
    schema = data.pop("schema", None)
    if type(schema) is not int or not 1 <= schema <= SCHEMA:
        raise FileProblem(path, f"has schema = {schema}; this release reads schema = {SCHEMA}")
    return upgrade(data)
