"""A gait as position targets, held over each period, as the modules of a real snake take them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from serpenoid.control.kernel_law import KernelController
from serpenoid.gaits.base import Gait
from serpenoid.gaits.waves import Serpenoid
from serpenoid.kernels.laws.open_loop import OpenLoopLaw


@dataclass(frozen=True)
class OpenLoop(KernelController):
    """Commands a gait's angles alone, once a period, whatever is sensed: what compliant laws are measured against."""

    gait: Gait = Serpenoid()
    """the gait"""

    def kernel(self, robot: Any, period: float) -> OpenLoopLaw:
        return OpenLoopLaw(self.gait.motion(robot))
