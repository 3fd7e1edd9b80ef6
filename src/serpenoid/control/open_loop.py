"""A gait as position targets, held over each period, as the modules of a real snake take them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi
from typing import Annotated, Any

import numpy as np

from serpenoid.configuration import check_fields, usual
from serpenoid.control.kernel_law import KernelLaw, WaveController
from serpenoid.gaits.base import Gait
from serpenoid.gaits.modular import Slithering
from serpenoid.gaits.transition import Lead
from serpenoid.kernels.laws.open_loop import OpenLoopLaw
from serpenoid.robots.base import Robot
from serpenoid.support.kernel_inputs import motion_of


@dataclass(frozen=True)
class OpenLoop(WaveController):
    """Commands a gait's angles alone, once a period, whatever is sensed: what compliant laws are measured against."""

    gait: Gait = Slithering()
    """the gait"""

    phase: Annotated[float, usual(-pi, pi)] = 0.0
    """by which the gait is ahead at the start [rad]"""

    def __post_init__(self) -> None:
        check_fields(self)

    def start(self, robot: Robot, period: float, rng: np.random.Generator) -> GaitLaw:
        return GaitLaw(self, robot, period)

    def open_loop(self) -> OpenLoop:
        """This itself: controllers that tell a gait in other words are turned into this one."""
        return self

    def kernel(self, robot: Robot, period: float) -> OpenLoopLaw:
        motion = motion_of(self.gait, robot)
        return OpenLoopLaw(motion._replace(phase_start=motion.phase_start + self.phase))

    def phase_rate(self, robot: Robot) -> float:
        motion = motion_of(self.gait, robot)
        return float(np.abs(motion.rate[motion.amplitude != 0.0]).max(initial=0.0))

    def from_phase(self, phase: float) -> OpenLoop:
        return replace(self, phase=phase)


class GaitLaw(KernelLaw):
    """A gait at work, whatever kind of controller it is told by; another one takes over at its phase."""

    def __init__(self, controller: Any, robot: Robot, period: float):
        super().__init__(controller, robot, period)
        told = controller.open_loop()
        self.lead = Lead(told.gait, self.record.motion, 0.0, told.phase, 0.0)

    def changed(self, controller: Any) -> None:
        super().changed(controller)
        self.lead = self.lead.followed_by(controller.open_loop().gait, self.robot, self.time)
        self.record = OpenLoopLaw(self.lead.motion)
