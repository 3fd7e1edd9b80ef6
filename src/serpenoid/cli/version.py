"""`serpenoid --version [--verbose]`: the version, or all details for a bug report."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

from serpenoid.cli.printing import say
from serpenoid.errors import UnknownName
from serpenoid.support.versions import PEERS, versions


def main(words: list[str]) -> int:
    """Print the version; with --verbose also dependencies, processor and cache."""
    for word in words:
        if word != "--verbose":
            raise UnknownName("option", word, ["--verbose"])
    say(f"serpenoid {versions()['serpenoid']}")
    if words:
        say("\n".join(f"{name}: {value}" for name, value in details().items()))
    return 0


def details() -> dict[str, str]:
    """Return the details for a bug report, by name."""
    found = {name: str(value) for name, value in versions(also=PEERS).items() if name != "serpenoid"}
    cores = f"{os.cpu_count()} cores"
    return {
        **found, "python": sys.version.split()[0], "system": platform.platform(),
        "processor": f"{processor()}, {cores}", "package": str(Path(__file__).parents[1]),
        "kernel cache": os.environ.get("NUMBA_CACHE_DIR", "next to the package, in __pycache__"),
    }  # fmt: skip


def processor() -> str:
    """Return the processor name known to numba's compiler."""
    import llvmlite.binding

    return llvmlite.binding.get_host_cpu_name()
