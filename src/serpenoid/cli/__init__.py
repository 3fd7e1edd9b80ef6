"""The command line: parses and prints, nothing else."""

from __future__ import annotations

import sys
from importlib import import_module

from serpenoid.errors import SerpenoidError, UnknownName

# command -> what it does; each is a module of this package with `main(args) -> exit code`.
COMMANDS = {
    "list": "show robots, worlds, gaits, controllers, scenarios and papers",
    "run": "run a scenario, or repeat a saved run",
    "sweep": "run a scenario over a grid or a sample of its fields",
    "show": "print and plot what a saved trajectory or sweep holds",
    "studio": "look at runs and drive them, live, in a browser",
    "servo": "plan the pulses of a hobby-servo snake, or compare a recorded log",
    "bench": "measure ours against the peers that are installed",
    "reproduce": "run a paper's experiments and judge its claims",
    "demo": "run the main job and leave pictures, recordings and an animation",
}
USAGE = "usage: serpenoid COMMAND [...]   (serpenoid COMMAND --help tells more)"


def main(args: list[str] | None = None) -> int:
    """Run one command; bad input ends in one line and exit code 2."""
    words = sys.argv[1:] if args is None else args
    if not words or words[0] in ("--help", "-h", "help"):
        print(USAGE + "\n\n" + "\n".join(f"  {name:10s} {what}" for name, what in COMMANDS.items()))
        return 0 if words else 2
    try:
        return dispatch(words)
    except SerpenoidError as error:
        print(f"serpenoid: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("serpenoid: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1


def dispatch(words: list[str]) -> int:
    """Hand the words to their command."""
    if words[0] == "--version":
        from serpenoid.versions import versions

        print(f"serpenoid {versions()['serpenoid']}")
        return 0
    if words[0] not in COMMANDS:
        raise UnknownName("command", words[0], COMMANDS)
    return import_module(f"serpenoid.cli.{words[0]}").main(words[1:])
