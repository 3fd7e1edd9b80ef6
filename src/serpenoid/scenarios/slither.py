"""The planar snake on its plane, driven by a serpenoid wave."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import pi
from typing import Annotated, ClassVar

from numpy.typing import NDArray

from serpenoid import analysis
from serpenoid.configuration import at_least
from serpenoid.errors import require
from serpenoid.gaits import Serpenoid
from serpenoid.robots import PlanarSnake
from serpenoid.scenarios.base import Parts, Quantity, Scenario, settle_time
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import Plane

# Grid of Table II of the MPC paper. Its phase shifts between joints, 0.5 pi to 4 pi, are -spatial_frequency / 4.
# Only 20 of the 36 differ, because they repeat with period 2 pi.
TABLE_II = {
    "gait.frequency": "0.5:10:39",
    "gait.amplitude": "0.1pi:1.0pi:10",
    "gait.spatial_frequency": "-2pi:-16pi:36",
    "robot.drive.stiffness": "0.1:3.0:30",
    "robot.drive.damping": "0.05:0.2:16",
}


@dataclass(frozen=True)
class Slither(Scenario, duration=6.0):
    """A planar snake slithers through a medium while its joints track a serpenoid wave."""

    kept: ClassVar[tuple[str, ...]] = ("center_of_mass", "body_axis", "work_absolute")

    robot: PlanarSnake = PlanarSnake()
    """snake"""
    world: Plane = Plane()
    """plane and its medium"""
    gait: Serpenoid = Serpenoid(amplitude=0.8, frequency=2.0, spatial_frequency=2.4 * pi)
    """wave; the default moves head first in every medium"""
    settle: Annotated[float | None, at_least(0.0, usual=(0.0, 5.0), most=1e6)] = None
    """initial transient excluded from speed and power [s]; none: a third of the run, at most 2 s"""

    def __post_init__(self) -> None:
        super().__post_init__()
        require((self.settle or 0.0) < self.duration, "settle", self.settle, f"below the duration {self.duration} s")

    def periods(self, swept: Collection[str]) -> Mapping[str, float]:
        """Return the period of the spatial frequency: a phase shift of 2 pi between joints has no effect."""
        same_robot = not any(name.partition(".")[0] == "robot" for name in swept)
        return {"gait.spatial_frequency": 2.0 * pi * self.robot.joints} if same_robot else {}

    def settling(self, duration: float) -> float:
        return settle_time(self.settle, duration, self.sample_period)

    def parts(self) -> Parts:
        return Parts(self.robot, self.world, self.gait)

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        return self.measured(trajectory) | {"energy_residual": Quantity(analysis.energy_residual(trajectory))}

    def measures(self, times: NDArray, variables: Mapping[str, NDArray]) -> dict[str, Quantity]:
        """Compute speed, power and cost of transport after the transient, for one run or a batch."""
        chosen = analysis.stretch(times, self.settling(float(times[-1])))
        center, axis = (variables[name][..., chosen, :] for name in ("center_of_mass", "body_axis"))
        speed = analysis.mean_speed(times[chosen], center, axis)
        power = analysis.mean_power(times[chosen], variables["work_absolute"][..., chosen])
        mass = self.robot.mass
        return {
            "speed": Quantity(speed, "m/s"),
            "power": Quantity(power, "W"),
            "cost_of_transport": Quantity(analysis.transport_cost(power, speed, mass)),
        }
