"""Laws that fail at a time, for runs on emulated motors with faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import serpenoid as sp
from serpenoid.control.base import Command, Controller, Observation
from serpenoid.errors import HardwareFault

ROBOT, WORLD = sp.robots.PlanarSnake(), sp.worlds.Plane()
GAIT = sp.gaits.Serpenoid(amplitude=0.5, frequency=0.5, spatial_frequency=-5.6)
LAWS = ("hangs", "nan", "beyond", "raises")
HANGS = 0.3  # duration for which a law hangs [s]


class Faulty(Controller):
    """A controller whose law goes wrong at a time."""

    def __init__(self, follow: Controller, kind: str, time: float, clock: Any):
        self.follow, self.kind, self.time, self.clock = follow, kind, time, clock
        self.wrong_at: float | None = None  # when it went wrong, on the plant's clock [s]

    def start(self, robot: Any, period: float, rng: np.random.Generator) -> Callable[[Observation], Command]:
        follow = self.follow.start(robot, period, rng)

        def law(seen: Observation) -> Command:
            command = follow(seen)
            if self.kind in LAWS and seen.time >= self.time - 1e-9:
                self.wrong_at = self.wrong_at or self.clock.now()
                if self.kind == "raises":
                    raise RuntimeError("no idea")
                if self.kind == "hangs":
                    self.clock.sleep(HANGS)
                wrong = {"nan": np.nan, "beyond": 3.0}.get(self.kind)
                if wrong is not None:
                    command.position[int(rng.integers(robot.joints))] = wrong
            return command

        return law


def run_to_fault(
    plant: Any, controller: Controller, duration: float, seed: int
) -> tuple[sp.Trajectory | None, HardwareFault | None]:
    """Run on a plant; return the recording, None if the fault came before the first command, and the fault."""
    try:
        return sp.run_loop(plant, controller, duration, seed=seed), None
    except HardwareFault as error:
        return error.trajectory, error


def check_recording(plant: Any, fault: HardwareFault, run: Any) -> None:
    """The recording names its fault, reaches up to it, and is finite."""
    assert plant.holds and not run.complete and run.attributes["ended_by"] == str(fault)
    assert run.times[-1] >= fault.time - 2.5 * plant.period and np.isfinite(run["joint_position"]).all()
