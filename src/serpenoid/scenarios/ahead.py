"""Compiles what runs will need, in a process of its own beside the run: what is needed late comes first.

Both processes share one cache, and a kernel is compiled by one of them while the other waits for it or goes elsewhere.
`python -m serpenoid.scenarios.ahead` takes scenarios as JSON and tells of every kernel that it begins and ends.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np
from numba.core import event

from serpenoid import configuration
from serpenoid.gaits.base import Gait
from serpenoid.scenarios import SCENARIOS
from serpenoid.scenarios.base import Scenario
from serpenoid.simulation import plant_of, world_for
from serpenoid.support.compiling import COMPILING, reported
from serpenoid.support.kernel_inputs import motion_of

# How many kernels a first run of each scenario compiles; choices such as another drive may change that by a few.
KERNELS = {
    "slither": 5, "mpc": 6, "undulate": 5, "natrix": 9, "accordion": 4, "cobra": 4, "spiral": 4, "formation": 4,
    "push": 11, "slither-pegs": 5, "sidewinding": 4, "conical-sidewinding": 4, "rolling": 4, "linear-progression": 4,
    "slithering": 4, "climb-pole": 4, "crawl-pipe": 4, "swimming": 7, "roll-to-pole": 5, "sidewind-pegs": 6,
    "sidewind-route": 5, "slither-goal": 5,
}  # fmt: skip


def kernels_of(scenarios: Iterable[Any]) -> int:
    """About how many kernels first runs of scenarios compile; 0 where it is not known."""
    known = {SCENARIOS[name]: count for name, count in KERNELS.items()}
    return sum(known.get(kind, 0) for kind in {configuration.kind_of(scenario) for scenario in scenarios})


def compile_ahead(scenario: Scenario) -> None:
    """Take the steps of a run in another order: the law's parts, what is read in the end, and then its beginning."""
    robot, world, controller = scenario.parts()
    if hasattr(controller, "compile_ahead"):
        controller.compile_ahead()
    world = world_for(robot, world, controller)
    plant = plant_of(robot, world, scenario.timing(), getattr(scenario, "engine", None))
    motion = motion_of(controller, robot) if isinstance(controller, Gait) else None
    plant.start(scenario.initial(), np.random.default_rng(0), motion)
    if motion is None:
        plant.record(plant.command)
    plant.samples()
    if motion is None:
        plant.carry(plant.command, plant.steps_per_command)
    else:
        plant.follow(motion, plant.steps_per_sample)


class Told(event.Listener):
    """Prints the names of outermost kernels as they begin (+) and end (-)."""

    def __init__(self) -> None:
        self.depth = 0

    def on_start(self, event: Any) -> None:
        self.depth += 1
        if self.depth == 1:
            print(f"+{event.data['dispatcher'].__name__}", flush=True)

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0:
            print(f"-{event.data['dispatcher'].__name__}", flush=True)


def main() -> None:
    """Every scenario in turn; one that fails here will say so where it is run."""
    with reported(), event.install_listener(COMPILING, Told()):
        for plain in json.load(sys.stdin):
            try:
                compile_ahead(configuration.from_plain(plain, Scenario))
            except Exception as error:
                print(f"{type(error).__name__}: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
