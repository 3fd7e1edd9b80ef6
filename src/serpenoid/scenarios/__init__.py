"""Scenarios: named runs for `run`, `sweep` and the studio."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from serpenoid.configuration import kind_of
from serpenoid.errors import UnknownName, require
from serpenoid.scenarios import presets
from serpenoid.scenarios.base import Parts, Quantity, Scenario
from serpenoid.support import plugins

# Name -> module:Class (loaded on demand) or the class itself. A user's module may add entries, an installed package
# adds them by entry points of the group serpenoid.scenarios.
SCENARIOS: dict[str, str | type[Scenario]] = {
    "slither": "serpenoid.scenarios.slither:Slither",
    "swimmer": "serpenoid.scenarios.swimmer:Swim",
    "mpc": "serpenoid.scenarios.mpc:PredictiveControl",
    "undulate": "serpenoid.scenarios.undulate:Undulate",
    "natrix": "serpenoid.scenarios.natrix:NatrixAfloat",
    "push": "serpenoid.scenarios.push:Push",
    "push-to": "serpenoid.scenarios.push_to:PushToGoal",
    "slither-pegs": "serpenoid.scenarios.slither_pegs:SlitherPegs",
    "slither-goal": "serpenoid.scenarios.slither_goal:SlitherGoal",
    "roll-to-pole": "serpenoid.scenarios.roll_to_pole:RollToPole",
    "sidewind-pegs": "serpenoid.scenarios.sidewind_pegs:SidewindPegs",
    "sidewind-route": "serpenoid.scenarios.along_route:SidewindRoute",
    **presets.names(),
}


def find_scenario(name: str) -> type[Scenario]:
    """Return the class of a scenario by its name."""
    found: Any = SCENARIOS[name] if name in SCENARIOS else plugins.load("scenarios", name)
    if found is None:
        raise UnknownName("scenario", name, scenario_names())
    if isinstance(found, str):
        module, _, cls = found.partition(":")
        found = getattr(import_module(module), cls)
    good = isinstance(found, type) and issubclass(found, Scenario)
    require(good, f"SCENARIOS[{name!r}]", found, "a subclass of Scenario, or its module:Class")
    return found


def scenario_names() -> list[str]:
    """Return the names of all scenarios, including those of installed packages."""
    return list(dict.fromkeys([*SCENARIOS, *plugins.entries("scenarios")]))


def scenario_from(given: Scenario | str) -> Scenario:
    """Return the scenario, or the named one with its defaults."""
    chosen = find_scenario(given)() if isinstance(given, str) else given
    require(isinstance(chosen, Scenario), "scenario", given, "a Scenario or its name")
    return chosen


def name_of_kind(kind: str) -> str:
    """Return the registered name of a scenario class given as `module:Class`."""
    for name, where in SCENARIOS.items():
        if kind in (where, kind_of(where)):
            return name
    installed = (name for name, entry in plugins.entries("scenarios").items() if entry.value == kind)
    return next(installed, kind.rpartition(":")[2].lower())


__all__ = [
    "SCENARIOS",
    "Parts",
    "Quantity",
    "Scenario",
    "find_scenario",
    "name_of_kind",
    "scenario_from",
    "scenario_names",
]
