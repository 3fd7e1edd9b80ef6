"""`serpenoid hebi list`: the modules on the network, or those of the twin."""

from __future__ import annotations

from dataclasses import dataclass
from time import sleep
from typing import Any

from serpenoid.cli import arguments
from serpenoid.cli.console import announced, table
from serpenoid.errors import Unsupported

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
        print(arguments.help_text(TITLE, Options()))
        return 0
    options = arguments.applied(Options(), given.flags)
    entries = twin_entries() if options.twin else network_entries()
    rows = [[e.family, e.name, str(e.mac_address), str(e.ip_address), "stale" if e.is_stale else ""] for e in entries]
    print(table(rows, ["family", "name", "hardware address", "address", ""]) if rows else "no modules on the network")
    return 0


def network_entries() -> list[Any]:
    """What hebi-py finds in a second."""
    from serpenoid.hardware.hebi import INSTALL

    try:
        import hebi
    except ImportError:
        raise Unsupported(INSTALL) from None
    lookup = hebi.Lookup()
    sleep(1.0)
    return list(lookup.entrylist)


def twin_entries() -> list[Any]:
    """The modules of the twin."""
    from serpenoid.hardware.hebi_twin import Lookup, bench_of, link_of
    from serpenoid.robots import SeaSnake
    from serpenoid.worlds import FreeSpace

    with announced():
        lookup = Lookup(link=link_of(bench_of(SeaSnake(), FreeSpace()), realtime=False))
        lookup.link.sleep(0.01)
    return list(lookup.entrylist)
