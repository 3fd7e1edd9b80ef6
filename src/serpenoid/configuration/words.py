"""Values of fields from words, as a command line or a sweep has them, and what a field takes in words."""

from __future__ import annotations

import math
import re
import typing
from typing import Any, Literal

from serpenoid.configuration.annotations import class_choices, members
from serpenoid.errors import InvalidValue


def parse(name: str, annotation: Any, words: list[str]) -> Any:
    """The value that words on a command line (or in a sweep) mean for a field."""
    options = members(annotation)
    if class_choices(annotation):
        return one(name, words, "one name")
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
            parts.append(f"a list, each {describe(args[0])}")
        elif typing.get_origin(option) is tuple:
            parts.append(f"{len(args)} values, each {describe(args[0])}")
        else:
            parts.append(names.get(option, getattr(option, "__name__", str(option))))
    return " or ".join(parts)
