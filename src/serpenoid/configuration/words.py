"""Field values from command-line words, and descriptions of accepted values."""

from __future__ import annotations

import math
import re
import typing
from typing import Any, Literal

from serpenoid.configuration.annotations import class_choices, field_types, folded, means_none, members
from serpenoid.errors import InvalidValue, MissingValue, within_field
from serpenoid.support.reading import decimal

MOST_DIGITS = 18  # digits of a whole number that fits into 64 bits


def parse(name: str, annotation: Any, words: list[str]) -> Any:
    """Return the value of command-line (or sweep) words for a field."""
    options = members(annotation)
    if not "".join(words):
        raise MissingValue(f"--{name}", describe_missing(annotation))
    if class_choices(annotation):
        return one(name, words, "one name")
    if typing.get_origin(annotation) is tuple and class_choices(typing.get_args(annotation)[0]):
        return parse_instances(name, typing.get_args(annotation)[0], words)
    if any(typing.get_origin(option) is tuple for option in options):
        refuse_empty_items(name, " ".join(words))
    for option in sorted(options, key=lambda o: o is str):
        try:
            return parse_as(name, option, words)
        except InvalidValue as error:
            if len(options) == 1:
                raise error from None
    raise InvalidValue(name, " ".join(words), describe(annotation))


def refuse_empty_items(name: str, text: str) -> None:
    """Raise InvalidValue for a list with an empty item before, after or between its commas."""
    if re.search(r"^\s*,|,\s*,|,\s*$", text):
        raise InvalidValue(name, text, "a list without empty items")


def parse_as(name: str, option: Any, words: list[str]) -> Any:
    """Parse words as one plain type."""
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
    if option is int and re.fullmatch(r"[+-]?[0-9]+", word):
        if len(word) > MOST_DIGITS:
            raise InvalidValue(name, word, f"a whole number of at most {MOST_DIGITS} digits")
        return int(word)
    if option is float:
        return number(name, word)
    if option is str:
        return word
    raise InvalidValue(name, word, describe(option))


def parse_tuple(name: str, option: Any, words: list[str]) -> tuple[Any, ...]:
    """Parse several words as a tuple, of fixed or any length."""
    args = typing.get_args(option)
    pieces = [piece for word in words for piece in word.split(",") if piece]  # 0.1, 0.2 are two words
    if len(args) == 2 and args[1] is Ellipsis:
        if typing.get_origin(args[0]) is tuple:  # one word each, as in 0,0.1 0.3,-0.2
            return tuple(parse(name, args[0], [word]) for word in words if words != ["none"])
        return tuple(parse(name, args[0], [piece]) for piece in pieces)
    if len(pieces) != len(args):
        raise InvalidValue(name, " ".join(words), describe(option))
    return tuple(parse(name, arg, [piece]) for arg, piece in zip(args, pieces))


def parse_instances(name: str, annotation: Any, words: list[str]) -> tuple[Any, ...]:
    """Parse dataclasses of numbers, one word each, as in disc:-1,0,0.2 (class, then numbers); `none` means none."""
    choices = {folded(choice): cls for choice, cls in class_choices(annotation).items()}
    found = []
    for word in words if words != ["none"] else ():
        kind, _, rest = word.partition(":")
        cls = choices.get(folded(kind))
        pieces = rest.split(",") if rest else []
        if cls is None or len(pieces) != len(number_names(cls)) or not all(pieces):
            raise InvalidValue(name, word, describe_instances(annotation))
        numbers = iter([number(name, piece) for piece in pieces])
        sizes = {field: len(typing.get_args(kind)) for field, kind in field_types(cls).items()}
        values: dict[str, Any] = {
            f: tuple(next(numbers) for _ in range(size)) if size else next(numbers) for f, size in sizes.items()
        }
        counts = [field for field, kind in field_types(cls).items() if kind is int and values[field].is_integer()]
        with within_field(name):
            found.append(cls(**values | {field: int(values[field]) for field in counts}))
    return tuple(found)


def number_names(cls: Any) -> list[str]:
    """Return a name for every number of a dataclass of numbers: center_x, center_y, radius."""
    names: list[str] = []
    for field, kind in field_types(cls).items():
        axes = "xyz"[: len(typing.get_args(kind))]
        names += [f"{field}_{axis}" for axis in axes] or [field]
    return names


def describe_instances(annotation: Any) -> str:
    """Describe how dataclasses of numbers are written in words; others are only named."""
    return " or ".join(
        f"{name}:{','.join(number_names(cls))}" if of_numbers(cls) else f"a {name}"
        for name, cls in class_choices(annotation).items()
    )


def of_numbers(cls: Any) -> bool:
    """Return whether a dataclass contains only numbers or tuples of numbers."""
    kinds = [typing.get_args(kind) or (kind,) for kind in field_types(cls).values()]
    return all(kind in (int, float) for options in kinds for kind in options)


def number(name: str, word: str) -> float:
    """Parse a float, with `pi` as an optional factor (0.5pi)."""
    text = word.strip().lower()
    factor = 1.0
    if text.endswith("pi") and text != "pi":
        text, factor = text[:-2].rstrip("* ") or "1", math.pi
    elif text == "pi":
        return math.pi
    try:
        return decimal(text) * factor
    except ValueError:
        raise InvalidValue(name, word, "a number") from None


def one(name: str, words: list[str], allowed: str) -> str:
    """Return the only word; raise InvalidValue for any other number of words."""
    if not words:
        raise MissingValue(f"--{name}", f"({allowed})")
    if len(words) != 1:
        raise InvalidValue(name, " ".join(words), allowed)
    return words[0]


def describe_missing(annotation: Any) -> str:
    """Return the description of a flag's missing value, in brackets; empty if any word is accepted."""
    kinds = [option for option in members(annotation) if option is not type(None)]
    return "" if kinds == [str] else f"({describe(annotation)})"


def describe(annotation: Any) -> str:
    """Describe the values that a field accepts."""
    choices = class_choices(annotation)
    if choices:
        return "one of " + ", ".join([*sorted(choices), *["none"] * means_none(annotation, "none")])
    names = {float: "a number", int: "a whole number", bool: "true or false", str: "text", type(None): "none"}
    parts = []
    for option in members(annotation):
        args = typing.get_args(option)
        if typing.get_origin(option) is Literal:
            parts.append("one of " + ", ".join(map(str, args)))
        elif typing.get_origin(option) is tuple and len(args) == 2 and args[1] is Ellipsis:
            each = describe_instances(args[0]) if class_choices(args[0]) else describe(args[0])
            each = each if typing.get_origin(args[0]) is not tuple else each.replace("values", "values with commas")
            parts.append(f"a list, each {each}")
        elif typing.get_origin(option) is tuple:
            kinds = f", each {describe(args[0])}" if len({*args}) == 1 else f": {'; '.join(map(describe, args))}"
            parts.append(f"{len(args)} values{kinds}")
        else:
            parts.append(names.get(option, getattr(option, "__name__", str(option))))
    return " or ".join(parts)
