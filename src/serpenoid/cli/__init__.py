"""Command line: parsing and printing only."""

from __future__ import annotations

import gc
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from sysconfig import get_paths
from typing import Any

from serpenoid.cli.exit_messages import forget, interrupted_line, lost_line
from serpenoid.cli.pipes import forgiving_pipes
from serpenoid.cli.printing import complain, entry, note, say, warn
from serpenoid.errors import InvalidValue, SerpenoidError, UnknownName
from serpenoid.support import plugins
from serpenoid.support.interrupts import is_interrupt, leaving_at_once

# Command -> summary. Each command is a module of this package with `main(words) -> exit code`. Installed packages
# add functions of the same form by entry points of the group serpenoid.commands; the first docstring line is shown.
COMMANDS = {
    "list": "show robots, worlds, gaits, controllers, scenarios and papers",
    "run": "run a scenario, or repeat a saved run",
    "sweep": "run a scenario over a grid or a sample of its fields",
    "optimise": "find the values of a scenario's fields that optimise a quantity",
    "statics": "forces, accelerations and slippage ratio of a push from rest",
    "learn": "train a policy in a scenario by random search or CMA-ES",
    "show": "print and plot a saved trajectory, sweep or search",
    "export": "write a saved run to a file for Foxglove, PlotJuggler, RViz or a spreadsheet",
    "import": "save a ROS 2 bag, an MCAP file or a table as a run",
    "fit": "fit fields of a scenario to a log of a robot",
    "studio": "view and steer runs live in a browser",
    "render": "render a saved run to a film or an image, without a browser",
    "dynamixel": "list and run snakes of Dynamixel X-series motors or their emulator",
    "hebi": "list, run and compare snakes of HEBI modules or their emulator; read and write gains",
    "servo": "plan pulses for a hobby-servo snake, or compare a log with the simulation",
}
INTERRUPTED = 130  # exit code
YOUNG = 100_000  # allocations between garbage collections; with Python's default of 700 the start takes 7 % longer
USAGE = "usage: serpenoid COMMAND [...]   (serpenoid COMMAND --help lists the options)"


def main(args: list[str] | None = None) -> int:
    """Run one command and return its exit code.

    Invalid input prints one line and returns 2, Ctrl-C returns 130, and a closed pipe is silent."""
    if args is None:  # started as a process
        gc.set_threshold(YOUNG)
        os.environ["MPLBACKEND"] = "agg"  # a backend inherited from a notebook may be missing here
    forget()
    with forgiving_pipes() as output, leaving_at_once(say_interrupted), warnings.catch_warnings():
        warnings.showwarning = say_warning
        code = run_command(sys.argv[1:] if args is None else args)
    if output.problem is not None:
        note(lost_line(output.problem))
        code = code or 2
    if args is None and code == INTERRUPTED:
        os._exit(code)  # Python would report a signal if Ctrl-C interrupted an import
    return code


def run_command(words: list[str]) -> int:
    """Run a command and return its exit code; print errors as one line."""
    try:
        check_threads()
        return dispatch(words)
    except SerpenoidError as error:
        complain(error)
        return 2
    except OSError as error:  # a path refused by the system, e.g. too long or without permission
        if error.filename is None and not folder_is_gone():
            raise
        known = f"{error.filename}: {(error.strerror or str(error)).lower()}"
        complain(known if error.filename else "the working folder has been deleted")
        return 2
    except AttributeError as error:
        if not misses_a_part(error):
            raise
        lacks = f"{type(error.obj).__name__} has no {error.name}, which this run needs"
        complain(f"{lacks}; derive its class from one that defines it")
        return 2
    except (KeyboardInterrupt, SystemError, ImportError) as error:  # compiled code may convert an interrupt
        if not is_interrupt(error):
            raise
        say_interrupted()
        return INTERRUPTED


def check_threads() -> None:
    """Raise InvalidValue for a number of threads that numba rejects with a traceback."""
    value = os.environ.get("NUMBA_NUM_THREADS", "").strip()
    if re.fullmatch(r"[+-]?0+|-\d+", value):
        raise InvalidValue("NUMBA_NUM_THREADS", value, "at least 1, or not set")


def misses_a_part(error: AttributeError) -> bool:
    """Return whether this package accessed an attribute that a user-defined robot, world, gait or law lacks."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    asked_here = str(frames[-1].f_globals.get("__name__", "")).startswith("serpenoid.")
    own = type(error.obj)
    return asked_here and bool(getattr(own, "plugs_in", ())) and not own.__module__.startswith("serpenoid.")


def folder_is_gone() -> bool:
    """Return whether the working directory has been deleted."""
    try:
        return not Path.cwd().exists()
    except FileNotFoundError:
        return True


def say_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, file: Any = None, line: Any = None
) -> None:
    """Print a warning as one line; prefix the location if it is in the user's code."""
    place = f"{filename}:{lineno}: " if is_users(Path(filename)) else ""
    warn(f"{place}{' '.join(str(message).split())}")


def is_users(file: Path) -> bool:
    """Return whether a source file belongs neither to this package nor to an installed one."""
    libraries = (Path(__file__).parents[1], *map(Path, set(get_paths().values())))
    return file.exists() and not any(file.resolve().is_relative_to(folder.resolve()) for folder in libraries)


def say_interrupted() -> None:
    """Print the line for an interrupted command."""
    note(interrupted_line())


def dispatch(words: list[str]) -> int:
    """Pass the words to their command."""
    if words[:1] == ["help"] and words[1:]:
        return dispatch([*words[1:], "--help"])
    if not words or words[0] in ("--help", "-h", "help"):
        say(USAGE, "", *(entry(name, what, 11) for name, what in commands().items()))
        return 0 if words else 2
    if words[0] == "--version":
        from serpenoid.cli.version import main as tell

        return tell(words[1:])
    return find_command(words[0])(words[1:])


def find_command(name: str) -> Callable[[list[str]], int]:
    """Return the function of a command of this package or of an installed one."""
    if name in COMMANDS:
        return import_module(f"serpenoid.cli.{name}{'_' * iskeyword(name)}").main
    found = plugins.load("commands", name)
    if not callable(found):
        raise UnknownName("command", name, [*COMMANDS, *plugins.entries("commands")])
    return found


def commands() -> dict[str, str]:
    """Return all commands with their summaries: first those of this package, then those of installed packages."""
    installed = [name for name in plugins.entries("commands") if name not in COMMANDS]
    return COMMANDS | {name: plugins.summary("commands", name) for name in installed}
