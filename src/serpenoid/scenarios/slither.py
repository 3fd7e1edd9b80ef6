"""The planar snake on its plane, led by a serpenoid wave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import pi
from typing import Annotated, Any, ClassVar

from serpenoid import analysis
from serpenoid.configuration import above, at_least
from serpenoid.errors import require
from serpenoid.gaits import Serpenoid
from serpenoid.robots import PlanarSnake
from serpenoid.scenarios.base import Parts, Quantity, Scenario
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
    duration: Annotated[float, above(0.0, usual=(1.0, 60.0))] = 6.0
    """simulated time [s]"""
    settle: Annotated[float, at_least(0.0, usual=(0.0, 5.0))] = 2.0
    """time at the start that speed and power leave out [s]"""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.settle < self.duration, "settle", self.settle, f"below the duration {self.duration} s")

    def parts(self) -> Parts:
        return Parts(self.robot, self.world, self.gait)

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        return {
            "speed": Quantity(analysis.speed(trajectory, self.settle), "m/s"),
            "power": Quantity(analysis.power(trajectory, self.settle), "W"),
            "cost_of_transport": Quantity(analysis.cost_of_transport(trajectory, self.settle)),
            "energy_residual": Quantity(analysis.energy_residual(trajectory)),
        }

    @classmethod
    def batch(cls, scenarios: Sequence[Any]) -> dict[str, Quantity]:
        """Speed, power and cost of transport, 64 runs in lock-step; power is sampled at every step."""
        from serpenoid.scenarios.slither_lanes import slither_all

        speed, power, cost = slither_all(scenarios).T
        return {"speed": Quantity(speed, "m/s"), "power": Quantity(power, "W"), "cost_of_transport": Quantity(cost)}
