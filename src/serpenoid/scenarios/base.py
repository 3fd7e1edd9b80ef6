"""What a scenario is: a named run, with its configuration as fields and the scalars of its summary."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, ClassVar, NamedTuple

from numpy.typing import NDArray

from serpenoid.configuration import above, between, check_fields, to_plain
from serpenoid.control.base import Controller
from serpenoid.engines.base import Initial
from serpenoid.errors import SimulationDiverged
from serpenoid.gaits.base import Gait
from serpenoid.robots.base import Robot
from serpenoid.simulation import Progress, Timing, simulate
from serpenoid.trajectory import Trajectory


class Quantity(NamedTuple):
    """One scalar of a summary."""

    value: float | bool | str | NDArray
    unit: str = ""


class Parts(NamedTuple):
    """What a scenario puts together."""

    robot: Robot
    world: Any
    controller: Gait | Controller


@lru_cache(maxsize=64)
def check_times(*times: float) -> None:
    """Refuse times that do not fit each other; the cells of a sweep share theirs, so the answer is kept."""
    Timing(*times)


@dataclass(frozen=True)
class Scenario(ABC):
    """A run that can be named, configured, swept and repeated. The first line here is what `serpenoid list` shows."""

    periods: ClassVar[Mapping[str, float]] = {}  # fields whose values repeat themselves: a sweep runs such cells once

    duration: Annotated[float, above(0.0, usual=(1.0, 60.0))] = 10.0
    """simulated time [s]"""
    step: Annotated[float, above(0.0, usual=(1e-4, 5e-3))] = 0.001
    """integration step [s]"""
    control_period: Annotated[float, above(0.0, usual=(0.001, 0.05))] = 0.01
    """time between two commands of a controller [s]; a gait acts at every step"""
    sample_period: Annotated[float, above(0.0, usual=(0.001, 0.1))] = 0.01
    """time between two samples of the trajectory [s]"""
    seed: Annotated[int, between(0, 2**31 - 1, usual=(0, 100))] = 0
    """seed of everything random in the run"""

    def __post_init__(self) -> None:
        check_fields(self)
        check_times(self.duration, self.step, self.control_period, self.sample_period)

    @abstractmethod
    def parts(self) -> Parts:
        """Robot, world and gait or controller."""

    def initial(self) -> Initial:
        """Where the run starts."""
        return Initial()

    def run(self, progress: Progress | None = None) -> Trajectory:
        """Simulate; the trajectory knows the scenario it came from, also when it diverged."""
        robot, world, controller = self.parts()
        try:
            trajectory = simulate(
                robot, world, controller, self.duration, step=self.step, control_period=self.control_period,
                sample_period=self.sample_period, initial=self.initial(), seed=self.seed, progress=progress,
            )  # fmt: skip
        except SimulationDiverged as error:
            self.sign(error.trajectory)
            raise
        return self.sign(trajectory)

    def sign(self, trajectory: Trajectory) -> Trajectory:
        """Write the scenario into a trajectory's attributes."""
        trajectory.attributes["scenario"] = json.dumps(to_plain(self))
        return trajectory

    @abstractmethod
    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        """The scalars that describe a run, in the order in which they are printed."""

    @classmethod
    def batch(cls, scenarios: Sequence[Scenario]) -> dict[str, Quantity] | None:
        """The summaries of many runs at once in lanes, each value an array (runs,); None where there is no such way.

        A run that diverged is NaN in every quantity; a mistake in a scenario is raised. What a run yields must not
        depend on the others beside it.
        """
        return None
