"""What a scenario is: a named run, with its configuration as fields and the scalars of its summary."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from numpy.typing import NDArray

from serpenoid.configuration import to_plain
from serpenoid.control.base import Controller
from serpenoid.engines.base import Initial
from serpenoid.errors import SimulationDiverged, nonnegative, whole_number
from serpenoid.gaits.base import Gait
from serpenoid.loop import Progress
from serpenoid.robots.base import Robot
from serpenoid.simulation import Timing, simulate
from serpenoid.trajectory import Trajectory


class Quantity(NamedTuple):
    """One scalar of a summary."""

    value: float | bool | str | NDArray
    unit: str = ""
    clock: bool = False  # whether it is a time of the wall clock, which no two runs share: it enters no sweep


class Parts(NamedTuple):
    """What a scenario puts together."""

    robot: Robot
    world: Any
    controller: Gait | Controller


@lru_cache(maxsize=64)
def check_times(duration: float, step: float, control_period: float, sample_period: float) -> None:
    """Refuse times that do not fit each other; the cells of a sweep share theirs, so the answer is kept."""
    Timing(duration, step, control_period, sample_period)


@dataclass(frozen=True)
class Scenario(ABC):
    """A run that can be named, configured, swept and repeated. The first line here is what `serpenoid list` shows."""

    periods: ClassVar[Mapping[str, float]] = {}  # fields whose values repeat themselves: a sweep runs such cells once

    duration: float = 10.0
    """simulated time [s]"""
    step: float = 0.001
    """integration step [s]"""
    control_period: float = 0.01
    """time between two commands of a controller [s]; a gait acts at every step"""
    sample_period: float = 0.01
    """time between two samples of the trajectory [s]"""
    seed: int = 0
    """seed of everything random in the run: the start's scatter, the sensors' noise, what a controller draws"""
    scatter: float = 0.0
    """standard deviation of what the start differs by: heading, and joint angles that are not prescribed [rad]"""

    def __post_init__(self) -> None:
        times = (self.duration, self.step, self.control_period, self.sample_period)
        try:
            check_times(*times)
        except TypeError:  # not hashable, and so no number either
            Timing(*times)
        whole_number("seed", self.seed, 0, 2**31 - 1)
        nonnegative("scatter", self.scatter)

    @abstractmethod
    def parts(self) -> Parts:
        """Robot, world and gait or controller."""

    def initial(self) -> Initial:
        """Where the run starts."""
        return Initial()

    def run(self, progress: Progress | None = None) -> Trajectory:
        """Simulate; the trajectory knows the scenario it came from, also when it diverged."""
        robot, world, controller = self.parts()
        initial = replace(self.initial(), scatter=self.scatter)
        try:
            trajectory = simulate(
                robot, world, controller, initial=initial, seed=self.seed, progress=progress, **asdict(self.timing())
            )
        except SimulationDiverged as error:
            self.label(error.trajectory)
            raise
        return self.label(trajectory)

    def timing(self) -> Timing:
        """How time is cut."""
        return Timing(self.duration, self.step, self.control_period, self.sample_period)

    def label(self, trajectory: Trajectory) -> Trajectory:
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
