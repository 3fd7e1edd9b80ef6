"""The wave of a slithering snake as a law: open loop, at its own rate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi
from typing import Annotated

import numpy as np

from serpenoid.configuration import at_least, check_fields, usual
from serpenoid.control.kernel_law import WaveController
from serpenoid.control.open_loop import GaitLaw, OpenLoop
from serpenoid.gaits.waves import CompoundSerpenoid
from serpenoid.kernels.laws.open_loop import OpenLoopLaw
from serpenoid.robots.base import Robot


@dataclass(frozen=True)
class SlitherWave(WaveController):
    """Lateral joints follow a wave that runs from head to tail, whatever is sensed; dorsal joints are held at 0."""

    amplitude: Annotated[float, at_least(0.0, usual=(0.3, 1.5))] = 0.25 * pi
    """of the joint angles [rad]"""
    spatial_frequency: Annotated[float, usual(0.0, 6.0 * pi)] = 3.0 * pi
    """phase of the wave along the whole body [rad]"""
    rate: Annotated[float, at_least(0.0, usual=(0.3, 4.0))] = 1.8
    """of the phase [rad/s]"""
    phase: Annotated[float, usual(-pi, pi)] = 0.0
    """of the wave at the start [rad]"""
    turn: Annotated[float, usual(-0.3, 0.3)] = 0.0
    """mean angle of the lateral joints, which steers [rad]"""

    def __post_init__(self) -> None:
        check_fields(self)

    def open_loop(self) -> OpenLoop:
        """The same with the wave as a gait."""
        wave, frequency = self.spatial_frequency, self.rate / (2.0 * pi)
        gait = CompoundSerpenoid(self.amplitude, 0.0, wave, wave, frequency, lateral_offset=self.turn)
        return OpenLoop(gait, self.phase)

    def start(self, robot: Robot, period: float, rng: np.random.Generator) -> GaitLaw:
        return GaitLaw(self, robot, period)

    def kernel(self, robot: Robot, period: float) -> OpenLoopLaw:
        return self.open_loop().kernel(robot, period)

    def phase_rate(self, robot: Robot) -> float:
        return self.rate

    def from_phase(self, phase: float) -> SlitherWave:
        return replace(self, phase=phase)
