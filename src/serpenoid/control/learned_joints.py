"""Learned map from readings to joint angles or torques."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between, check_fields, usual
from serpenoid.control.base import Signal
from serpenoid.control.policy import Policy
from serpenoid.errors import InvalidValue, require
from serpenoid.kernels.laws.joint_policy import HELD, JointPolicyLaw
from serpenoid.robots.base import Robot

JointInput = Literal["position", "velocity", "torque", "command", "clock", "accelerometer", "gyroscope"]
KINDS = ("position", "velocity", "torque", "command", "sine", "cosine", "accelerometer", "gyroscope")
IMU = ("accelerometer", "gyroscope")


@dataclass(frozen=True)
class LearnedJoints(Policy):
    """Learned network from readings of all joints to targets of all joints."""

    joints: Annotated[int, between(1, 1000, usual=(2, 30))] = 2
    """number of joints of the robot that it was trained for"""
    inputs: tuple[JointInput, ...] = ("position", "velocity")
    """inputs of the network: readings of all joints, the last command, a clock, or IMUs of all links"""
    output: Literal["position", "torque"] = "position"
    """commanded quantity"""
    size: Annotated[float, above(0.0, usual=(0.5, 200.0))] = 1.0
    """greatest angle [rad] or torque [N m] that it commands, at an output of 1"""
    mirror: bool = True
    """whether the policy is mirror symmetric; then it has no biases and no IMUs"""
    frequency: Annotated[float, at_least(0.0, usual=(0.1, 3.0))] = 0.0
    """frequency of the clock [Hz]"""
    phase: Annotated[float, usual(-pi, pi)] = 0.0
    """phase of the clock at the start [rad]"""

    def __post_init__(self) -> None:
        check_fields(self)
        require(len(set(self.inputs)) == len(self.inputs) > 0, "inputs", self.inputs, "one or more names that differ")
        imu = [name for name in self.inputs if name in IMU]
        require(not (self.mirror and imu), "inputs", imu, "no IMU if mirror = true")
        self.network.record(*self.shape, self.biased)

    @property
    def needs_imu(self) -> bool:
        return any(name in IMU for name in self.inputs)

    @property
    def commands(self) -> Literal["position", "torque"]:
        return self.output

    @property
    def shape(self) -> tuple[int, int]:
        return sum(len(places) for _, places in self.columns()), self.joints

    @property
    def units(self) -> tuple[float, ...]:
        return (1.0,) * self.joints

    @property
    def biased(self) -> bool:
        return not self.mirror

    def columns(self) -> list[tuple[int, range]]:
        """Return the kind of each group of inputs, and its places."""
        found = []
        for name in self.inputs:
            if name == "clock":
                found += [(KINDS.index("sine"), range(1)), (KINDS.index("cosine"), range(1))]
            else:
                found.append((KINDS.index(name), range(3 * (self.joints + 1) if name in IMU else self.joints)))
        return found

    def kernel(self, robot: Robot, period: float) -> JointPolicyLaw:
        if self.joints != robot.joints:
            raise InvalidValue("joints", self.joints, f"{robot.joints}, the joints of {robot.called}")
        columns = [(kind, place) for kind, places in self.columns() for place in places]
        kinds, places = (np.array(column, dtype=np.int64) for column in zip(*columns))
        return JointPolicyLaw(
            kinds=kinds, places=places, network=self.network.record(*self.shape, self.biased),
            size=np.full(self.joints, float(self.size)), rate=2.0 * pi * self.frequency, phase=float(self.phase),
            period=float(period),
        )  # fmt: skip

    def phase_rate(self, robot: Robot) -> float:
        return 2.0 * pi * self.frequency

    def from_phase(self, phase: float) -> LearnedJoints:
        return replace(self, phase=phase)

    def memory_signals(self, robot: Robot, period: float, memory: NDArray) -> dict[str, Signal]:
        held = Signal(memory[..., HELD], "", "1 if readings were missing")
        return {"law_held": held, **self.moment_signals(memory)}
