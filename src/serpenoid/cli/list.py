"""`serpenoid list`: all registered names, one line each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from serpenoid.cli import arguments
from serpenoid.cli.printing import entry, say
from serpenoid.errors import SerpenoidError
from serpenoid.support import plugins


def main(words: list[str]) -> int:
    """Print every registry."""
    given = arguments.read(words)
    if given.help:
        say("serpenoid list: show robots, worlds, gaits, controllers, scenarios and papers, one line each")
        return 0
    if words:
        raise SerpenoidError(f"list {' '.join(words)}: must have no arguments")
    for title, entries in registries():
        say(title)
        for name, line in entries:
            say(entry(name, line, 26))
    return 0


def registries() -> Iterable[tuple[str, list[tuple[str, str]]]]:
    """Yield each registry as a title and its (name, summary) pairs."""
    from serpenoid.control import CONTROLLERS
    from serpenoid.gaits import GAITS
    from serpenoid.planning import PLANNERS
    from serpenoid.robots import ROBOTS
    from serpenoid.scenarios import SCENARIOS, find_scenario
    from serpenoid.worlds import WORLDS

    yield "robots", describe_entries("robots", ROBOTS)
    yield "worlds", describe_entries("worlds", WORLDS)
    yield "gaits", describe_entries("gaits", GAITS)
    yield "controllers", describe_entries("controllers", CONTROLLERS | PLANNERS)
    yield "configurations of shape_compliance, selected by name like controllers", configurations()
    yield "scenarios", describe_entries("scenarios", {name: find_scenario(name) for name in SCENARIOS})
    for kind in ("papers", "studies"):
        yield kind, [(name, paper.title) for name, paper in plugins.load_all(kind).items()]


def configurations() -> list[tuple[str, str]]:
    """Return each configuration file with its first line."""
    from serpenoid.control.shape_compliance import CONFIGURATIONS

    return [
        (path.stem, path.read_text().partition("\n")[0].lstrip("# ")) for path in sorted(CONFIGURATIONS.glob("*.toml"))
    ]


def describe_entries(kind: str, registry: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return all names, including those of installed packages, with the first line of their docstrings."""
    found = {**plugins.load_all(kind), **registry}
    names = [*registry, *(name for name in found if name not in registry)]
    return [(name, (found[name].__doc__ or "").strip().partition("\n")[0]) for name in names]
