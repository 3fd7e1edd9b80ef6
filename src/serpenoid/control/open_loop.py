"""Open-loop control: a gait as targets, constant over each period, as the modules of a real snake receive them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi
from typing import Annotated, Any

import numpy as np

from serpenoid.configuration import check_fields, usual
from serpenoid.control.base import Command, Law, Observation
from serpenoid.control.kernel_law import KernelLaw, WaveController
from serpenoid.gaits.base import Gait
from serpenoid.gaits.modular import Slithering
from serpenoid.gaits.transition import Lead
from serpenoid.kernels.laws.open_loop import OpenLoopLaw
from serpenoid.kernels.motion import motion_samples
from serpenoid.robots.base import Robot
from serpenoid.support.kernel_inputs import motion_of


@dataclass(frozen=True)
class OpenLoop(WaveController):
    """A gait commanded once per period, independent of sensors: the baseline for compliant laws."""

    gait: Gait = Slithering()
    """the gait"""
    phase: Annotated[float, usual(-pi, pi)] = 0.0
    """initial phase lead of the gait [rad]"""
    rates: bool = False
    """whether joint rates are commanded as well"""

    def __post_init__(self) -> None:
        check_fields(self)

    def start(self, robot: Robot, period: float, rng: np.random.Generator) -> Law:
        return RateLaw(self, robot, period) if self.rates else AngleLaw(self, robot, period)

    def lead(self, robot: Robot) -> Lead:
        """Return the gait from the start, advanced by the phase."""
        motion = motion_of(self.gait, robot)
        return Lead(self.gait, motion._replace(phase_start=motion.phase_start + self.phase), 0.0, self.phase, 0.0)

    def kernel(self, robot: Robot, period: float) -> OpenLoopLaw:
        return OpenLoopLaw(self.lead(robot).motion)

    def phase_rate(self, robot: Robot) -> float:
        motion = motion_of(self.gait, robot)
        return float(np.abs(motion.rate[motion.swing != 0.0]).max(initial=0.0))

    def from_phase(self, phase: float) -> OpenLoop:
        return replace(self, phase=phase)


class AngleLaw(KernelLaw):
    """Angles of a gait; another gait takes over at its phase."""

    def __init__(self, controller: OpenLoop, robot: Robot, period: float):
        super().__init__(controller, robot, period)
        self.lead = controller.lead(robot)

    def changed(self, controller: Any) -> None:
        super().changed(controller)
        self.lead = self.lead.followed_by(controller.gait, self.robot, self.time)
        self.record = OpenLoopLaw(self.lead.motion)


class RateLaw:
    """Angles and rates of a gait; another gait takes over at its phase."""

    def __init__(self, controller: OpenLoop, robot: Robot, period: float):
        self.robot, self.period, self.time = robot, period, 0.0
        self.lead = controller.lead(robot)

    def __call__(self, observation: Observation) -> Command:
        self.time = observation.time + self.period
        angle, rate, _ = (part[0] for part in motion_samples(self.lead.motion, np.array([observation.time])))
        return Command.empty(angle.size)._replace(position=angle, velocity=rate)

    def changed(self, controller: OpenLoop) -> None:
        """Switch to another gait at the next tick, without a jump."""
        self.lead = self.lead.followed_by(controller.gait, self.robot, self.time)
