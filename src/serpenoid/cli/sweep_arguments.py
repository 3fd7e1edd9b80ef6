"""Command line shared by `sweep` and `optimise`: a scenario, its varied fields and the command's options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from serpenoid import configuration
from serpenoid.cli import arguments
from serpenoid.cli.printing import say
from serpenoid.cli.run import configuration_errors, from_file, summary_line
from serpenoid.errors import InvalidValue

if TYPE_CHECKING:
    from serpenoid.scenarios.base import Scenario


class Asked(NamedTuple):
    """Scenario, varied fields (by flag, then field) and options of a command."""

    scenario: Scenario
    varied: dict[str, dict[str, str]]
    options: Any


def read(words: list[str], title: str, ranges: str, options: Any, flags: Sequence[str]) -> Asked | None:
    """Parse the command line; print the help text and return None if help was requested."""
    given = arguments.read(words)
    if given.help and not given.positionals:
        command = title.split()[1]
        say(arguments.help_text(f"{title}\n{ranges}", options))
        say(arguments.scenario_help(command))
        return None
    sources, _ = given.take(["from"])
    scenario = from_file([words for _, words in sources], given)[0] if sources else arguments.named_scenario(given)
    apart = (*flags, "from", "help", "h")
    own, rest = given.take([*(field.name for field in configuration.walk(options)), *apart])
    if given.help:
        chosen = arguments.applied(scenario, rest, options)
        say(arguments.help_text(f"{title}\n\n{summary_line(scenario)}\n{ranges}", chosen, options))
        return None
    varied = {flag: axes([word for name, words in own if name == flag for word in words], flag) for flag in flags}
    check_fixed(rest, varied)
    with configuration_errors():
        scenario = arguments.applied(scenario, rest, options)
    return Asked(scenario, varied, arguments.applied(options, [flag for flag in own if flag[0] not in apart]))


def check_fixed(fixed: Sequence[Any], varied: dict[str, dict[str, str]]) -> None:
    """Refuse a field that is both fixed and varied."""
    for field, words in fixed:
        for flag, values in varied.items():
            if field in values:
                allowed = f"either fixed or varied, not both: --{flag} has {field}={values[field]}"
                raise InvalidValue(f"--{field}", " ".join(words), allowed)


def axes(words: list[str], flag: str = "over") -> dict[str, str]:
    """Return the axes of the command line, by field."""
    over: dict[str, str] = {}
    for word in words:
        field, equals, values = word.partition("=")
        if not (field and equals and values):
            raise InvalidValue(flag, word, "FIELD=VALUES, such as gait.frequency=0.5:10:39")
        if field in over:
            raise InvalidValue(flag, word, f"each field once; {field} is given twice")
        over[field] = values
    return over
