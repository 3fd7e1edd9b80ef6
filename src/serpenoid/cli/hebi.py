"""`serpenoid hebi`: snakes of HEBI modules, real or emulated."""

from __future__ import annotations

from importlib import import_module

from serpenoid.cli.printing import entry, say
from serpenoid.errors import UnknownName

# Action -> summary. Each action is a module of this package named hebi_ACTION with `main(words) -> exit code`.
ACTIONS = {
    "list": "families, names and addresses of the modules on the network, or of the emulator",
    "run": "run a scenario on modules or on the emulator",
    "compare": "compare a log with the simulation",
    "gains": "read, write or check a gains file (XML)",
}


def main(words: list[str]) -> int:
    """Pass the words to their action."""
    if not words or words[0] in ("--help", "-h"):
        say("usage: serpenoid hebi ACTION [...]", "", *(entry(name, what, 10) for name, what in ACTIONS.items()))
        return 0 if words else 2
    if words[0] not in ACTIONS:
        raise UnknownName("hebi command", words[0], ACTIONS)
    return import_module(f"serpenoid.cli.hebi_{words[0]}").main(words[1:])
