"""The planar snake on its plane, led by a serpenoid wave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import pi
from typing import Any, ClassVar

from numpy.typing import NDArray

from serpenoid import analysis
from serpenoid.errors import nonnegative, require
from serpenoid.gaits import Serpenoid
from serpenoid.robots import PlanarSnake
from serpenoid.scenarios.base import Parts, Quantity, Scenario
from serpenoid.scenarios.batches import measured
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import Plane

# The grid of Table II of the MPC paper; 20 of its 36 phase shifts differ, as they repeat themselves after 2 pi.
TABLE_II = {
    "gait.frequency": "0.5:10:39",
    "gait.amplitude": "0.1pi:1.0pi:10",
    "gait.phase_shift": "0.5pi:4.0pi:36",
    "robot.drive.stiffness": "0.1:3.0:30",
    "robot.drive.damping": "0.05:0.2:16",
}


@dataclass(frozen=True)
class Slither(Scenario):
    """A planar snake slithers through a medium while its joints track a serpenoid wave."""

    periods: ClassVar[Mapping[str, float]] = {"gait.phase_shift": 2.0 * pi}

    robot: PlanarSnake = PlanarSnake()
    """the snake"""
    world: Plane = Plane()
    """the plane and its medium"""
    gait: Serpenoid = Serpenoid(amplitude=0.8, frequency=2.0, phase_shift=1.4 * pi)
    """the wave; the default moves head first in every medium"""
    duration: float = 6.0
    """simulated time [s]"""
    settle: float = 2.0
    """time at the start that speed and power leave out [s]"""

    def __post_init__(self) -> None:
        super().__post_init__()
        nonnegative("settle", self.settle)
        require(self.settle < self.duration, "settle", self.settle, f"below the duration {self.duration} s")

    def parts(self) -> Parts:
        return Parts(self.robot, self.world, self.gait)

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        kept = {name: trajectory[name] for name in ("center_of_mass", "body_axis", "work_absolute")}
        found = {
            name: Quantity(float(value), unit) for name, (value, unit) in self.measures(trajectory.times, kept).items()
        }
        return found | {"energy_residual": Quantity(analysis.energy_residual(trajectory))}

    def measures(self, times: NDArray, variables: Mapping[str, NDArray]) -> dict[str, Quantity]:
        """Speed, power and cost of transport after settling, of one run or, with a leading axis, of many."""
        chosen = analysis.stretch(times, self.settle)
        center, axis = (variables[name][..., chosen, :] for name in ("center_of_mass", "body_axis"))
        speed = analysis.mean_speed(times[chosen], center, axis)
        power = analysis.mean_power(times[chosen], variables["work_absolute"][..., chosen])
        mass = self.robot.links * self.robot.link_mass
        return {
            "speed": Quantity(speed, "m/s"),
            "power": Quantity(power, "W"),
            "cost_of_transport": Quantity(analysis.transport_cost(power, speed, mass)),
        }

    @classmethod
    def batch(cls, scenarios: Sequence[Any]) -> dict[str, Quantity]:
        """Speed, power and cost of transport, 64 runs in lock-step where they can go together."""
        return measured(scenarios, lambda scenario: (scenario.settle,))
