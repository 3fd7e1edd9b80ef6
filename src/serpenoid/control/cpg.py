"""Central pattern generator with joint-torque feedback, the baseline for shape-based compliance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between, check_fields, usual
from serpenoid.control.base import Signal
from serpenoid.control.kernel_law import WaveController
from serpenoid.control.shape_compliance import THESIS_SLITHERING
from serpenoid.control.shape_parameters import carried_over
from serpenoid.errors import require
from serpenoid.gaits.arc import backbone_of
from serpenoid.gaits.modular import Slithering
from serpenoid.kernels.laws.cpg import AMPLITUDE, HELD, START, WAVE, CpgLaw
from serpenoid.robots.base import Robot

ROWS = ("amplitude", "spatial_frequency")  # compliant values, in the order of the compiled law


@dataclass(frozen=True)
class Yielding:
    """Admittance of one value of every oscillator: M x'' + B x' + K x = sign F + bias, with x its deviation from the
    gait.

    F is the force of the environment on it. Units are those of the value, [u].
    """

    mass: Annotated[float, above(0.0, usual=(0.1, 5.0))] = 1.0
    """M, virtual mass [N m s^2/u^2]"""
    damping: Annotated[float, above(0.0, usual=(0.5, 10.0))] = 2.0
    """B, virtual damping [N m s/u^2]"""
    stiffness: Annotated[float, above(0.0, usual=(0.5, 10.0))] = 1.0
    """K, virtual stiffness [N m/u^2]"""
    sign: Annotated[float, between(-1.0, 1.0, usual=(-1.0, 1.0))] = 1.0
    """1 yields to torques, -1 pushes back, 0 ignores them"""
    bias: Annotated[float, usual(-10.0, 10.0)] = 0.0
    """constant force [N m/u]"""
    low: Annotated[float, usual(-1e6, 20.0)] = -1e6
    """least value [u]"""
    high: Annotated[float, usual(-10.0, 1e6)] = 1e6
    """greatest value [u]"""

    def __post_init__(self) -> None:
        check_fields(self)
        require(self.low < self.high, "low", self.low, f"below high, which is {self.high:g}")

    def over_period(self, period: float) -> tuple[NDArray, NDArray]:
        """Return the exact transition over a period [s]: matrices (4,) for x and x', and (2,) for a constant force."""
        return carried_over(self.mass, self.damping, self.stiffness, period)


@dataclass(frozen=True)
class CentralPatternGenerator(WaveController):
    """A chain of coupled phase oscillators whose amplitudes, wavelengths and phases yield independently at each
    joint.

    The thesis compares with a generator of another paper, whose amplitude and wavelength have damped-spring dynamics
    (p. 35). This one shares those dynamics; the rest is our own design.
    """

    gait: Slithering = THESIS_SLITHERING
    """nominal wave of the oscillators"""
    amplitude: Yielding = Yielding(mass=1.5, damping=3.0, stiffness=4.0, low=0.0, high=0.5 * pi)
    """admittance of the amplitude of every joint [rad]"""
    spatial_frequency: Yielding = Yielding(mass=2.0, damping=1.0, stiffness=1.0, low=2.0 * pi, high=4.0 * pi)
    """admittance of the spatial frequency between each pair of neighbours [rad]"""
    coupling: Annotated[float, at_least(0.0, usual=(1.0, 20.0))] = 10.0
    """phase coupling of neighbours [1/s]"""
    phase_gain: Annotated[float, usual(-2.0, 2.0)] = 0.5
    """phase rate of a joint per torque; negative: against the torque [1/(N m s rad)]"""
    angle_limit: Annotated[float, between(0.0, pi, usual=(0.5, 0.5 * pi))] = 0.5 * pi - 0.02
    """limit of joint angles [rad]"""

    def __post_init__(self) -> None:
        check_fields(self)
        for name in ROWS:
            own, value = getattr(self, name), getattr(self.gait, name)
            require(own.low <= value <= own.high, f"gait.{name}", value, f"within {(own.low, own.high)}")
        require(self.gait.offset == 0.0, "gait.offset", self.gait.offset, "0: the oscillators do not have one")

    def kernel(self, robot: Robot, period: float) -> CpgLaw:
        backbone = backbone_of(robot)
        joints = np.array(backbone.lateral, dtype=np.int64)
        rows = [getattr(self, name) for name in ROWS]
        carry, push = zip(*(p.over_period(period) for p in rows))
        nominal = np.array([float(getattr(self.gait, name)) for name in ROWS])
        sign, bias, low, high = (
            np.array([float(getattr(p, name)) for p in rows]) for name in ("sign", "bias", "low", "high")
        )
        return CpgLaw(
            joints, backbone.place[joints], np.isfinite(backbone.place).astype(np.int64), nominal, np.array(carry),
            np.array(push), sign, bias, low, high, self.phase_rate(robot),
            float(self.coupling), float(self.phase_gain), float(period), float(self.angle_limit),
            float(self.gait.phase),
        )  # fmt: skip

    def phase_rate(self, robot: Robot) -> float:
        return 2.0 * pi * self.gait.frequency

    def from_phase(self, phase: float) -> CentralPatternGenerator:
        return replace(self, gait=replace(self.gait, phase=phase))

    def carry_over(self, before: CpgLaw, after: CpgLaw, memory: NDArray) -> None:
        """Keep the current amplitudes and spatial frequencies, as if they had yielded to them."""
        n = before.joints.size
        for row, part in ((AMPLITUDE, 1), (WAVE, 3)):
            memory[START + part * n : START + (part + 1) * n] -= after.nominal[row] - before.nominal[row]

    def memory_signals(self, robot: Robot, period: float, memory: NDArray) -> dict[str, Signal]:
        n = len(robot.yaw_joints)
        phase, amplitude, wave = (memory[..., START + k * n : START + (k + 1) * n] for k in (0, 1, 3))
        return {
            "law_held": Signal(memory[..., HELD], "", "1 if readings were missing"),
            "oscillator_phase": Signal(phase, "rad", "phase of each oscillator", ("oscillator",)),
            "oscillator_amplitude": Signal(
                amplitude + self.gait.amplitude, "rad", "amplitude of each oscillator", ("oscillator",)
            ),
            "oscillator_wave": Signal(
                wave + self.gait.spatial_frequency, "rad/body", "spatial frequency behind each", ("oscillator",)
            ),
        }
