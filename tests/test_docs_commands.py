"""Every shell command on every page: the command, the scenario and all its flags are there. Nothing is run."""

import re
import shlex
from pathlib import Path

import pytest

from serpenoid import cli, configuration
from serpenoid.cli import arguments, main
from serpenoid.cli import fit as fit_command
from serpenoid.cli import optimise as optimise_command
from serpenoid.cli import run as run_command
from serpenoid.cli import sweep as sweep_command
from serpenoid.cli.sweep_arguments import read
from serpenoid.scenarios import SCENARIOS, find_scenario
from serpenoid.sweeps.proposals import beyond, make_search
from serpenoid_papers.base import paper_names

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
OF_SCENARIOS = {"run": run_command, "sweep": sweep_command, "optimise": optimise_command}
ALWAYS = {"over", "average", "from", "help", "h", "module"}
GROUPS = ("dynamixel", "hebi", "servo", "fit")  # commands whose first word is a command again


def commands(page):
    """The words of every command on a page, behind `serpenoid`: lines of blocks, and words in backticks."""
    text = re.sub(r"```(?:python|toml|text|bibtex).*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = re.sub(r"\\\n\s*", " ", text)
    lines = re.findall(r"^\s*(?:\$ )?(serpenoid [a-z].*)$", text, re.MULTILINE)
    inline = re.findall(r"`(serpenoid [^`\n]+)`", text)
    for line in (*lines, *inline):
        if "`" not in line:
            yield shlex.split(line.partition(" | ")[0], comments=True)[1:]


ALL = [(page.relative_to(ROOT).as_posix(), words) for page in PAGES for words in commands(page) if len(words) > 1]


def is_a_word(word):
    """Return whether a word is literal, not a placeholder for the reader."""
    return not (word.isupper() or "..." in word or word.startswith("["))


def flags_of(words):
    return [(name, values) for name, values in arguments.split(words).flags if is_a_word(name)]


def known(scenario, flags):
    """Raise where a field is not there, in the scenario as other flags make it. A file's robot, or $NAME, has any."""
    for name, values in flags:
        if any(value.endswith(arguments.ROBOT_FILES) or value.startswith("$") for value in values):
            owner = name.rpartition(".")[0]  # a class that cannot be made without the file
            flags = [flag for flag in flags if flag[0] not in (name, owner) and not flag[0].startswith(f"{name}.")]
    for name, values in sorted(flags, key=lambda flag: flag[0].count(".")):
        annotation = arguments.annotation_of(scenario, name, flags)  # or it raises
        if values and configuration.class_choices(annotation):
            scenario = arguments.applied(scenario, [(name, values)])


def check_fields(command, named, given, rest):
    """Raise for flags and axes that the first of the named scenarios does not have."""
    if named:
        own = {field.name for field in configuration.walk(command.Options())} | ALWAYS
        values = [v.partition("=")[0] for n, vs in given.flags if n in ("over", "average") for v in vs]
        axes = [axis for value in values for axis in value.split(",")]
        asked = [flag for flag in flags_of(rest) if flag[0] not in own]
        known(find_scenario(named[0])(), [*asked, *((axis, []) for axis in axes if is_a_word(axis))])


@pytest.mark.parametrize(("page", "words"), ALL, ids=[f"{page}: {' '.join(words)[:60]}" for page, words in ALL])
def test_a_command_of_a_page_is_there(page, words, capsys):
    command, *rest = words
    if command == "--version":
        return
    assert command in cli.commands()
    given = arguments.split(rest)
    if command == "reproduce":
        assert all(paper in paper_names() for paper in given.positionals if is_a_word(paper))
    if command in OF_SCENARIOS:
        named = [name for name in given.positionals if is_a_word(name)]
        assert all(name in SCENARIOS for name in named)
        check_fields(OF_SCENARIOS[command], named, given, rest)
        return
    if command == "fit" and (named := [v for n, vs in given.flags if n == "scenario" for v in vs]):
        check_fields(fit_command, named, given, rest)
        return
    if flags_of(rest):
        group = [rest[0]] if command in GROUPS and is_a_word(rest[0]) else []
        assert main([command, *group, "--help"]) == 0
        told = capsys.readouterr().out.replace("-", "_")
        for name, _ in flags_of(rest):
            assert name == "help" or f"__{name}" in told, f"{page} names --{name} of serpenoid {command}"


@pytest.mark.parametrize("words", [words for _, words in ALL if words[0] == "optimise" and "--best" in words])
def test_a_search_of_a_page_begins_with_what_is_given(words):
    """Check that its trial 0 is the scenario unchanged."""
    asked = read(words[1:], "", "", optimise_command.Options(), ("over", "average"))
    if asked is not None and all(map(is_a_word, words)):
        ranges = asked.varied["over"], asked.varied["average"]
        assert not list(beyond(make_search(asked.scenario, *ranges, asked.options.best, asked.options.trials)))


def test_commands_are_found_and_mistakes_are():
    assert len(ALL) > 50
    with pytest.raises(Exception, match="gait.frequenzy"):
        known(find_scenario("slither")(), [("gait.frequenzy", ["1"])])
