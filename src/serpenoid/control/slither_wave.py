"""The wave of a slithering snake as a law: open loop, at its own rate."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Annotated, Any

from serpenoid.configuration import at_least, check_fields, usual
from serpenoid.control.kernel_law import KernelController
from serpenoid.gaits.waves import CompoundSerpenoid
from serpenoid.kernels.laws.open_loop import OpenLoopLaw


@dataclass(frozen=True)
class SlitherWave(KernelController):
    """Lateral joints follow a wave that runs from head to tail, whatever is sensed; dorsal joints are held at 0."""

    amplitude: Annotated[float, at_least(0.0, usual=(0.3, 1.5))] = 0.25 * pi
    """of the joint angles [rad]"""
    spatial_frequency: Annotated[float, usual(0.0, 6.0 * pi)] = 3.0 * pi
    """phase of the wave along the whole body [rad]"""
    rate: Annotated[float, at_least(0.0, usual=(0.3, 4.0))] = 1.8
    """of the phase [rad/s]"""
    phase: Annotated[float, usual(-pi, pi)] = 0.0
    """of the wave at the start [rad]"""

    def __post_init__(self) -> None:
        check_fields(self)

    def gait(self) -> CompoundSerpenoid:
        """The wave as a gait, its phase at the start apart."""
        return CompoundSerpenoid(
            self.amplitude, 0.0, self.spatial_frequency, self.spatial_frequency, self.rate / (2.0 * pi)
        )  # fmt: skip

    def kernel(self, robot: Any, period: float) -> OpenLoopLaw:
        motion = self.gait().motion(robot)
        return OpenLoopLaw(motion._replace(phase_start=motion.phase_start + self.phase))
