"""NATRIX undulating at the surface of still water."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from math import pi
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid import analysis
from serpenoid.configuration import usual
from serpenoid.control.gaze import Gaze
from serpenoid.control.roll import SHELLS, RollStabiliser
from serpenoid.engines.base import Initial
from serpenoid.errors import require
from serpenoid.gaits import Gait, JointTrajectory, Undulation
from serpenoid.kernels.motion import motion_samples
from serpenoid.robots import Natrix
from serpenoid.scenarios.base import Parts, Quantity, Scenario
from serpenoid.scenarios.natrix_roll import roll_summary
from serpenoid.support.kernel_inputs import motion_of
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import WaterSurface
from serpenoid.worlds.flotation import Flotation


@dataclass(frozen=True)
class NatrixAfloat(Scenario, duration=60.0):
    """NATRIX floats and undulates, without thrust unless hydrodynamics are on; it may capsize."""

    kept: ClassVar[tuple[str, ...]] = ("roll", "pitch", "heave")
    lane_fields: ClassVar[tuple[str, ...]] = (*Scenario.lane_fields, "start_roll")

    robot: Natrix = Natrix()
    """robot"""
    world: WaterSurface = WaterSurface()
    """water, still or with waves"""
    gait: Undulation | JointTrajectory = Undulation(amplitude=0.25, frequency=1.35)
    """motion of the joints"""
    start_roll: Annotated[float, usual(-0.5, 0.5)] = pi / 180.0
    """initial roll relative to equilibrium, along the roll mode [rad]"""
    stabilise: bool = False
    """whether the shells rotate against the head's roll"""
    controller: Gaze | RollStabiliser | None = None
    """controller of neck and shells, with the gait above; none: the gait alone"""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.controller is not None:
            usual_gait = next(field.default for field in fields(self.controller) if field.name == "gait")
            given = self.controller.gait
            require(given in (usual_gait, self.gait), "controller.gait", given, "omitted: set the scenario's `gait`")

    def parts(self) -> Parts:
        return Parts(self.robot, self.world, self.led or self.gait)

    @property
    def led(self) -> RollStabiliser | None:
        """Controller of the run with the scenario's gait; None if there is none."""
        if self.controller is not None:
            return replace(self.controller, gait=self.gait)
        return RollStabiliser(self.gait) if self.stabilise else None

    def usual_start(self) -> Initial:
        """Return the equilibrium of the first shape, rolled by `start_roll`, without net momentum."""
        if not isinstance(self.gait, Gait):
            pose = floating_pose(self.robot, self.world, np.zeros(self.robot.joints), self.start_roll)
            return Initial(base_pose=pose)
        shape, rates, _ = (part[0] for part in motion_samples(motion_of(self.gait, self.robot), np.zeros(1)))
        if isinstance(self.led, Gaze):
            shape = self.led.first_shape(self.robot)
        pose = floating_pose(self.robot, self.world, shape, self.start_roll)
        return Initial(joint_position=tuple(shape), joint_velocity=tuple(rates), base_pose=pose)

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        """Return whether and when it capsized, the roll, and the motion."""
        torque = float(np.abs(trajectory["joint_torque"]).max())
        speed = analysis.speed(trajectory)
        found = self.measured(trajectory) | {
            "speed": Quantity(speed, "m/s"), "largest_torque": Quantity(torque, "N m"),
        }  # fmt: skip
        if self.led is not None:
            found |= {"mean_heave": Quantity(float(trajectory["heave"].mean()), "m")} | shell_summary(trajectory)
        return found

    def measures(self, times: NDArray, variables: Mapping[str, NDArray]) -> dict[str, Quantity]:
        """Compute statistics of roll, pitch and heave for one run or a batch."""
        found = roll_summary(times, variables["roll"]) | {
            "pitch_deviation": (np.degrees(variables["pitch"].std(axis=-1)), "deg"),
            "heave_deviation": (variables["heave"].std(axis=-1), "m"),
        }
        never = dict.fromkeys(("capsized_at", "turned_over_at"), "never")
        return {n: Quantity(value, unit, absent=never.get(n, "unknown")) for n, (value, unit) in found.items()}


def shell_summary(trajectory: Trajectory) -> dict[str, Quantity]:
    """Return largest angle, rate and torque of the shell motors."""
    asked = {"angle": ("joint_position", "rad"), "rate": ("joint_velocity", "rad/s"), "torque": ("joint_torque", "N m")}
    return {
        f"largest_shell_{name}": Quantity(float(np.abs(trajectory[variable][:, SHELLS]).max()), unit)
        for name, (variable, unit) in asked.items()
    }


def start_pose(robot: Natrix, world: WaterSurface, gait: Gait, roll: float) -> tuple[float, ...]:
    """Return the floating base pose for the gait's first shape, displaced along the roll mode by `roll` [rad]."""
    return floating_pose(robot, world, motion_samples(motion_of(gait, robot), np.zeros(1))[0][0], roll)


def floating_pose(robot: Natrix, world: WaterSurface, shape: NDArray, roll: float) -> tuple[float, ...]:
    """Return the floating base pose for a shape (joints,) [rad], displaced along the roll mode by `roll` [rad]."""
    flotation = Flotation(robot, world, shape)
    pose = flotation.upright()
    return pose.displaced(roll * flotation.roll_mode(pose)).base_pose
