"""Errors in one line: the field, the value and the permitted range."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from math import isfinite
from numbers import Integral
from typing import Any

MOST_NAMED, FEW = 24, 8  # most choices in a line; of more, the first few
SAME = (  # synonyms, as used for fields by other programs and papers
    "diameter radius bore width thickness", "mass weight", "friction mu", "angle slope incline inclination tilt pitch",
    "heading direction yaw turn bend", "speed velocity rate", "frequency freq hz omega rate", "length size long extent",
    "duration time seconds until t_end", "step dt timestep", "links modules bodies segments joints count number n",
    "amplitude amp alpha", "phase shift offset lag beta", "stiffness kp gain spring p", "damping kd d",
    "torque effort limit max", "seed random", "gravity g", "obstacles pegs posts places", "goal target destination",
    "spatial waves wavelength wavenumber", "density rho", "height level depth", "sample period interval rate",
)  # fmt: skip
LONGEST_PROBLEM = 1000  # letters of a message: readers of other packages quote whole values of a file
LARGEST = 1e50  # beyond it the squares and products of a model overflow


class SerpenoidError(Exception):
    """Base of every error that a user can cause or must know."""


class InvalidValue(SerpenoidError, ValueError):
    """A field has a value outside its permitted range."""

    def __init__(self, field: str, value: Any, allowed: str):
        self.field, self.value, self.allowed = field, value, allowed
        super().__init__(f"{field} = {short(value)}: must be {allowed}")

    def within(self, owner: str) -> InvalidValue:
        """Return the same error with its field prefixed by its owner."""
        return InvalidValue(f"{owner}.{self.field}", self.value, self.allowed)


class MissingValue(SerpenoidError):
    """A required value was not given."""

    def __init__(self, name: str, what: str):
        super().__init__(f"{name} needs a value {what}".rstrip())


class UnknownName(SerpenoidError, KeyError):
    """A name that is not in its registry."""

    def __init__(self, kind: str, name: Any, choices: Iterable[str]):
        self.kind, self.name, self.choices = kind, name, sorted(choices)
        meanings = choices if isinstance(choices, Mapping) else {}
        close = close_names(str(name).lower(), self.choices, meanings)
        hint = f" (did you mean {close[0]}?)" if close else ""
        choice = f"choose from {list_choices(self.choices, close or beside(str(name), self.choices))}"
        choice = choice if self.choices else "none available"
        self.message = f"unknown {kind} {short(name)}{hint}: {choice}"
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message


def close_names(name: str, choices: list[str], meanings: Mapping[str, Any]) -> list[str]:
    """Return likely intended names: for dotted names a sibling field, the same field elsewhere, or a similar name.

    meanings: an optional docstring per choice. A field may be requested by a word of its docstring.
    """
    if not any("." in choice for choice in choices):
        return get_close_matches(name, choices, n=FEW)
    leaf = leaf_of(name)
    group = {leaf_of(choice): choice for choice in beside(name, choices)}
    near = [group[other] for other in get_close_matches(leaf, group, n=FEW)]
    same = [choice for choice in choices if leaf_of(choice) == leaf and choice not in near]
    alike = [choice for other, choice in group.items() if same_meaning(leaf, other)]
    described = [choice for choice in group.values() if leaf in str(meanings.get(choice, "")).lower().split()]
    found = list(dict.fromkeys([*near, *same, *sorted(alike, key=len), *described]))
    return found or ([] if group else get_close_matches(name, choices, n=FEW))


def same_meaning(name: str, other: str) -> bool:
    """Return whether two field names contain synonyms: diameter and other_radius."""
    words, others = set(name.split("_")), set(other.split("_"))
    return any(words & group and others & group for group in map(set, map(str.split, SAME)))


def beside(name: str, choices: list[str]) -> list[str]:
    """Return the choices of the same owner: all that begin with --world. for --world.radius."""
    owner = name.rpartition(".")[0]
    return [choice for choice in choices if choice.rpartition(".")[0] == owner]


def leaf_of(name: str) -> str:
    """Return the field itself: radius of --world.radius."""
    return name.rpartition(".")[2].lstrip("-")


def list_choices(choices: list[str], close: list[str]) -> str:
    """Return the choices as one line; if there are many, a few of the closest ones, or else the first."""
    if len(choices) <= MOST_NAMED:
        return ", ".join(choices)
    shown = (close or choices)[:FEW]
    return f"{', '.join(shown)} and {len(choices) - len(shown)} others"


class FileProblem(SerpenoidError):
    """A file or folder that cannot be read, written or parsed."""

    def __init__(self, path: Any, problem: str):
        self.path, self.problem = str(path), printable(problem[:LONGEST_PROBLEM])
        super().__init__(f"{printable(self.path)}: {self.problem}")


class Unsupported(SerpenoidError):
    """A valid combination that is not supported."""


class SimulationDiverged(SerpenoidError):
    """The state became non-finite; `trajectory` has the results so far."""

    def __init__(self, time: float, state: Any, trajectory: Any = None):
        self.time, self.state, self.trajectory = time, state, trajectory
        super().__init__(f"the simulation diverged at t = {time:.6g} s: try a smaller step or softer drives")


class HardwareFault(SerpenoidError):
    """A run on modules that ended in a hold; `trajectory` has the recording so far."""

    def __init__(self, time: float, reason: str, trajectory: Any = None):
        self.time, self.reason, self.trajectory = time, reason, trajectory
        super().__init__(f"held at t = {time:.4g} s: {reason}")


class HardwareStopped(HardwareFault):
    """A run on modules that was stopped softly before its end."""


def short(value: Any, limit: int = 80) -> str:
    """Return the value on one line of at most `limit` characters."""
    text = " ".join(repr(value).split())
    return text if len(text) <= limit else text[: limit - 3] + "..."


def printable(text: str) -> str:
    """Escape characters that would break the line or control a terminal: line ends, control characters, surrogates."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def require(condition: bool, field: str, value: Any, allowed: str) -> None:
    """Raise InvalidValue unless the condition holds."""
    if not condition:
        raise InvalidValue(field, value, allowed)


def positive(field: str, value: Any) -> float:
    """Return the value as a float, finite and above zero."""
    number = finite(field, value)
    require(number > 0.0, field, value, "above 0")
    return number


def finite(field: str, value: Any) -> float:
    """Return the value as a finite float."""
    require(not isinstance(value, str | bytes), field, value, "a number")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InvalidValue(field, value, "a number") from None
    except OverflowError:  # a whole number with more than 308 digits
        raise InvalidValue(field, value, f"at most {LARGEST:g} in size") from None
    if -LARGEST <= number <= LARGEST:  # a fast path for sweeps of a million cells
        return number
    require(isfinite(number), field, value, "a finite number")
    raise InvalidValue(field, value, f"at most {LARGEST:g} in size")


def whole_number(field: str, value: Any, least: int = 1, most: int = 100_000) -> int:
    """Return the value as an int between two limits."""
    number = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else least - 1
    require(least <= number <= most, field, value, f"a whole number from {least} to {most}")
    return number


def instance(field: str, value: Any, kind: type, allowed: str) -> None:
    """Raise InvalidValue unless a value is an instance of a class."""
    require(isinstance(value, kind), field, value, allowed)


class within_field:
    """A context that prefixes the field of an InvalidValue or UnknownName with its owner."""

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
