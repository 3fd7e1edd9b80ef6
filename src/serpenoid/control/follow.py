"""A gait as a law: its targets at every tick, for plants that no compiled rollout can lead."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from serpenoid.configuration import check_fields
from serpenoid.control.base import Command, Controller, Observation
from serpenoid.gaits.base import Gait
from serpenoid.gaits.transition import Lead
from serpenoid.gaits.waves import Serpenoid
from serpenoid.kernels.motion import motion_samples
from serpenoid.robots.base import Robot


@dataclass(frozen=True)
class FollowGait(Controller):
    """Commands a gait's angles and rates, once a control period."""

    gait: Gait = Serpenoid()
    """the gait"""

    def __post_init__(self) -> None:
        check_fields(self)

    def start(self, robot: Robot, period: float, rng: np.random.Generator) -> FollowLaw:
        return FollowLaw(self, robot, period)


class FollowLaw:
    """A gait at work on one robot."""

    def __init__(self, controller: FollowGait, robot: Robot, period: float):
        self.robot, self.period, self.time = robot, period, 0.0
        self.lead = Lead.first(controller.gait, robot)

    def __call__(self, observation: Observation) -> Command:
        self.time = observation.time
        angle, rate, _ = (part[0] for part in motion_samples(self.lead.motion, np.array([observation.time])))
        return Command.empty(angle.size)._replace(position=angle, velocity=rate)

    def changed(self, controller: FollowGait) -> None:
        """Another gait takes over from the next tick on, without a jump."""
        self.lead = self.lead.followed_by(controller.gait, self.robot, self.time + self.period)
