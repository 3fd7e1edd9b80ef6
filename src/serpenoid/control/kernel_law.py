"""Compiled laws: one source, fused with an engine's rollout or called once per period from Python."""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command, Controller, Law, Observation, Signal
from serpenoid.errors import InvalidValue, Unsupported, require
from serpenoid.gaits.base import Gait
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.kernels.laws.tick import Sensed, law_numbers, law_start, law_tick
from serpenoid.kernels.motion import motion_samples
from serpenoid.robots.base import Robot
from serpenoid.robots.imus import INERTIAL
from serpenoid.robots.sensors import SENSED, short_name
from serpenoid.support.kernel_inputs import motion_of

NO_IMU = np.zeros((0, 3))
NAMES = {short_name(name): name for name in SENSED}
READ = tuple(NAMES[field] for field in Sensed._fields[1:])  # quantities of the record after the time


class KernelController(Controller):
    """Configuration of a compiled law."""

    @property
    def needs_imu(self) -> bool:
        """True if the law reads accelerometers and gyroscopes."""
        return False

    @property
    def commands(self) -> Literal["position", "torque"]:
        """Kind of the targets: joint angles [rad] or joint torques [N m]."""
        return "position"

    @abstractmethod
    def kernel(self, robot: Robot, period: float) -> Any:
        """Return the record of the law for this robot."""

    def memory_signals(self, robot: Robot, period: float, memory: NDArray) -> dict[str, Signal]:
        """Return the recorded signals of a law's memory (..., numbers): one row, or one row per tick."""
        return {}

    def carry_over(self, before: Any, after: Any, memory: NDArray) -> None:  # noqa: B027
        """Adjust a memory so that no signal jumps when another record of this law takes over from `self`."""

    def start(self, robot: Robot, period: float, rng: np.random.Generator) -> Law:
        return KernelLaw(self, robot, period)


class WaveController(KernelController):
    """A law that drives a wave along the body."""

    @abstractmethod
    def phase_rate(self, robot: Robot) -> float:
        """Return the rate of the wave's nominal phase [rad/s]; 0 for a standing wave."""

    @abstractmethod
    def from_phase(self, phase: float) -> Self:
        """Return the same law with another initial phase of its wave [rad]."""


class KernelLaw:
    """A law's record and memory, ticked by one compiled call."""

    def __init__(self, controller: KernelController, robot: Robot, period: float):
        self.controller, self.robot, self.period = controller, robot, period
        self.record = controller.kernel(robot, period)
        self.memory = np.zeros(law_numbers(self.record))
        self.target = np.full(robot.joints, np.nan)
        self.time = 0.0  # time of the next tick [s]
        law_start(self.record, self.memory)

    def __call__(self, observation: Observation) -> Command:
        sensed = sensed_by(observation, self.controller.needs_imu)
        if not sensed.position.size == sensed.velocity.size == sensed.torque.size == self.target.size:
            joints = f"{self.target.size}, as the robot that {type(self.controller).__name__} was started for has"
            raise InvalidValue("joints of the observation", sensed.position.size, joints)
        if self.controller.needs_imu:
            links = (len(self.robot.link_names), 3)
            for name, part in (("accelerometer", sensed.accelerometer), ("gyroscope", sensed.gyroscope)):
                require(part.shape == links, f"observation.{name}", part, f"an array {links}, one row per link")
        law_tick(self.record, self.memory, sensed, self.target)
        self.time = observation.time + self.period
        return Command.empty(self.target.size)._replace(**{self.controller.commands: self.target})

    def copy(self) -> Self:
        """Return an independent copy with the present memory."""
        other = copy(self)
        other.memory, other.target = self.memory.copy(), self.target.copy()
        return other

    def signals(self) -> dict[str, Signal]:
        return self.controller.memory_signals(self.robot, self.period, self.memory)

    def changed(self, controller: KernelController) -> None:
        """Use other parameters from the next tick; the memory is kept."""
        record = controller.kernel(self.robot, self.period)
        if type(record) is not type(self.record) or law_numbers(record) != self.memory.size:
            raise Unsupported(f"{type(controller).__name__} cannot take over the memory of the running law")
        self.controller.carry_over(self.record, record, self.memory)
        self.controller, self.record = controller, record


def sensed_by(observation: Observation, imu: bool) -> Sensed:
    """Convert an observation for compiled code; IMUs are read only if the law needs them."""
    found = (NO_IMU if name in INERTIAL and not imu else observation.needed(name) for name in READ)
    return Sensed(float(observation.time), *(np.ascontiguousarray(part, dtype=float) for part in found))


def first_targets(controller: Any, robot: Robot, period: float) -> NDArray:
    """Return the first joint angles (joints,) [rad] commanded by a gait or a compiled law under gravity alone; NaN for
    other laws.
    """
    if isinstance(controller, Gait):
        return motion_samples(motion_of(controller, robot), np.zeros(1))[0][0]
    if not isinstance(controller, KernelController):
        return np.full(robot.joints, np.nan)
    law, links = KernelLaw(controller, robot, period), len(robot.link_names) if controller.needs_imu else 0
    nothing, still = np.zeros(robot.joints), np.zeros((links, 3))
    weight = np.tile([0.0, 0.0, STANDARD_GRAVITY], (links, 1))
    law_tick(law.record, law.memory, Sensed(0.0, nothing, nothing, nothing, weight, still), law.target)
    return law.target
