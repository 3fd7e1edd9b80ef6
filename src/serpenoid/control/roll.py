"""Keeps NATRIX upright with its shells: feedback from the head's roll to the shells' angles, within their limits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command, Controller, Observation
from serpenoid.errors import nonnegative, positive
from serpenoid.gaits.base import Gait
from serpenoid.gaits.waves import Undulation
from serpenoid.kernels.attitude import roll_of, vertical
from serpenoid.kernels.motion import motion_samples
from serpenoid.kernels.records import Motion
from serpenoid.robots.natrix import SHELL_JOINTS, Natrix

SHELLS = list(SHELL_JOINTS)
# Of a shell's motor [N m]. The limits of angle, rate and acceleration below keep within it in any pose that floats
# upright; a test adds up inertia and buoyancy. A small hobby servo holds three times as much.
TORQUE_LIMIT = 0.5


@dataclass(frozen=True)
class RollStabiliser(Controller):
    """A gait on the yaw joints, and on every shell the angle -(gain roll + damping roll rate) of the head.

    With its apex up the triangular shell overturns by itself (its own buoyancy is unstable) and the keel rights it:
    turning the shells against the roll takes their overturning moment away. Targets pass a second-order filter with
    the shells' limits of angle, rate and acceleration.
    """

    robot: Natrix = Natrix()
    """the robot that is led"""
    gait: Gait = Undulation(amplitude=0.25, frequency=1.35)
    """how the other joints move"""
    gain: float = 1.0
    """shell angle per roll of the head [-]"""
    damping: float = 0.1
    """shell angle per roll rate of the head [s]"""
    angle_limit: float = 1.0
    """largest shell angle [rad]"""
    rate_limit: float = 6.0
    """largest shell rate [rad/s]; a hobby servo turns 60 deg in 0.17 s"""
    acceleration_limit: float = 200.0
    """largest shell acceleration [rad/s^2]"""
    bandwidth: float = 40.0
    """of the filter that leads the shells to their targets, critically damped [rad/s]"""
    period: float = 0.01
    """control period that the limits are kept over [s]"""

    def __post_init__(self) -> None:
        nonnegative("gain", self.gain)
        nonnegative("damping", self.damping)
        for name in ("angle_limit", "rate_limit", "acceleration_limit", "bandwidth", "period"):
            positive(name, getattr(self, name))

    @cached_property
    def motion(self) -> Motion:
        """The gait's record."""
        return self.gait.motion(self.robot)

    def reset(self) -> None: ...

    def command(self, observation: Observation) -> Command:
        time = observation.time + 0.5 * self.period
        q, dq, ddq = (part[0] for part in motion_samples(self.motion, np.array([time])))
        # Acceleration of the gait at the period's middle, and what brings the joints back onto it.
        ahead = observation.joint_position + 0.5 * self.period * observation.joint_velocity
        acceleration = ddq + self.bandwidth**2 * (q - ahead) + 2.0 * self.bandwidth * (dq - observation.joint_velocity)
        acceleration[SHELLS] = self.shell_accelerations(observation)
        nothing = np.full(acceleration.size, np.nan)
        return Command(nothing, nothing, acceleration, nothing)

    def shell_accelerations(self, observation: Observation) -> NDArray:
        """What leads the shells to their target without leaving the limits [rad/s^2]."""
        target = self.target(observation)
        angle, rate = observation.joint_position[SHELLS], observation.joint_velocity[SHELLS]
        wanted = self.bandwidth**2 * (target - angle) - 2.0 * self.bandwidth * rate
        wanted = np.clip(wanted, -self.acceleration_limit, self.acceleration_limit)
        fastest = np.clip(rate + self.period * wanted, -self.rate_limit, self.rate_limit)
        # No faster towards the end stop than full braking can stop.
        room = self.angle_limit - np.sign(fastest) * angle - self.period * np.abs(rate)
        stop = np.sqrt(2.0 * self.acceleration_limit * np.maximum(0.0, room))
        fastest = np.clip(fastest, -stop, stop)
        return (fastest - rate) / self.period

    def target(self, observation: Observation) -> float:
        """The angle that the shells should have [rad]."""
        roll, rate = head_roll(observation)
        return float(np.clip(-(self.gain * roll + self.damping * rate), -self.angle_limit, self.angle_limit))


def head_roll(observation: Any) -> tuple[float, float]:
    """Roll of the head [rad] and its turning rate about its own x [rad/s]."""
    return float(roll_of(vertical(observation.base_pose[3:]))), float(observation.base_twist[3])
