"""`serpenoid hebi gains`: HEBI gains files read, written and checked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from serpenoid.cli import arguments
from serpenoid.cli.printing import number, plural, say, table
from serpenoid.configuration import between, check_fields
from serpenoid.errors import UnknownName
from serpenoid.hardware import hebi_gains as gains
from serpenoid.robots.cascade import STRATEGIES, Cascade

READ = "serpenoid hebi gains read FILE.xml: print the gains of a file"
WRITE = (
    "serpenoid hebi gains write FILE.xml [--strategy 4 --position.kp 30 ...]: write a gains file; "
    "gains not given have the default of the strategy"
)
CHECK = "serpenoid hebi gains check FILE.xml [--strategy 4] [--modules 18]: check that modules accept a gains file"


@dataclass(frozen=True)
class ReadOptions:
    """Options of `read`: none."""


@dataclass(frozen=True)
class WriteOptions:
    """Options of `write` besides the fields of the drive."""

    modules: Annotated[int, between(1, 200, usual=(1, 32))] = 1
    """number of modules with separate columns in the file; 1: one column for all modules"""

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True)
class CheckOptions:
    """Options of `check`."""

    strategy: Annotated[int | None, between(1, 4, usual=(1, 4))] = None
    """required control strategy; any if not given"""
    modules: Annotated[int | None, between(1, 200, usual=(1, 32))] = None
    """required number of modules; any if not given"""

    def __post_init__(self) -> None:
        check_fields(self)


def main(words: list[str]) -> int:
    """Pass the words to read, write or check."""
    actions = {"read": read, "write": write, "check": check}
    if not words or words[0] in ("--help", "-h"):
        say("\n".join((READ, WRITE, CHECK)))
        return 0 if words else 2
    if words[0] not in actions:
        raise UnknownName("gains command", words[0], actions)
    return actions[words[0]](arguments.read(words[1:]))


def read(given: arguments.Arguments) -> int:
    """Print the strategy and all gains."""
    if given.help:
        say(READ)
        return 0
    arguments.applied(ReadOptions(), given.flags)
    path = Path(arguments.only(given.positionals, "FILE.xml"))
    found = gains.read_gains(path)
    say(f"{path}: control strategy {spread(found.strategy)}, {plural(found.columns, 'column')}")
    rows = [
        [name, *(spread(found.values.get(f"{loop}_{name}", ())) for loop in gains.LOOPS)] for name in gains.NAMES
    ]  # fmt: skip
    say(table(rows, ["gain", *gains.LOOPS]))
    return 0


def write(given: arguments.Arguments) -> int:
    """Write the gains of a drive."""
    own, rest = given.take(["modules", "help", "h"])
    if given.help:
        say(arguments.help_text(WRITE, Cascade(), WriteOptions()))
        return 0
    path = Path(arguments.only(given.positionals, "FILE.xml"))
    strategy = arguments.applied(Cascade(), [flag for flag in rest if flag[0] == "strategy"]).strategy
    options, drive = arguments.applied(WriteOptions(), own), arguments.applied(STRATEGIES[strategy], rest)
    gains.check_place(path)
    gains.write_gains(path, drive, options.modules)
    say(f"saved: {path} (strategy {drive.strategy}, {plural(options.modules, 'column')})")
    return 0


def check(given: arguments.Arguments) -> int:
    """Refuse a file that a module would reject."""
    if given.help:
        say(arguments.help_text(CHECK, CheckOptions()))
        return 0
    path = Path(arguments.only(given.positionals, "FILE.xml"))
    options = arguments.applied(CheckOptions(), given.flags)
    found = gains.check_gains(path, options.strategy, options.modules)
    say(f"{path}: strategy {spread(found.strategy)}, accepted by every module")
    return 0


def spread(values: object) -> str:
    """Format a column as its single value, or as minimum .. maximum."""
    import numpy as np

    column = np.asarray(values, dtype=float)
    if not column.size:
        return "-"
    low, high = column.min(), column.max()
    return number(low) if low == high else f"{number(low)} .. {number(high)}"
