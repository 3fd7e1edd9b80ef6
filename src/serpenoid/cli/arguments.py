"""Words of a command line as positionals and flags, and flags as fields of dataclasses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from math import pi
from pathlib import Path
from typing import Any, NamedTuple

from serpenoid import configuration
from serpenoid.cli.printing import number
from serpenoid.errors import InvalidValue, MissingValue, SerpenoidError, UnknownName
from serpenoid.robots.base import Robot

NUMBER = re.compile(r"-(\d|\.\d|inf|nan|pi)", re.IGNORECASE)
HELP = ("help", "h")
ROBOT_FILES = (".toml", ".xml", ".mjcf", ".urdf")

MODULE = (
    "  --module                           a module of your own to import: scenarios that it adds to "
    "serpenoid.scenarios.SCENARIOS can run, files may name its classes, and --robot, --world, --gait and --controller "
    "take MODULE:Class; may be repeated [default: none]"
)

Flags = list[tuple[str, list[str]]]


class Arguments(NamedTuple):
    """What stands on a command line: positionals first, then flags with their words."""

    positionals: list[str]
    flags: Flags

    @property
    def help(self) -> bool:
        """Whether help was asked for."""
        return any(name in HELP for name, _ in self.flags)

    def take(self, names: list[str]) -> tuple[Flags, Flags]:
        """The flags of these names, and the others."""
        mine = [flag for flag in self.flags if flag[0] in names]
        return mine, [flag for flag in self.flags if flag[0] not in names]


def split(words: list[str]) -> Arguments:
    """Cut words at `--name`; `--name=value` and `--name value` are the same, -3 is a value."""
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
    """What stands on a command line; modules that it names are opened."""
    given = split(words)
    named, rest = given.take(["module"])
    for _, names in named:
        configuration.open_module(configuration.one("module", names, "one name of a module"))
    return Arguments(given.positionals, rest)


def only(arguments: Arguments, what: str, names: Callable[[], Iterable[str]] = tuple) -> str:
    """The one positional that a command takes: a scenario, a paper, a path. `names` lists the choices for an error."""
    if not "".join(arguments.positionals):
        choices = ", ".join(names())
        raise SerpenoidError(f"which {what}?" + (f" choose from {choices}" if choices else ""))
    if len(arguments.positionals) > 1:
        raise SerpenoidError(f"one {what} at a time, not {' '.join(arguments.positionals)}")
    return arguments.positionals[0]


def named_scenario(given: Arguments) -> Any:
    """The scenario that a command line names, with its defaults."""
    from serpenoid.scenarios import find_scenario, scenario_names

    return find_scenario(only(given, "scenario", scenario_names))()


def scenario_help(command: str) -> str:
    """The end of the help of a command that takes a scenario: their names."""
    from serpenoid.scenarios import scenario_names

    names = ", ".join(scenario_names())
    return f"\nNAME: {names}\nserpenoid {command} NAME --help lists the fields of a scenario as well"


def applied(config: Any, flags: Flags, *beside: Any) -> Any:
    """A configuration with flags as changes to its fields; a name that it does not know may be meant for one beside."""
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
        annotation = annotation_of(config, name, [], beside)  # all classes are chosen by now
        if not configuration.class_choices(annotation):
            changes[name] = value_of(config, name, annotation, words)
    try:
        return configuration.changed(config, changes)
    except InvalidValue as error:
        raise step_first(error, changes) from None


def value_of(config: Any, name: str, annotation: Any, words: list[str]) -> Any:
    """The value of a flag; one that is no number is refused with the unit and the form of what is wanted."""
    try:
        return configuration.parse(name, annotation, words or [switched_on(config, name, annotation)])
    except InvalidValue as error:
        unit = unit_of(config, name)
        more = f" {unit}" * bool(unit) + ", such as 0.785 or 0.25pi" * (unit == "[rad]")
        allowed = error.allowed.replace("a list, each a number", "numbers with commas between, without brackets")
        allowed = allowed.replace("a number", f"a number{more}", 1) if allowed.startswith("a number") else allowed
        raise InvalidValue(error.field, error.value, allowed) from None


def step_first(error: InvalidValue, changes: dict[str, Any]) -> InvalidValue:
    """The error of a time that is no multiple of the step, in the name of the step where only that was given."""
    if "a multiple of the step" not in error.allowed or "step" not in changes or error.field in changes:
        return error
    return InvalidValue(
        "step", changes["step"], f"a divisor of {error.field} = {number(error.value, 's')}; or set both"
    )


def known_elsewhere(scenario: type, error: UnknownName) -> SerpenoidError:
    """The error of a robot, world, gait or controller that a scenario does not take: where it runs, if anywhere."""
    from serpenoid.scenarios import SCENARIOS, Scenario, find_scenario, name_of_kind

    if not issubclass(scenario, Scenario):
        return error
    word = configuration.folded(str(error.name))
    others = [name for name in SCENARIOS if word in map(configuration.folded, named(find_scenario(name), error.kind))]
    if not others:
        return error
    here = name_of_kind(configuration.kind_of(scenario))
    takes = " or ".join([", ".join(named(scenario, error.kind)), *["a file of one"] * (error.kind == "robot")])
    return SerpenoidError(f"{here} takes {takes}; {error.name} runs in: {', '.join(others)}")


def named(scenario: type, field: str) -> list[str]:
    """The words that choose what stands in a field of a scenario."""
    choices = configuration.class_choices(configuration.field_types(scenario).get(field))
    return [*choices, *(preset for cls in choices.values() for preset in getattr(cls, "presets", dict)())]


def refuse_twice(names: list[str]) -> None:
    """Refuse an option that is given again: one of the two would be lost."""
    for name in names:
        if names.count(name) > 1:
            raise SerpenoidError(f"--{name} is given twice")


def needed_values(name: str, annotation: Any, chosen: Any, flags: Flags) -> dict[str, Any]:
    """What other flags give of the fields that a class, chosen by its name, has no default for."""
    types = configuration.needed_types(name, annotation, chosen) if isinstance(chosen, str) else {}
    below = {f"{name}.{field}": kind for field, kind in types.items()}
    return {flag: configuration.parse(flag, below[flag], words) for flag, words in flags if flag in below}


def switched_on(config: Any, name: str, annotation: Any) -> str:
    """The word of a flag that stands alone: true for a yes or no; any other needs a value."""
    if bool in configuration.members(annotation):
        return "true"
    unit = unit_of(config, name) if {int, float} & {*configuration.members(annotation)} else ""
    raise MissingValue(f"--{name}", unit or configuration.wanted(annotation))


def unit_of(config: Any, name: str) -> str:
    """The unit of a field in brackets; empty where it has none."""
    owner, _, leaf = name.rpartition(".")
    unit = configuration.unit_of(type(configuration.get(config, owner) if owner else config), leaf)
    return f"[{unit}]" if unit else ""


def annotation_of(config: Any, name: str, flags: Flags, beside: tuple = ()) -> Any:
    """The annotation of a dotted field; a field below a class that a flag is about to choose is looked up there."""
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
    """The word for one of several dataclasses, or a robot read from a file."""
    word = configuration.one(name, words, configuration.describe(annotation))
    if ":" in word or not ("/" in word or Path(word).suffix):  # a name, or module:Class
        return word
    from serpenoid.robots import load
    from serpenoid.robots.base import Robot

    choices = tuple(configuration.class_choices(annotation).values())
    if not any(issubclass(choice, Robot) for choice in choices):
        return word
    robot = load(word)
    refuse_others(name, annotation, robot, word)
    return robot


def refuse_others(name: str, annotation: Any, robot: Robot, file: str) -> None:
    """Refuse a robot of a file that a field does not take."""
    choices = tuple(configuration.class_choices(annotation).values())
    if choices and not isinstance(robot, choices):
        wanted = configuration.describe(annotation)
        raise InvalidValue(name, f"{robot.called} of {file}", f"{wanted}{other_runs(robot)}")


def other_runs(robot: Robot) -> str:
    """What a robot of an MJCF or URDF file is, and what to run with it, for a refusal."""
    from serpenoid.robots import BodyTree, PlanarSnake

    if isinstance(robot, BodyTree):
        return "; this is a tree of hinges that moves in space: run undulate or slithering with it"
    if isinstance(robot, PlanarSnake):
        return "; this is a snake of the plane: run slither, undulate or slithering with it"
    return ""


def help_text(title: str, config: Any, extra: Any = None) -> str:
    """What a command takes: each field with its meaning, unit and default."""
    lines = [title, ""]
    for part in (extra, config):
        if part is None:
            continue
        for field in configuration.walk(part):
            lines.append(f"  --{field.name.ljust(31)}  {field.doc}{note_on(field)} [default: {default_of(field)}]")
    return "\n".join([*lines, MODULE])


def default_of(field: configuration.Field) -> str:
    """The default of a field as it would be typed."""
    if field.default is not None and configuration.class_choices(field.annotation):
        return configuration.plain_name(type(field.default))
    return as_typed(field.default)


def as_typed(value: Any, digits: int = 6) -> str:
    """A value as it is typed on a command line: none, true, 1.4pi, 0.1 0.2."""
    if value is None or value == () or value == "":
        return "none"
    if isinstance(value, tuple):
        return " ".join(as_typed(part, digits) for part in value) if not any(map(nested, value)) else str(value)
    if isinstance(value, float) and value and float(f"{value / pi:.4g}") * pi == value:
        return "pi" if value == pi else f"{value / pi:.4g}pi"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def nested(value: Any) -> bool:
    """Whether a part of a tuple is more than a number or a word."""
    return not isinstance(value, int | float | str)


def note_on(field: configuration.Field) -> str:
    """Choices or limits of a field, in brackets; nothing where any value will do."""
    choices = configuration.describe(field.annotation)
    if choices.startswith("one of") or "true or false" in choices:
        return f" ({choices})"
    return f" ({field.range.words})" if field.range else ""
