"""What can go wrong, said in one line: the field, the value and what is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from math import isfinite
from numbers import Integral
from typing import Any

MOST_NAMED, FEW = 24, 8  # choices that a line names; of more, the first few
SAME = (  # words for the same thing, as fields of other programs and papers have them
    "diameter radius bore width thickness", "mass weight", "friction mu", "angle slope incline inclination tilt pitch",
    "heading direction yaw turn bend", "speed velocity rate", "frequency freq hz omega rate", "length size long extent",
    "duration time seconds until t_end", "step dt timestep", "links modules bodies segments joints count number n",
    "amplitude amp alpha", "phase shift offset lag beta", "stiffness kp gain spring p", "damping kd d",
    "torque effort limit max", "seed random", "gravity g", "obstacles pegs posts places", "goal target destination",
    "spatial waves wavelength wavenumber", "density rho", "height level depth", "sample period interval rate",
)  # fmt: skip
LARGEST = 1e50  # beyond it the squares and products of a model overflow


class SerpenoidError(Exception):
    """Base of every error that a user can cause or must know of."""


class InvalidValue(SerpenoidError, ValueError):
    """A field holds a value that it must not hold."""

    def __init__(self, field: str, value: Any, allowed: str):
        self.field, self.value, self.allowed = field, value, allowed
        super().__init__(f"{field} = {short(value)}: must be {allowed}")

    def within(self, owner: str) -> InvalidValue:
        """The same error, its field named from one level further out."""
        return InvalidValue(f"{owner}.{self.field}", self.value, self.allowed)


class MissingValue(SerpenoidError):
    """Something that must be given and was not."""

    def __init__(self, name: str, what: str):
        super().__init__(f"{name} needs a value {what}".rstrip())


class UnknownName(SerpenoidError, KeyError):
    """A name that is not in the registry it was looked up in."""

    def __init__(self, kind: str, name: Any, choices: Iterable[str]):
        self.kind, self.name, self.choices = kind, name, sorted(choices)
        meanings = choices if isinstance(choices, Mapping) else {}
        close = close_names(str(name).lower(), self.choices, meanings)
        hint = f" (did you mean {close[0]}?)" if close else ""
        choice = f"choose from {listed(self.choices, close or beside(str(name), self.choices))}"
        choice = choice if self.choices else "there is none here"
        self.message = f"unknown {kind} {short(name)}{hint}: {choice}"
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message


def close_names(name: str, choices: list[str], meanings: Mapping[str, Any]) -> list[str]:
    """What may have been meant: of dotted names a field beside it, the same field elsewhere, or what looks like it.

    meanings: a docstring for each choice, if there are any; a field may be asked for by a word of its docstring.
    """
    if not any("." in choice for choice in choices):
        return get_close_matches(name, choices, n=FEW)
    leaf = leaf_of(name)
    group = {leaf_of(choice): choice for choice in beside(name, choices)}
    near = [group[other] for other in get_close_matches(leaf, group, n=FEW)]
    same = [choice for choice in choices if leaf_of(choice) == leaf and choice not in near]
    alike = [choice for other, choice in group.items() if same_meaning(leaf, other)]
    told = [choice for choice in group.values() if leaf in str(meanings.get(choice, "")).lower().split()]
    found = list(dict.fromkeys([*near, *same, *sorted(alike, key=len), *told]))
    return found or ([] if group else get_close_matches(name, choices, n=FEW))


def same_meaning(name: str, other: str) -> bool:
    """Whether two fields have words that stand for the same thing: diameter and other_radius."""
    words, others = set(name.split("_")), set(other.split("_"))
    return any(words & group and others & group for group in map(set, map(str.split, SAME)))


def beside(name: str, choices: list[str]) -> list[str]:
    """The choices of the same owner: all that begin with --world. for --world.radius."""
    owner = name.rpartition(".")[0]
    return [choice for choice in choices if choice.rpartition(".")[0] == owner]


def leaf_of(name: str) -> str:
    """The field itself: radius of --world.radius."""
    return name.rpartition(".")[2].lstrip("-")


def listed(choices: list[str], close: list[str]) -> str:
    """The choices on a line; of many a few of the closest ones, or or the first."""
    if len(choices) <= MOST_NAMED:
        return ", ".join(choices)
    shown = (close or choices)[:FEW]
    return f"{', '.join(shown)} and {len(choices) - len(shown)} others"


class FileProblem(SerpenoidError):
    """A file or folder that cannot be read, written or understood."""

    def __init__(self, path: Any, problem: str):
        self.path, self.problem = str(path), printable(problem)
        super().__init__(f"{printable(self.path)}: {self.problem}")


class Unsupported(SerpenoidError):
    """A combination that is sound but that nothing here can carry out."""


class SimulationDiverged(SerpenoidError):
    """The state left the finite numbers; what was computed until then is in `trajectory`."""

    def __init__(self, time: float, state: Any, trajectory: Any = None):
        self.time, self.state, self.trajectory = time, state, trajectory
        super().__init__(
            f"the simulation diverged at t = {time:.6g} s: it blew up; try a smaller step or softer drives"
        )


class HardwareFault(SerpenoidError):
    """A run on modules that had to be held; what was recorded until then is in `trajectory`."""

    def __init__(self, time: float, reason: str, trajectory: Any = None):
        self.time, self.reason, self.trajectory = time, reason, trajectory
        super().__init__(f"held at t = {time:.4g} s: {reason}")


class HardwareStopped(HardwareFault):
    """A run on modules that was stopped softly before its end."""


def short(value: Any, limit: int = 80) -> str:
    """The value on one line of at most `limit` characters."""
    text = " ".join(repr(value).split())
    return text if len(text) <= limit else text[: limit - 3] + "..."


def printable(text: str) -> str:
    """Escape what would break the line or command a terminal: line ends, control characters, half characters."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def require(condition: bool, field: str, value: Any, allowed: str) -> None:
    """Raise InvalidValue unless the condition holds."""
    if not condition:
        raise InvalidValue(field, value, allowed)


def positive(field: str, value: Any) -> float:
    """The value as a float, finite and above zero."""
    number = finite(field, value)
    require(number > 0.0, field, value, "above 0")
    return number


def finite(field: str, value: Any) -> float:
    """The value as a finite float."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InvalidValue(field, value, "a number") from None
    except OverflowError:  # a whole number with more than 308 digits
        raise InvalidValue(field, value, f"at most {LARGEST:g} in size") from None
    if -LARGEST <= number <= LARGEST:  # a million cells of a sweep pass here
        return number
    require(isfinite(number), field, value, "a finite number")
    raise InvalidValue(field, value, f"at most {LARGEST:g} in size")


def whole_number(field: str, value: Any, least: int = 1, most: int = 100_000) -> int:
    """The value as an int between two limits."""
    number = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else least - 1
    require(least <= number <= most, field, value, f"a whole number from {least} to {most}")
    return number


def instance(field: str, value: Any, kind: type, allowed: str) -> None:
    """Refuse what is not of a class."""
    require(isinstance(value, kind), field, value, allowed)


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
