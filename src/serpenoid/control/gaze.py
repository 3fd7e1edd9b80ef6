"""Gaze stabilisation of NATRIX: roll, pitch and elevation of the head from an IMU in the head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, usual
from serpenoid.control.base import Command, Observation, Signal
from serpenoid.control.roll import SHELLS, RollLaw, RollStabiliser, check_shells
from serpenoid.estimation.attitude import ComplementaryFilter
from serpenoid.kernels.attitude import pitch_of, roll_of, vertical
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.kernels.laws.sensed import Sensed
from serpenoid.kernels.motion import motion_samples
from serpenoid.kernels.pose.inertial import BEGUN, GIVEN, filter_step, pose_numbers
from serpenoid.robots.base import Robot
from serpenoid.robots.natrix import NECK, PITCH_JOINTS
from serpenoid.support.kernel_inputs import motion_of, tree_of
from serpenoid.worlds.gaze import GazeShapes
from serpenoid.worlds.water import WaterSurface

NECK_PITCH, BODY_PITCH = PITCH_JOINTS  # between head and neck, between neck and body
LEAST_LEVER = 0.3  # least cosine of the neck's inclination that counts


@dataclass(frozen=True)
class Gaze(RollStabiliser):
    """A gait on the yaw joints; neck and shells keep the head level at a height.

    Feed-forward: neck and shells that hold the head level at the height in still water, solved for the gait's shape at
    every tick. Feedback: an IMU in the head gives its attitude by a complementary filter. Its rise is the vertical
    acceleration, integrated twice with a high-pass. The joint behind the head corrects pitch, the joint
    at the other end of the neck the rise, the shells roll. The mean height is that of the feed-forward alone.
    """

    needs_truth: ClassVar[bool] = False

    height: Annotated[float | None, usual(0.0, 0.08)] = 0.03
    """height of the head's frame above the mean surface [m]; none: that of the straight robot at rest"""
    water: WaterSurface = WaterSurface()
    """water of the feed-forward"""
    feed_forward: bool = True
    """whether the feed-forward follows the gait; otherwise the straight robot defines it"""
    pitch_bandwidth: Annotated[float, at_least(0.0, usual=(10.0, 60.0))] = 25.0
    """bandwidth of the pitch feedback [rad/s]; 0: none"""
    rise_bandwidth: Annotated[float, at_least(0.0, usual=(5.0, 30.0))] = 10.0
    """bandwidth of the feedback of the rise [rad/s]; 0: none"""
    corner: Annotated[float, above(0.0, usual=(0.5, 5.0))] = 1.0
    """corner of the high-pass of the rise [rad/s]"""
    neck_bandwidth: Annotated[float, above(0.0, usual=(1.0, 20.0))] = 10.0
    """bandwidth of the neck's return to the feed-forward [rad/s]"""
    filter: ComplementaryFilter = ComplementaryFilter(gain=0.005, links=1)
    """attitude filter; one link is the head alone, and a low gain keeps the head's sway out of its attitude"""

    def start(self, robot: Robot, period: float, rng: np.random.Generator) -> GazeLaw:
        check_shells(robot)
        return GazeLaw(self, robot, period)

    def first_shape(self, robot: Robot) -> NDArray:
        """Return the joint angles at the start of the gait (joints,)."""
        wanted = motion_samples(motion_of(self.gait, robot), np.zeros(1))[0][0]
        shapes = GazeShapes(robot, self.water, self.height)
        return shapes.shape(wanted) if self.feed_forward else shapes.placed(wanted, shapes.angles)


class Head(NamedTuple):
    """Estimated motion of the head."""

    roll: float  # [rad]
    roll_rate: float  # [rad/s]
    pitch: float  # [rad]
    pitch_rate: float  # [rad/s]
    rise: float  # height above its mean [m]
    rise_rate: float  # [m/s]


class HeadEstimate:
    """Attitude and rise of the head from the IMU in it; the head starts level."""

    def __init__(self, controller: Gaze, robot: Robot, period: float):
        self.body, self.period, self.corner = controller.filter.body(robot), period, controller.corner
        self.memory = np.zeros(pose_numbers(self.body))
        self.memory[0], self.memory[BEGUN] = 1.0, GIVEN  # level: the first acceleration is not gravity alone
        self.rise = self.rise_rate = 0.0

    def __call__(self, observation: Observation) -> Head:
        """Advance by one tick."""
        q, dq = observation.joint_position, observation.joint_velocity
        force, spin = observation.accelerometer, observation.gyroscope
        sensed = Sensed(observation.time, q, dq, np.zeros_like(q), force, spin)
        filter_step(self.body, self.memory, 0, sensed, self.period)
        up, turn = vertical(self.memory[:4]), spin[0]
        acceleration = float(up @ force[0]) - STANDARD_GRAVITY
        self.rise_rate += self.period * (acceleration - self.corner * self.rise_rate)
        self.rise += self.period * (self.rise_rate - self.corner * self.rise)
        pitch = float(pitch_of(up))
        pitch_rate = float(turn[1] * up[2] - turn[2] * up[1]) / max(float(np.cos(pitch)), 1e-3)
        return Head(float(roll_of(up)), float(turn[0]), pitch, pitch_rate, self.rise, self.rise_rate)


class GazeLaw(RollLaw):
    """State of a gaze controller on one robot."""

    controller: Gaze

    def __init__(self, controller: Gaze, robot: Robot, period: float):
        super().__init__(controller, robot, period)
        self.estimate = HeadEstimate(controller, robot, period)
        self.shapes = GazeShapes(robot, controller.water, controller.height)
        self.straight = self.shapes.angles
        self.lever = float(tree_of(robot).offset[NECK + 1, 0])  # length of the neck [m]
        self.most = np.full(2, np.inf) if robot.joint_range is None else robot.joint_range[list(PITCH_JOINTS), 1]
        self.ahead = self.wanted(0.0)
        self.head = Head(*np.zeros(6).tolist())

    def changed(self, controller: Gaze) -> None:  # type: ignore[override]
        """Use other gains, another gait or another height from the next command."""
        if (controller.water, controller.height) != (self.controller.water, self.controller.height):
            self.shapes = GazeShapes(self.robot, controller.water, controller.height)
            self.straight = self.shapes.angles
        super().changed(controller)

    def wanted(self, time: float) -> NDArray:
        """Return the feed-forward (3,) at a time: both pitch joints and the shells [rad]."""
        if not self.controller.feed_forward:
            return self.straight
        self.shapes.shape(motion_samples(self.lead.motion, np.array([time]))[0][0])
        return self.shapes.angles.copy()

    def __call__(self, observation: Observation) -> Command:
        acceleration = self.gait_accelerations(observation)
        self.head, now = self.estimate(observation), self.ahead
        self.ahead = self.wanted(observation.time + self.period)
        self.target = float(
            np.clip(
                self.ahead[2] + self.shell_target(self.head.roll, self.head.roll_rate),
                -self.controller.angle_limit,
                self.controller.angle_limit,
            )
        )
        acceleration[SHELLS] = self.shell_accelerations(observation)
        acceleration[list(PITCH_JOINTS)] = self.neck_accelerations(observation, (self.ahead - now)[1] / self.period)
        nothing = np.full(acceleration.size, np.nan)
        return Command(nothing, nothing, acceleration, nothing)

    def neck_accelerations(self, observation: Observation, wanted_rate: float) -> NDArray:
        """Return the accelerations of both pitch joints [rad/s^2]: the second lifts the head, the first levels it.

        The head pitches by minus the sum of both angles and rises by minus lever times the second.
        """
        gains, head = self.controller, self.head
        angle, rate = observation.joint_position[list(PITCH_JOINTS)], observation.joint_velocity[list(PITCH_JOINTS)]
        back, b, p = gains.neck_bandwidth, gains.rise_bandwidth, gains.pitch_bandwidth
        lever = self.lever * max(float(np.cos(angle[1])), LEAST_LEVER)
        lift = back**2 * (self.ahead[1] - angle[1]) + 2.0 * back * (wanted_rate - rate[1])
        lift += (b**2 * head.rise + 2.0 * b * head.rise_rate) / lever
        level = -lift + p**2 * head.pitch + 2.0 * p * head.pitch_rate
        if p == 0.0:  # the feed-forward alone
            level = gains.bandwidth**2 * (self.ahead[0] - angle[0]) - 2.0 * gains.bandwidth * rate[0]
        return self.within_limits(np.array([level, lift]), angle, rate, self.most)

    def signals(self) -> dict[str, Signal]:
        return super().signals() | {
            "estimated_roll": Signal(self.head.roll, "rad", "roll of the head by its IMU"),
            "estimated_pitch": Signal(self.head.pitch, "rad", "pitch of the head by its IMU"),
            "estimated_rise": Signal(self.head.rise, "m", "rise of the head above its mean height by its IMU"),
        }
