"""`serpenoid dynamixel`: snakes of Dynamixel X-series motors, real or emulated."""

from __future__ import annotations

from importlib import import_module

from serpenoid.cli.printing import entry, say
from serpenoid.errors import UnknownName

# Action -> summary. Each action is a module of this package named dynamixel_ACTION with `main(words) -> exit code`.
ACTIONS = {
    "list": "IDs, models and firmware of the motors on a port, or of the emulator",
    "run": "run a scenario on motors or on the emulator",
    "dry-run": "print the commands, the limits that they would exceed, and the traffic on the bus",
}


def main(words: list[str]) -> int:
    """Pass the words to their action."""
    if not words or words[0] in ("--help", "-h"):
        say("usage: serpenoid dynamixel ACTION [...]", "", *(entry(name, what, 10) for name, what in ACTIONS.items()))
        return 0 if words else 2
    if words[0] not in ACTIONS:
        raise UnknownName("dynamixel command", words[0], ACTIONS)
    return import_module(f"serpenoid.cli.dynamixel_{words[0].replace('-', '_')}").main(words[1:])
