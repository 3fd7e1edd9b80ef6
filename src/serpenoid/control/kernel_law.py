"""Laws that are kernels: written once, fused with an engine's rollout or called once a period from here."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

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
READ = tuple(NAMES[field] for field in Sensed._fields[1:])  # quantities of the record, after the time


class KernelController(Controller):
    """The configuration of a law that is a kernel."""

    @property
    def needs_imu(self) -> bool:
        """Whether the law reads accelerometers and gyroscopes."""
        return False

    @abstractmethod
    def kernel(self, robot: Robot, period: float) -> Any:
        """The record of the law on this robot."""

    def memory_signals(self, robot: Robot, period: float, memory: NDArray) -> dict[str, Signal]:
        """What is worth recording of a law's memory (..., numbers): one row, or one for every tick."""
        return {}

    def carry_over(self, before: Any, after: Any, memory: NDArray) -> None:  # noqa: B027
        """Change a memory so that nothing jumps where another record of this law takes over; `self` is what it was."""

    def start(self, robot: Robot, period: float, rng: np.random.Generator) -> Law:
        return KernelLaw(self, robot, period)


class WaveController(KernelController):
    """A law that leads a wave along the body."""

    @abstractmethod
    def phase_rate(self, robot: Robot) -> float:
        """How fast the wave's nominal phase runs [rad/s]; 0 where it stands."""

    @abstractmethod
    def from_phase(self, phase: float) -> Self:
        """The same law with another phase of its wave at the start [rad]."""


class KernelLaw:
    """A law's record and memory, ticked by one compiled call."""

    def __init__(self, controller: KernelController, robot: Robot, period: float):
        self.controller, self.robot, self.period = controller, robot, period
        self.record = controller.kernel(robot, period)
        self.memory = np.zeros(law_numbers(self.record))
        self.target = np.full(robot.joints, np.nan)
        self.time = 0.0  # of the tick that comes next [s]
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
        return Command.empty(self.target.size)._replace(position=self.target)

    def signals(self) -> dict[str, Signal]:
        return self.controller.memory_signals(self.robot, self.period, self.memory)

    def changed(self, controller: KernelController) -> None:
        """Other parameters from the next tick on; what is remembered goes on."""
        record = controller.kernel(self.robot, self.period)
        if type(record) is not type(self.record) or law_numbers(record) != self.memory.size:
            raise Unsupported(f"{type(controller).__name__} cannot take over the memory of the law that runs")
        self.controller.carry_over(self.record, record, self.memory)
        self.controller, self.record = controller, record


def sensed_by(observation: Observation, imu: bool) -> Sensed:
    """An observation as compiled code takes it; IMUs are read only where the law asks for them."""
    found = (NO_IMU if name in INERTIAL and not imu else observation.needed(name) for name in READ)
    return Sensed(float(observation.time), *(np.ascontiguousarray(part, dtype=float) for part in found))


def first_targets(controller: Any, robot: Robot, period: float) -> NDArray:
    """The joint angles (joints,) [rad] that a gait, or a law that is a kernel, commands first where only its weight is
    felt; NaN of any other law."""
    if isinstance(controller, Gait):
        return motion_samples(motion_of(controller, robot), np.zeros(1))[0][0]
    if not isinstance(controller, KernelController):
        return np.full(robot.joints, np.nan)
    law, links = KernelLaw(controller, robot, period), len(robot.link_names) if controller.needs_imu else 0
    nothing, still = np.zeros(robot.joints), np.zeros((links, 3))
    weight = np.tile([0.0, 0.0, STANDARD_GRAVITY], (links, 1))
    law_tick(law.record, law.memory, Sensed(0.0, nothing, nothing, nothing, weight, still), law.target)
    return law.target
