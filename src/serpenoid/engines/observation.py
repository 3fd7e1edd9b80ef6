"""What a simulated robot senses at a moment."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from serpenoid.control.base import Observation, Truth
from serpenoid.engines.base import Moment
from serpenoid.robots.imus import INERTIAL, imu_means


def sensed_at(moment: Moment, before: Moment | None = None) -> Observation:
    """What the robot senses, and the truth; each quantity is computed when it is read.

    before: when IMUs were read before; none: they show what they feel at the moment itself.
    """
    return Observation(moment.time, Senses(moment, before), Truth(moment.quantity))


class Senses:
    """The senses of a robot at a moment: IMUs since the moment before, all else at once.

    Those of robots in the plane show the moment itself.
    """

    def __init__(self, moment: Moment, before: Moment | None):
        self.moment, self.before = moment, before if moment.engine.parents is not None else None
        self.means: dict[str, NDArray] | None = None

    def __call__(self, name: str) -> Any:
        if name not in INERTIAL or self.before is None:
            return self.moment.quantity(name)
        if self.means is None:
            turns, velocities = zip(self.before.frames, self.moment.frames)
            time = self.moment.time - self.before.time
            self.means = imu_means(turns, velocities, self.moment.engine.world.gravity_vector, time)
        return self.means[name]
