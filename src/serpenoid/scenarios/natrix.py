"""NATRIX undulates at the surface of still water."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi
from typing import Annotated, Any

import numpy as np

from serpenoid.configuration import above, usual
from serpenoid.control.roll import SHELLS, RollStabiliser
from serpenoid.engines.base import Initial
from serpenoid.gaits import Gait, JointTrajectory, Undulation
from serpenoid.kernels.motion import motion_samples
from serpenoid.robots import Natrix
from serpenoid.scenarios.base import Parts, Quantity, Scenario
from serpenoid.scenarios.natrix_roll import roll_summary
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import WaterSurface
from serpenoid.worlds.flotation import Flotation


@dataclass(frozen=True)
class NatrixAfloat(Scenario):
    """NATRIX swims at the surface of still water, and may capsize."""

    robot: Natrix = Natrix()
    """the robot"""
    world: WaterSurface = WaterSurface()
    """the water"""
    gait: Undulation | JointTrajectory = Undulation(amplitude=0.25, frequency=1.35)
    """how the joints move"""
    duration: Annotated[float, above(0.0, usual=(1.0, 120.0))] = 60.0
    """simulated time [s]; capsizing took up to 58 s"""
    roll_seed: Annotated[float, usual(-0.5, 0.5)] = pi / 180.0
    """roll by which the start differs from equilibrium, along the roll mode [rad]"""
    stabilise: bool = False
    """whether the shells are turned against the head's roll"""

    def parts(self) -> Parts:
        if self.stabilise:
            return Parts(self.robot, self.world, RollStabiliser(self.gait))
        return Parts(self.robot, self.world, self.gait)

    def initial(self) -> Initial:
        """Equilibrium of the first shape, rolled by the seed, no net momentum."""
        shape, rates, _ = (part[0] for part in motion_samples(self.gait.motion(self.robot), np.zeros(1)))
        pose = start_pose(self.robot, self.world, self.gait, self.roll_seed)
        return Initial(joint_position=tuple(shape), joint_velocity=tuple(rates), base_pose=pose)

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        """Whether and when it capsized, how far it rolled, and how it moved."""
        roll = trajectory["roll"]
        found = {name: Quantity(value, unit) for name, (value, unit) in roll_summary(trajectory.times, roll).items()}
        found["pitch_deviation"] = Quantity(float(np.degrees(trajectory["pitch"].std())), "deg")
        found["heave_deviation"] = Quantity(float(trajectory["heave"].std()), "m")
        found["largest_torque"] = Quantity(float(np.abs(trajectory["joint_torque"]).max()), "N m")
        return found | (shell_summary(trajectory) if self.stabilise else {})

    @classmethod
    def batch(cls, scenarios: Sequence[Any]) -> dict[str, Quantity] | None:
        """Roll, pitch and heave of many runs, 64 in lock-step; none where a controller is in the loop."""
        from serpenoid.scenarios.natrix_lanes import blocks, poses_of, rolls_and_pitches

        if any(scenario.stabilise for scenario in scenarios):
            return None
        rows: list[dict[str, tuple[Any, str]]] = [{}] * len(scenarios)
        for members in blocks(scenarios):
            poses = poses_of([scenarios[i] for i in members])
            period = scenarios[members[0]].sample_period
            for i, pose, roll, pitch in zip(members, poses, *rolls_and_pitches(poses)):
                rows[i] = roll_summary(period * np.arange(1, len(roll) + 1), roll)
                rows[i]["pitch_deviation"] = (float(np.degrees(pitch.std())), "deg")
                rows[i]["heave_deviation"] = (float(pose[:, 2].std()), "m")
        names = rows[0].keys()
        return {
            name: Quantity(np.array([row[name][0] for row in rows], dtype=float), rows[0][name][1]) for name in names
        }


def shell_summary(trajectory: Trajectory) -> dict[str, Quantity]:
    """What a run asks of the shells' motors."""
    asked = {"angle": ("joint_position", "rad"), "rate": ("joint_velocity", "rad/s"), "torque": ("joint_torque", "N m")}
    return {
        f"largest_shell_{name}": Quantity(float(np.abs(trajectory[variable][:, SHELLS]).max()), unit)
        for name, (variable, unit) in asked.items()
    }


def start_pose(robot: Natrix, world: WaterSurface, gait: Gait, seed: float) -> tuple[float, ...]:
    """Base pose afloat in the gait's first shape, displaced along the roll mode by `seed` of roll [rad]."""
    shape = motion_samples(gait.motion(robot), np.zeros(1))[0][0]
    flotation = Flotation(robot, world, shape)
    pose = flotation.upright()
    return pose.displaced(seed * flotation.roll_mode(pose)).base_pose
