"""Named runs: what `run`, `sweep` and the studio take."""

from __future__ import annotations

from importlib import import_module

from serpenoid.errors import UnknownName
from serpenoid.scenarios.base import Parts, Quantity, Scenario

# name -> module:Class, loaded when it is asked for.
SCENARIOS = {
    "slither": "serpenoid.scenarios.slither:Slither",
    "mpc": "serpenoid.scenarios.mpc:PredictiveControl",
    "undulate": "serpenoid.scenarios.undulate:Undulate",
    "natrix": "serpenoid.scenarios.natrix:NatrixAfloat",
    "accordion": "serpenoid.scenarios.movements:AccordionRun",
    "cobra": "serpenoid.scenarios.movements:CobraRun",
    "spiral": "serpenoid.scenarios.movements:SpiralRun",
    "push": "serpenoid.scenarios.push:Push",
    "slither-pegs": "serpenoid.scenarios.slither_pegs:SlitherPegs",
    "slither-goal": "serpenoid.scenarios.slither_goal:SlitherGoal",
    "formation": "serpenoid.scenarios.movements:FormationRun",
    "sidewinding": "serpenoid.scenarios.modular:SidewindingRun",
    "conical-sidewinding": "serpenoid.scenarios.modular:ConicalRun",
    "rolling": "serpenoid.scenarios.modular:RollingRun",
    "linear-progression": "serpenoid.scenarios.modular:LinearRun",
    "slithering": "serpenoid.scenarios.modular:SlitheringRun",
    "climb-pole": "serpenoid.scenarios.modular:ClimbPole",
    "crawl-pipe": "serpenoid.scenarios.modular:CrawlPipe",
    "swimming": "serpenoid.scenarios.modular:SwimmingRun",
    "roll-to-pole": "serpenoid.scenarios.roll_to_pole:RollToPole",
    "sidewind-pegs": "serpenoid.scenarios.sidewind_pegs:SidewindPegs",
    "sidewind-route": "serpenoid.scenarios.along_route:SidewindRoute",
}


def find_scenario(name: str) -> type[Scenario]:
    """A scenario's class by its name."""
    if name not in SCENARIOS:
        raise UnknownName("scenario", name, SCENARIOS)
    module, _, cls = SCENARIOS[name].partition(":")
    return getattr(import_module(module), cls)


def name_of_kind(kind: str) -> str:
    """The registered name of a scenario's class that is written as `module:Class`."""
    return next((name for name, where in SCENARIOS.items() if where == kind), kind.rpartition(":")[2].lower())


__all__ = ["SCENARIOS", "Parts", "Quantity", "Scenario", "find_scenario", "name_of_kind"]
