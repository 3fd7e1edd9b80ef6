"""Roll stabilisation of NATRIX: feedback from the head's roll to the shell angles, within their limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, check_fields
from serpenoid.control.base import Command, Controller, Observation, Signal
from serpenoid.errors import require
from serpenoid.gaits.base import Gait
from serpenoid.gaits.transition import Lead
from serpenoid.gaits.waves import Undulation
from serpenoid.kernels.attitude import roll_of, vertical
from serpenoid.kernels.motion import motion_samples
from serpenoid.robots.base import Robot
from serpenoid.robots.natrix import SHELL_JOINTS

SHELLS = list(SHELL_JOINTS)
# Torque of a shell's motor [N m]. The limits of angle, rate and acceleration below keep within it in every upright
# floating pose. A test sums inertia and buoyancy. A small hobby servo provides three times as much.
TORQUE_LIMIT = 0.5


@dataclass(frozen=True)
class RollStabiliser(Controller):
    """A gait on the yaw joints, with every shell at the angle -(gain roll + damping roll rate) of the head.

    With its apex up the triangular shell is unstable (its buoyancy overturns it) and the keel rights it. Rotating the
    shells against the roll removes their overturning moment. Targets pass a second-order filter with the shells'
    limits of angle, rate and acceleration.
    """

    needs_truth: ClassVar[bool] = True

    gait: Gait = Undulation(amplitude=0.25, frequency=1.35)
    """gait of the other joints"""
    gain: Annotated[float, at_least(0.0, usual=(0.0, 5.0))] = 1.0
    """shell angle per roll of the head [-]"""
    damping: Annotated[float, at_least(0.0, usual=(0.0, 1.0))] = 0.1
    """shell angle per roll rate of the head [s]"""
    angle_limit: Annotated[float, above(0.0, usual=(0.2, 1.5))] = 1.0
    """largest shell angle [rad]"""
    rate_limit: Annotated[float, above(0.0, usual=(1.0, 20.0))] = 6.0
    """largest shell rate [rad/s]; a hobby servo rotates 60 deg in 0.17 s"""
    acceleration_limit: Annotated[float, above(0.0, usual=(20.0, 1000.0))] = 200.0
    """largest shell acceleration [rad/s^2]"""
    bandwidth: Annotated[float, above(0.0, usual=(5.0, 100.0))] = 40.0
    """bandwidth of the critically damped filter of the shell targets [rad/s]"""

    def __post_init__(self) -> None:
        check_fields(self)

    def start(self, robot: Robot, period: float, rng: np.random.Generator) -> RollLaw:
        check_shells(robot)
        return RollLaw(self, robot, period)


def check_shells(robot: Robot) -> None:
    """Raise if a robot lacks shells, or if its joints do not follow commanded accelerations."""
    require(robot.joints > max(SHELLS), "robot", type(robot).__name__, "a robot with shells, such as NATRIX")
    allowed = "prescribed: this controller commands accelerations"
    require(robot.drive.prescribed, "robot.drive", type(robot.drive).__name__, allowed)


class RollLaw:
    """State of a roll stabiliser on one robot."""

    def __init__(self, controller: RollStabiliser, robot: Robot, period: float):
        self.controller, self.robot, self.period = controller, robot, period
        self.lead = Lead.first(controller.gait, robot)
        self.target = 0.0  # of the shells [rad]
        self.time = 0.0  # time of the last command [s]

    def __call__(self, observation: Observation) -> Command:
        acceleration = self.gait_accelerations(observation)
        roll, rate = head_roll(observation)
        self.target = self.shell_target(roll, rate)
        acceleration[SHELLS] = self.shell_accelerations(observation)
        nothing = np.full(acceleration.size, np.nan)
        return Command(nothing, nothing, acceleration, nothing)

    def gait_accelerations(self, observation: Observation) -> NDArray:
        """Return the joint accelerations (joints,) of the gait [rad/s^2]."""
        self.time, bandwidth = observation.time, self.controller.bandwidth
        middle = np.array([observation.time + 0.5 * self.period])
        q, dq, ddq = (part[0] for part in motion_samples(self.lead.motion, middle))
        # Gait acceleration at mid-period, plus feedback that returns the joints to the gait.
        ahead = observation.joint_position + 0.5 * self.period * observation.joint_velocity
        return ddq + bandwidth**2 * (q - ahead) + 2.0 * bandwidth * (dq - observation.joint_velocity)

    def changed(self, controller: RollStabiliser) -> None:
        """Use other gains or another gait from the next command."""
        if controller.gait != self.controller.gait:
            self.lead = self.lead.followed_by(controller.gait, self.robot, self.time + self.period)
        self.controller = controller

    def signals(self) -> dict[str, Signal]:
        return {"shell_target": Signal(self.target, "rad", "commanded shell angle")}

    def shell_accelerations(self, observation: Observation) -> NDArray:
        """Return the shell accelerations [rad/s^2] that approach the target within the limits."""
        limits = self.controller
        angle, rate = observation.joint_position[SHELLS], observation.joint_velocity[SHELLS]
        wanted = limits.bandwidth**2 * (self.target - angle) - 2.0 * limits.bandwidth * rate
        return self.within_limits(wanted, angle, rate, limits.angle_limit)

    def within_limits(self, wanted: NDArray, angle: NDArray, rate: NDArray, most: NDArray | float) -> NDArray:
        """Return accelerations within the limits of acceleration, rate and angle, +-most [rad]."""
        limits = self.controller
        wanted = np.clip(wanted, -limits.acceleration_limit, limits.acceleration_limit)
        fastest = np.clip(rate + self.period * wanted, -limits.rate_limit, limits.rate_limit)
        # Limit the rate so that full braking stops the joint before its end stop.
        room = most - np.sign(fastest) * angle - self.period * np.abs(rate)
        stop = np.sqrt(2.0 * limits.acceleration_limit * np.maximum(0.0, room))
        fastest = np.clip(fastest, -stop, stop)
        return (fastest - rate) / self.period

    def shell_target(self, roll: float, rate: float) -> float:
        """Return the desired shell angle [rad] for the head's roll [rad] and roll rate [rad/s]."""
        limit = self.controller.angle_limit
        return float(np.clip(-(self.controller.gain * roll + self.controller.damping * rate), -limit, limit))


def head_roll(observation: Observation) -> tuple[float, float]:
    """Return the head's roll [rad] and its angular rate about its own x axis [rad/s]."""
    assert observation.truth is not None  # guaranteed by needs_truth
    return float(roll_of(vertical(observation.truth.base_pose[3:]))), float(observation.truth.base_twist[3])
