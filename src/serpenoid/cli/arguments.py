"""Command-line words parsed into positionals and flags, and flags applied to fields of dataclasses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from math import pi
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from serpenoid import configuration
from serpenoid.cli.printing import number, say
from serpenoid.errors import InvalidValue, MissingValue, SerpenoidError, UnknownName
from serpenoid.robots.base import Robot

NUMBER = re.compile(r"-(\d|\.\d|inf|nan|pi)", re.IGNORECASE)
HELP = ("help", "h")
ROBOT_FILES = (".toml", ".xml", ".mjcf", ".urdf")

MODULE = (
    "  --module                           Python module to import: its scenarios in serpenoid.scenarios.SCENARIOS "
    "can run, files may name its classes, and --robot, --world, --gait and --controller accept MODULE:Class; "
    "may be repeated [default: none]"
)

Flags = list[tuple[str, list[str]]]
Options = TypeVar("Options")


class Arguments(NamedTuple):
    """Positionals and flags of a command line; each flag has its list of words."""

    positionals: list[str]
    flags: Flags

    @property
    def help(self) -> bool:
        """True if help was requested."""
        return any(name in HELP for name, _ in self.flags)

    def take(self, names: list[str]) -> tuple[Flags, Flags]:
        """Split the flags into those with the given names and the others."""
        mine = [flag for flag in self.flags if flag[0] in names]
        return mine, [flag for flag in self.flags if flag[0] not in names]


def split(words: list[str]) -> Arguments:
    """Split words at `--name`; `--name=value` equals `--name value`, and -3 is a value."""
    positionals: list[str] = []
    flags: Flags = []
    for word in words:
        if word.startswith("-") and not NUMBER.match(word) and word.strip("-"):
            name, equals, value = word.lstrip("-").partition("=")
            flags.append((name.replace("-", "_"), [value] if equals else []))
        elif flags and flags[-1][0] not in HELP:
            flags[-1][1].append(word)
        else:
            positionals.append(word)
    return Arguments(positionals, flags)


def read(words: list[str]) -> Arguments:
    """Parse a command line and import the modules that it names."""
    given = split(words)
    named, rest = given.take(["module"])
    for _, names in named:
        configuration.open_module(configuration.one("module", names, "one module name"))
    return Arguments(given.positionals, rest)


def read_options(words: list[str], title: str, options: Options) -> tuple[list[str], Options] | None:
    """Return positionals and options of a command without a scenario; print its help and return None if asked for."""
    given = read(words)
    if given.help:
        say(help_text(title, options))
        return None
    return given.positionals, applied(options, given.flags)


def two_paths(command: str, positionals: list[str], what: str) -> tuple[Path, Path]:
    """Return the source and the target of a command; `what` describes them for the error message."""
    if len(positionals) != 2:
        raise SerpenoidError(f"{command} takes two paths: {what}")
    return Path(positionals[0]), Path(positionals[1])


def only(positionals: list[str], what: str, names: Callable[[], Iterable[str]] = tuple) -> str:
    """Return the only positional (a scenario, paper or path); `names` lists the choices for the error message."""
    if not "".join(positionals):
        choices = ", ".join(names())
        raise SerpenoidError(f"missing {what}" + (f": choose from {choices}" if choices else ""))
    if len(positionals) > 1:
        raise SerpenoidError(f"one {what} at a time, not {' '.join(positionals)}")
    return positionals[0]


def named_scenario(given: Arguments) -> Any:
    """Return the named scenario with its default values."""
    from serpenoid.scenarios import find_scenario, scenario_names

    return find_scenario(only(given.positionals, "scenario", scenario_names))()


def scenario_help(command: str) -> str:
    """Return the end of a help text: the names of all scenarios."""
    from serpenoid.scenarios import scenario_names

    names = ", ".join(scenario_names())
    return f"\nNAME: {names}\nserpenoid {command} NAME --help also lists the fields of a scenario"


def applied(config: Any, flags: Flags, *beside: Any) -> Any:
    """Apply flags to the fields of a configuration; `beside` lists other configurations whose options an error may
    suggest."""
    flags = sorted(flags, key=lambda flag: flag[0].count("."))
    refuse_twice([name for name, _ in flags])
    for name, words in flags:
        annotation = annotation_of(config, name, flags, beside)
        if configuration.class_choices(annotation):
            chosen = {name: class_value(name, annotation, words)}
            try:
                config = configuration.changed(config, chosen | needed_values(name, annotation, chosen[name], flags))
            except UnknownName as error:
                raise known_elsewhere(type(config), error) from None
    changes = {}
    for name, words in flags:
        annotation = annotation_of(config, name, [], beside)  # all classes are known by now
        if not configuration.class_choices(annotation):
            changes[name] = value_of(config, name, annotation, words)
    try:
        return configuration.changed(config, changes)
    except InvalidValue as error:
        raise step_first(error, changes) from None


def value_of(config: Any, name: str, annotation: Any, words: list[str]) -> Any:
    """Parse the value of a flag; an error for a malformed number states the unit and the format."""
    try:
        return configuration.parse(name, annotation, words or [implied_value(config, name, annotation)])
    except InvalidValue as error:
        unit = unit_of(config, name)
        more = f" {unit}" * bool(unit) + ", such as 0.785 or 0.25pi" * (unit == "[rad]")
        allowed = error.allowed.replace("a list, each a number", "numbers separated by commas, without brackets")
        allowed = allowed.replace("a number", f"a number{more}", 1) if "a number" in allowed else f"{allowed} {unit}"
        raise InvalidValue(error.field, error.value, allowed.rstrip()) from None


def step_first(error: InvalidValue, changes: dict[str, Any]) -> InvalidValue:
    """Name the step in the error if a time is not a multiple of it and only the step was given."""
    if "a multiple of the step" not in error.allowed or "step" not in changes or error.field in changes:
        return error
    return InvalidValue(
        "step", changes["step"], f"a divisor of {error.field} = {number(error.value, 's')}; or set both"
    )


def known_elsewhere(scenario: type, error: UnknownName) -> SerpenoidError:
    """Return the error for a part that a scenario does not accept; name the scenarios that accept it."""
    from serpenoid.scenarios import SCENARIOS, Scenario, find_scenario, name_of_kind

    if not issubclass(scenario, Scenario):
        return error
    word = configuration.folded(str(error.name))
    others = [
        name for name in SCENARIOS if word in map(configuration.folded, part_names(find_scenario(name), error.kind))
    ]
    if not others:
        return error
    here = name_of_kind(configuration.kind_of(scenario))
    takes = " or ".join(
        [", ".join(part_names(scenario, error.kind)), *["a file of such a robot"] * (error.kind == "robot")]
    )
    return InvalidValue(error.kind, error.name, f"{takes} in {here}; {error.name} runs in: {', '.join(others)}")


def part_names(scenario: type, field: str) -> list[str]:
    """Return the names accepted for a field of a scenario."""
    choices = configuration.class_choices(configuration.field_types(scenario).get(field))
    return [*choices, *(preset for cls in choices.values() for preset in getattr(cls, "presets", dict)())]


def refuse_twice(names: list[str]) -> None:
    """Refuse an option that is given twice."""
    for name in names:
        if names.count(name) > 1:
            raise SerpenoidError(f"--{name} is given twice")


def needed_values(name: str, annotation: Any, chosen: Any, flags: Flags) -> dict[str, Any]:
    """Return the flag values for those fields of a chosen class that have no default."""
    types = configuration.needed_types(name, annotation, chosen) if isinstance(chosen, str) else {}
    below = {f"{name}.{field}": kind for field, kind in types.items()}
    return {flag: configuration.parse(flag, below[flag], words) for flag, words in flags if flag in below}


def implied_value(config: Any, name: str, annotation: Any) -> str:
    """Return the value of a flag without words: true for a Boolean, an error otherwise."""
    if bool in configuration.members(annotation):
        return "true"
    unit = unit_of(config, name) if {int, float} & {*configuration.members(annotation)} else ""
    raise MissingValue(f"--{name}", unit or configuration.describe_missing(annotation))


def unit_of(config: Any, name: str) -> str:
    """Return the unit of a field in brackets; empty if it has none."""
    owner, _, leaf = name.rpartition(".")
    unit = configuration.unit_of(type(configuration.get(config, owner) if owner else config), leaf)
    return f"[{unit}]" if unit else ""


def annotation_of(config: Any, name: str, flags: Flags, beside: tuple = ()) -> Any:
    """Return the annotation of a dotted field; Any for a field of a class that another flag selects."""
    owner_name, _, leaf = name.rpartition(".")
    try:
        owner = configuration.get(config, owner_name) if owner_name else config
        return configuration.field_types(type(owner))[leaf]
    except (KeyError, TypeError):
        if any(owner_name == other for other, _ in flags):
            return Any
        known = {f"--{field.name}": field.doc for part in (config, *beside) for field in configuration.walk(part)}
        raise UnknownName("option", f"--{name}", known) from None


def class_value(name: str, annotation: Any, words: list[str]) -> Any:
    """Return the word that selects one of several dataclasses, or the robot or controller loaded from a file."""
    word = configuration.one(name, words, configuration.describe(annotation))
    if ":" in word or not ("/" in word or Path(word).suffix):  # a name, or module:Class
        return word
    from serpenoid.control.base import Controller
    from serpenoid.control.files import read_controller
    from serpenoid.robots import load
    from serpenoid.robots.base import Robot

    choices = tuple(configuration.class_choices(annotation).values())
    if any(issubclass(choice, Controller) for choice in choices):
        return read_controller(word, annotation)
    if not any(issubclass(choice, Robot) for choice in choices):
        return word
    robot = load(word)
    refuse_others(name, annotation, robot, word)
    return robot


def refuse_others(name: str, annotation: Any, robot: Robot, file: str) -> None:
    """Refuse a robot file whose robot the field does not accept."""
    choices = tuple(configuration.class_choices(annotation).values())
    if choices and not isinstance(robot, choices):
        wanted = configuration.describe(annotation)
        raise InvalidValue(name, f"{robot.called} of {file}", f"{wanted}{other_runs(robot)}")


def other_runs(robot: Robot) -> str:
    """Return the type of a robot from an MJCF or URDF file and the scenarios that accept it, for an error message."""
    from serpenoid.robots import BodyTree, PlanarSnake

    if isinstance(robot, BodyTree):
        return "; this robot is a 3D tree of hinges; run undulate or slithering with it"
    if isinstance(robot, PlanarSnake):
        return "; this robot is a planar snake; run slither, undulate or slithering with it"
    return ""


def help_text(title: str, config: Any, extra: Any = None) -> str:
    """Return the help text: each field with its meaning, unit and default."""
    lines = [title, ""]
    for part in (extra, config):
        if part is None:
            continue
        for field in configuration.walk(part):
            lines.append(f"  --{field.name.ljust(31)}  {field.doc}{note_on(field)} [default: {default_of(field)}]")
    return "\n".join([*lines, MODULE])


def default_of(field: configuration.Field) -> str:
    """Return the default of a field as typed on the command line."""
    if field.default is not None and configuration.class_choices(field.annotation):
        return configuration.plain_name(type(field.default))
    return as_typed(field.default)


def as_typed(value: Any, digits: int = 6) -> str:
    """Format a value as typed on the command line: none, true, 1.4pi, 0.1 0.2."""
    if value is None or value == () or value == "":
        return "none"
    if isinstance(value, tuple):
        return " ".join(as_typed(part, digits) for part in value) if not any(map(is_nested, value)) else str(value)
    if isinstance(value, float) and value and float(f"{value / pi:.4g}") * pi == value:
        return "pi" if value == pi else f"{value / pi:.4g}pi"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def is_nested(value: Any) -> bool:
    """Return whether an element of a tuple is neither a number nor a string."""
    return not isinstance(value, int | float | str)


def note_on(field: configuration.Field) -> str:
    """Return the choices or limits of a field in parentheses; empty if any value is valid."""
    choices = configuration.describe(field.annotation)
    if choices.startswith("one of") or "true or false" in choices:
        return f" ({choices})"
    return f" ({field.range.words})" if field.range else ""
