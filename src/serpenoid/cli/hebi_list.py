"""`serpenoid hebi list`: the modules on the network, or those of the emulator."""

from __future__ import annotations

from dataclasses import dataclass
from time import sleep

from serpenoid.cli import arguments
from serpenoid.cli.printing import say, table

TITLE = "serpenoid hebi list [--twin]: families, names and addresses of the modules on the network, or of the emulator"


@dataclass(frozen=True)
class Options:
    """Options of `list`."""

    twin: bool = False
    """list the emulated modules instead: an 18-module snake and the other modules listed in the thesis"""


def main(words: list[str]) -> int:
    """List the modules."""
    given = arguments.read_options(words, TITLE, Options())
    if given is None:
        return 0
    _, options = given
    rows = twin_rows() if options.twin else network_rows()
    say(table(rows, ["family", "name", "hardware address", "address", ""]) if rows else "no modules on the network")
    return 0


def network_rows() -> list[list[str]]:
    """Return the modules that hebi-py finds within one second."""
    from serpenoid.hardware.hebi import hebi_py

    lookup = hebi_py().Lookup()
    sleep(1.0)
    return [
        [entry.family, entry.name, str(entry.mac_address), str(entry.ip_address), "stale" if entry.is_stale else ""]
        for entry in lookup.entrylist
    ]


def twin_rows() -> list[list[str]]:
    """Return the modules of the emulator; this starts no simulation."""
    from serpenoid.hardware.emulator import emulator

    return [[*module, ""] for module in emulator().modules()]
