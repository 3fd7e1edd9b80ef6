"""Observation of a simulated robot at one time."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from serpenoid.control.base import Observation, Truth
from serpenoid.engines.base import Moment
from serpenoid.engines.prediction import Model
from serpenoid.robots.imus import INERTIAL, imu_means


def sensed_at(moment: Moment, before: Moment | None = None) -> Observation:
    """Return the sensor readings and the ground truth; each quantity is computed when it is read.

    `before` is the previous reading of the IMUs. Without it they return instantaneous values.
    """
    engine = moment.engine
    truth = Truth(moment.quantity, Model(type(engine), engine.robot, engine.world))
    return Observation(moment.time, Senses(moment, before), truth)


class Senses:
    """Sensor readings of a robot: IMUs averaged since the previous reading, all others instantaneous.

    IMUs of planar robots are instantaneous.
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
