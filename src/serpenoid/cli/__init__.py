"""The command line: parses and prints, nothing else."""

from __future__ import annotations

import gc
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from sysconfig import get_paths
from typing import Any

from serpenoid.cli.exit_messages import forget, interrupted_line, lost_line
from serpenoid.cli.pipes import forgiving_pipes
from serpenoid.cli.printing import complain, entry, note, say, warn
from serpenoid.errors import SerpenoidError, UnknownName
from serpenoid.support import plugins
from serpenoid.support.interrupts import is_interrupt, leaving_at_once

# command -> what it does; each is a module of this package with `main(words) -> exit code`. Installed packages add more
# by entry points of the group serpenoid.commands: functions of the same form, the first line of their docstring shown.
COMMANDS = {
    "list": "show robots, worlds, gaits, controllers, scenarios and papers",
    "run": "run a scenario, or repeat a saved run",
    "sweep": "run a scenario over a grid or a sample of its fields",
    "optimise": "search the values of a scenario's fields that make a quantity best",
    "show": "print and plot what a saved trajectory or sweep holds",
    "fit": "fit fields of a scenario to a log of a robot",
    "studio": "look at runs and drive them, live, in a browser",
    "render": "write a saved run as a film or a picture, without a browser",
    "hebi": "list, run and compare snakes of HEBI modules or their emulator; handle gains files",
    "servo": "plan the pulses of a hobby-servo snake, or compare a recorded log",
}
INTERRUPTED = 130  # exit code
YOUNG = 100_000  # objects made before a collection of garbage; by Python's 700 a start takes 7 % longer
USAGE = "usage: serpenoid COMMAND [...]   (serpenoid COMMAND --help tells more)"


def main(args: list[str] | None = None) -> int:
    """Run one command; bad input ends in one line and exit code 2, Ctrl-C in 130, a closed pipe in nothing."""
    if args is None:  # a process of its own
        gc.set_threshold(YOUNG)
        os.environ["MPLBACKEND"] = "agg"  # figures go to files; a notebook's own backend may be missing here
    forget()
    with forgiving_pipes() as told, leaving_at_once(say_interrupted), warnings.catch_warnings():
        warnings.showwarning = say_warning
        code = carried_out(sys.argv[1:] if args is None else args)
    if told.problem is not None:
        note(lost_line(told.problem))
        code = code or 2
    if args is None and code == INTERRUPTED:
        os._exit(code)  # Python would report a signal where Ctrl-C fell into an import
    return code


def carried_out(words: list[str]) -> int:
    """The exit code of a command; errors become lines."""
    try:
        return dispatch(words)
    except SerpenoidError as error:
        complain(error)
        return 2
    except OSError as error:  # a path that the system refuses, such as one too long or without permission
        if error.filename is None and not folder_is_gone():
            raise
        known = f"{error.filename}: {(error.strerror or str(error)).lower()}"
        complain(known if error.filename else "the working folder has been deleted")
        return 2
    except AttributeError as error:
        if not misses_a_part(error):
            raise
        lacks = f"{type(error.obj).__name__} has no {error.name}, which this run needs"
        complain(f"{lacks}: derive it from a class that has one")
        return 2
    except (KeyboardInterrupt, SystemError, ImportError) as error:  # compiled code makes one of these of the first
        if not is_interrupt(error):
            raise
        say_interrupted()
        return INTERRUPTED


def misses_a_part(error: AttributeError) -> bool:
    """Whether this package asked a robot, world, gait or law of the user's own for what only some of ours have."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    asked_here = str(frames[-1].f_globals.get("__name__", "")).startswith("serpenoid.")
    own = type(error.obj)
    return asked_here and bool(getattr(own, "plugs_in", ())) and not own.__module__.startswith("serpenoid.")


def folder_is_gone() -> bool:
    """Whether the folder in which the command was started has been deleted."""
    try:
        return not Path.cwd().exists()
    except FileNotFoundError:
        return True


def say_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, file: Any = None, line: Any = None
) -> None:
    """Print a warning as one line, with the place in the code where that is the user's own."""
    place = f"{filename}:{lineno}: " if is_users(Path(filename)) else ""
    warn(f"{place}{' '.join(str(message).split())}")


def is_users(file: Path) -> bool:
    """Return whether a source file is neither of this package nor of an installed one."""
    libraries = (Path(__file__).parents[1], *map(Path, set(get_paths().values())))
    return file.exists() and not any(file.resolve().is_relative_to(folder.resolve()) for folder in libraries)


def say_interrupted() -> None:
    """The one line of a command that was interrupted."""
    note(interrupted_line())


def dispatch(words: list[str]) -> int:
    """Hand the words to their command."""
    if words[:1] == ["help"] and words[1:]:
        return dispatch([*words[1:], "--help"])
    if not words or words[0] in ("--help", "-h", "help"):
        say(USAGE, "", *(entry(name, what, 10) for name, what in commands().items()))
        return 0 if words else 2
    if words[0] == "--version":
        from serpenoid.cli.version import main as tell

        return tell(words[1:])
    return find_command(words[0])(words[1:])


def find_command(name: str) -> Callable[[list[str]], int]:
    """Return the function of a command of this package or of an installed one."""
    if name in COMMANDS:
        return import_module(f"serpenoid.cli.{name}").main
    found = plugins.load("commands", name)
    if not callable(found):
        raise UnknownName("command", name, [*COMMANDS, *plugins.entries("commands")])
    return found


def commands() -> dict[str, str]:
    """Return all commands with a line on each: those of this package, then those of installed ones."""
    installed = [name for name in plugins.entries("commands") if name not in COMMANDS]
    return COMMANDS | {name: plugins.summary("commands", name) for name in installed}
