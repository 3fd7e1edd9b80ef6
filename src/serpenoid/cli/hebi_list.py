"""`serpenoid hebi list`: the modules on the network, or those of the twin."""

from __future__ import annotations

from dataclasses import dataclass
from time import sleep

from serpenoid.cli import arguments
from serpenoid.cli.printing import say, table

TITLE = "serpenoid hebi list [--twin]: families, names and addresses of the modules on the network, or of the twin"


@dataclass(frozen=True)
class Options:
    """What `list` takes."""

    twin: bool = False
    """those of the twin, an 18-module snake and what lay beside it in the thesis, instead of the network's"""


def main(words: list[str]) -> int:
    """Look, and print what is there."""
    given = arguments.read(words)
    if given.help:
        say(arguments.help_text(TITLE, Options()))
        return 0
    options = arguments.applied(Options(), given.flags)
    rows = twin_rows() if options.twin else network_rows()
    say(table(rows, ["family", "name", "hardware address", "address", ""]) if rows else "no modules on the network")
    return 0


def network_rows() -> list[list[str]]:
    """What hebi-py finds in a second."""
    from serpenoid.hardware.hebi import hebi_py

    lookup = hebi_py().Lookup()
    sleep(1.0)
    return [
        [entry.family, entry.name, str(entry.mac_address), str(entry.ip_address), "stale" if entry.is_stale else ""]
        for entry in lookup.entrylist
    ]


def twin_rows() -> list[list[str]]:
    """The modules of the twin, which need no simulation to be named."""
    from serpenoid.hardware.emulator import emulator

    return [[*module, ""] for module in emulator().modules()]
