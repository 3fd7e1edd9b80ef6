"""A gait as position targets, held over each period, as the modules of a real snake take them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi
from typing import Annotated, Any

import numpy as np

from serpenoid.configuration import check_fields, usual
from serpenoid.control.kernel_law import WaveController
from serpenoid.gaits.base import Gait
from serpenoid.gaits.modular import Slithering
from serpenoid.kernels.laws.open_loop import OpenLoopLaw


@dataclass(frozen=True)
class OpenLoop(WaveController):
    """Commands a gait's angles alone, once a period, whatever is sensed: what compliant laws are measured against."""

    gait: Gait = Slithering()
    """the gait"""

    phase: Annotated[float, usual(-pi, pi)] = 0.0
    """by which the gait is ahead at the start [rad]"""

    def __post_init__(self) -> None:
        check_fields(self)

    def kernel(self, robot: Any, period: float) -> OpenLoopLaw:
        motion = self.gait.motion(robot)
        return OpenLoopLaw(motion._replace(phase_start=motion.phase_start + self.phase))

    def phase_rate(self, robot: Any) -> float:
        motion = self.gait.motion(robot)
        return float(np.abs(motion.rate[motion.amplitude != 0.0]).max(initial=0.0))

    def from_phase(self, phase: float) -> OpenLoop:
        return replace(self, phase=phase)
