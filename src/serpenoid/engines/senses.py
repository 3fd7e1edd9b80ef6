"""What a simulated robot senses at a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from serpenoid.robots.base import TreeRobot
from serpenoid.robots.imus import INERTIAL, frame_motion, imu_means

if TYPE_CHECKING:
    from serpenoid.engines.base import Moment


class Senses:
    """What a simulated robot senses at a moment: IMUs since the moment before, all else at once.

    Robots in the plane, and a run at its start, show what IMUs feel at the moment itself.
    """

    def __init__(self, moment: Moment, before: Moment | None):
        self.moment, self.before = moment, before if isinstance(moment.engine.robot, TreeRobot) else None
        self.means: dict[str, NDArray] | None = None

    def __call__(self, name: str) -> Any:
        if name not in INERTIAL or self.before is None:
            return self.moment.quantity(name)
        if self.means is None:
            moments = (self.before, self.moment)
            turns, velocities = zip(*(motion_of(each) for each in moments))
            time = self.moment.time - self.before.time
            self.means = imu_means(turns, velocities, self.moment.engine.world.gravity_vector, time)
        return self.means[name]


def motion_of(moment: Moment) -> tuple[NDArray, NDArray]:
    """Quaternions (links, 4) and velocities (links, 3) of the frames of a robot in space."""
    known = (moment.quantity(name) for name in ("link_pose", "gyroscope", "base_twist"))
    return frame_motion(moment.engine.robot.tree().parent, *known)
