"""The planar snake on its plane, driven by a serpenoid wave."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import pi
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid import analysis
from serpenoid.configuration import at_least
from serpenoid.control.joint_pid import JointPID
from serpenoid.engines.base import AT_REST, Initial
from serpenoid.errors import instance, require
from serpenoid.gaits import Fourier, Gait, Serpenoid
from serpenoid.kernels.motion import motion_samples
from serpenoid.kernels.records import Motion
from serpenoid.robots import PlanarSnake
from serpenoid.robots.drives import PD
from serpenoid.scenarios.base import Parts, Quantity, Scenario, settle_time
from serpenoid.support.kernel_inputs import motion_of
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import Plane

# Grid of Table II of the MPC paper. Its phase shifts between joints, 0.5 pi to 4 pi, are -spatial_frequency / 4.
# Only 20 of the 36 differ, because they repeat with period 2 pi.
UNTRACKED = "no motion to track"
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

    kept: ClassVar[tuple[str, ...]] = ("center_of_mass", "body_axis", "work_absolute", "joint_position")

    robot: PlanarSnake = PlanarSnake()
    """snake"""
    world: Plane = Plane()
    """plane and its medium"""
    gait: Serpenoid | Fourier = Serpenoid(amplitude=0.8, frequency=2.0, spatial_frequency=2.4 * pi)
    """wave; the default moves head first in every medium"""
    sampled: bool = False
    """whether the drives' torques are computed once per control period and held, instead of at every step"""
    integral: Annotated[float, at_least(0.0, usual=(0.0, 20.0), most=1e9)] = 0.0
    """I gain of sampled joint control [N m/(rad s)]"""
    settle: Annotated[float | None, at_least(0.0, usual=(0.0, 5.0), most=1e6)] = None
    """initial transient excluded from speed and power [s]; none: a third of the run, at most 2 s"""

    def __post_init__(self) -> None:
        super().__post_init__()
        require((self.settle or 0.0) < self.duration, "settle", self.settle, f"below the duration {self.duration} s")
        require(self.sampled or not self.integral, "integral", self.integral, "0 unless --sampled true")
        if self.sampled:
            instance("robot.drive", self.robot.drive, PD, "a PD, whose gains are those of the sampled control")

    def periods(self, swept: Collection[str]) -> Mapping[str, float]:
        """Return the period of the spatial frequency: a phase shift of 2 pi between joints has no effect."""
        same_robot = not any(name.partition(".")[0] == "robot" for name in swept)
        return {"gait.spatial_frequency": 2.0 * pi * self.robot.joints} if same_robot else {}

    def settling(self, duration: float) -> float:
        return settle_time(self.settle, duration, self.sample_period)

    def usual_start(self) -> Initial:
        """Return rest in the first shape of the gait; engines set it themselves if a gait drives them."""
        if not self.sampled:
            return AT_REST
        first = motion_samples(motion_of(self.gait, self.robot), np.zeros(1))[0][0]
        return Initial(joint_position=tuple(first.tolist()))

    def parts(self) -> Parts:
        if not self.sampled:
            return Parts(self.robot, self.world, self.gait)
        world = self.world.suited(self.robot, motion_of(self.gait, self.robot))  # engines do so for gaits only
        return Parts(self.robot, world, JointPID(self.gait, self.integral))

    def measured(self, trajectory: Trajectory) -> dict[str, Quantity]:
        joints = {"joint_position": trajectory["joint_position"][None]}
        if not isinstance(self.gait, Gait):  # a law
            return super().measured(trajectory) | {"tracking_error": Quantity(np.nan, absent=UNTRACKED)}
        of_gait = self.gait_measures(trajectory.times, joints, [motion_of(self.gait, self.robot)])
        single = {
            name: quantity._replace(value=np.asarray(quantity.value).item()) for name, quantity in of_gait.items()
        }
        return super().measured(trajectory) | single

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

    def gait_measures(
        self, times: NDArray, variables: Mapping[str, NDArray], motions: Sequence[Motion]
    ) -> dict[str, Quantity]:
        """Compute the tracking error after the transient."""
        chosen = analysis.stretch(times, self.settling(float(times[-1])))
        joints = variables["joint_position"][:, chosen]
        errors = [
            analysis.tracking_error(motion_samples(motion, times[chosen])[0], angles)
            for motion, angles in zip(motions, joints)
        ]
        return {"tracking_error": Quantity(np.array(errors), absent=UNTRACKED)}
