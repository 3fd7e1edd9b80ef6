"""Learned modulation of a wave: a network shared by all joints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, pi
from typing import Annotated, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between, check_fields, usual
from serpenoid.control.base import Signal
from serpenoid.control.policy import Policy
from serpenoid.control.shape_compliance import THESIS_SLITHERING
from serpenoid.control.shape_parameters import carried_over
from serpenoid.errors import InvalidValue, require
from serpenoid.gaits.arc import backbone_of
from serpenoid.gaits.modular import Slithering
from serpenoid.kernels.laws.wave_policy import HELD, OUTPUTS, SPEED, START, WavePolicyLaw
from serpenoid.robots.base import Robot

# Inputs of a wave policy, in the order of the compiled law.
WaveInput = Literal[
    "load", "drag", "error_load", "error_drag", "rate_load", "rate_drag",
    "load_front", "drag_front", "error_load_front", "error_drag_front", "rate_load_front", "rate_drag_front",
    "load_rear", "drag_rear", "error_load_rear", "error_drag_rear", "rate_load_rear", "rate_drag_rear",
    "load_mean", "drag_mean", "effort", "load_slow", "drag_slow", "effort_slow", "place", "speed",
    "amplitude", "wave", "torque", "sine", "cosine",
]  # fmt: skip
WaveOutput = Literal["amplitude", "wave", "yielding", "phase", "speed"]
UNITS = {"amplitude": 0.5, "wave": 2.0, "yielding": 0.3, "phase": 1.0, "speed": 0.5}  # typical size of each output
ODD = ("torque", "sine", "cosine")  # inputs whose sign a reflection of the robot changes


@dataclass(frozen=True)
class Learned(Policy):
    """Learned modulation of a wave: a network shared by all joints changes amplitude, wavelength, phase and speed."""

    gait: Slithering = THESIS_SLITHERING
    """nominal wave"""
    inputs: tuple[WaveInput, ...] = ("load", "drag")
    """inputs of the network at each joint"""
    outputs: tuple[WaveOutput, ...] = ("amplitude", "wave", "phase")
    """modulated values"""
    joints: Annotated[int, between(0, 1000, usual=(3, 30))] = 0
    """number of lateral joints that it was trained for; 0: any"""
    mirror: bool = True
    """whether the policy is mirror symmetric; then it has no inputs whose sign a reflection changes"""
    rates: Annotated[tuple[float, float, float], between(0.01, 100.0, usual=(0.5, 20.0))] = (3.0, 3.0, 3.0)
    """natural frequency of the filters of amplitude, wave and yielding [rad/s]"""
    damping: Annotated[tuple[float, float, float], above(0.0, usual=(0.05, 1.5))] = (1.0, 1.0, 1.0)
    """their damping ratios"""
    low: Annotated[tuple[float, float], usual(0.0, 10.0)] = (0.0, 3.0)
    """least amplitude [rad] and spatial frequency [rad/body]"""
    high: Annotated[tuple[float, float], usual(0.5, 20.0)] = (0.5 * pi, 16.0)
    """greatest amplitude [rad] and spatial frequency [rad/body]"""
    coupling: Annotated[float, at_least(0.0, usual=(1.0, 20.0))] = 10.0
    """phase coupling of neighbours [1/s]"""
    memory: Annotated[float, above(0.0, usual=(0.5, 10.0))] = 2.0
    """time constant of the slow inputs [s]"""
    angle_limit: Annotated[float, between(0.0, pi, usual=(0.5, 0.5 * pi))] = 0.5 * pi - 0.02
    """limit of joint angles [rad]"""

    def __post_init__(self) -> None:
        check_fields(self)
        odd = [name for name in self.inputs if name in ODD]
        require(not (self.mirror and odd), "inputs", odd, "none of torque, sine, cosine if mirror = true")
        for field in ("inputs", "outputs"):
            given = getattr(self, field)
            require(len(set(given)) == len(given) > 0, field, given, "one or more names that differ")
        require(self.gait.offset == 0.0, "gait.offset", self.gait.offset, "0")
        self.network.record(len(self.inputs), len(self.outputs))

    def kernel(self, robot: Robot, period: float) -> WavePolicyLaw:
        backbone = backbone_of(robot)
        joints = np.array(backbone.lateral, dtype=np.int64)
        if self.joints not in (0, joints.size):
            raise InvalidValue("joints", self.joints, f"{joints.size}, the lateral joints of {robot.called}")
        kinds, rows = get_args(WaveInput), get_args(WaveOutput)
        outputs = np.array([self.outputs.index(name) if name in self.outputs else -1 for name in rows], dtype=np.int64)
        assert outputs.size == OUTPUTS
        filters = [
            carried_over(1.0, 2.0 * ratio * rate, rate**2, period) for ratio, rate in zip(self.damping, self.rates)
        ]
        carry, push = (np.array(part) for part in zip(*filters))
        return WavePolicyLaw(
            joints=joints, place=backbone.place[joints], commanded=np.isfinite(backbone.place).astype(np.int64),
            inputs=np.array([kinds.index(name) for name in self.inputs], dtype=np.int64), outputs=outputs,
            network=self.network.record(len(self.inputs), len(self.outputs)),
            nominal=np.array([float(self.gait.amplitude), float(self.gait.spatial_frequency)]),
            low=np.array(self.low), high=np.array(self.high),
            carry=carry, push=push * np.array(self.rates)[:, None] ** 2,
            speed=self.phase_rate(robot), coupling=float(self.coupling), forget=1.0 - exp(-period / self.memory),
            period=float(period), angle_limit=float(self.angle_limit), phase=float(self.gait.phase),
        )  # fmt: skip

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.inputs), len(self.outputs)

    @property
    def units(self) -> tuple[float, ...]:
        return tuple(UNITS[name] for name in self.outputs)

    def phase_rate(self, robot: Robot) -> float:
        return 2.0 * pi * self.gait.frequency

    def from_phase(self, phase: float) -> Learned:
        return replace(self, gait=replace(self.gait, phase=phase))

    def memory_signals(self, robot: Robot, period: float, memory: NDArray) -> dict[str, Signal]:
        n = len(robot.yaw_joints)
        phase, high, wave = (memory[..., START + k * n : START + (k + 1) * n] for k in (0, 1, 3))
        oscillators = (
            ("oscillator_phase", phase, "rad", "phase of each oscillator"),
            ("oscillator_amplitude", high + self.gait.amplitude, "rad", "amplitude of each oscillator"),
            ("oscillator_wave", wave + self.gait.spatial_frequency, "rad/body", "spatial frequency behind each"),
        )
        return {
            "law_held": Signal(memory[..., HELD], "", "1 if readings were missing"),
            **self.moment_signals(memory),
            "wave_speed": Signal(memory[..., SPEED], "", "speed of the wave as a share of the nominal one"),
            **{name: Signal(value, unit, words, ("oscillator",)) for name, value, unit, words in oscillators},
        }
