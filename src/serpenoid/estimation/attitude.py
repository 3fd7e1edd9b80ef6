"""Attitude of the head from the IMUs of all links: in motion by a complementary filter, at rest by gravity alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, between, check_fields
from serpenoid.errors import Unsupported, require
from serpenoid.estimation.readings import Readings
from serpenoid.kernels.laws.sensed import Sensed
from serpenoid.kernels.pose.inertial import Inertial, filter_history


@dataclass(frozen=True)
class ComplementaryFilter:
    """Gyroscopes carry the attitude from tick to tick, accelerometers turn back a share of its tilt.

    Readings of all links are brought into the head's axes, joint rates taken off, and averaged. Yaw comes from the
    gyroscopes alone and drifts with their bias.
    """

    gain: Annotated[float, between(0.0, 1.0, usual=(0.001, 0.5))] = 0.02
    """share of the tilt's error that a tick takes back, divided by 1 + the turning rate in rad/s"""
    band: Annotated[float, above(0.0, usual=(0.5, 5.0))] = 1.0
    """how far the mean of the accelerometers may be from gravity to be believed [m/s^2]"""
    links: Annotated[int, between(0, 1000, usual=(0, 20))] = 0
    """how many IMUs are used, spread evenly from head to tail; 0: all"""

    def __post_init__(self) -> None:
        check_fields(self)

    def body(self, robot: Any) -> Inertial:
        """The links of a robot as compiled code takes them."""
        if not hasattr(robot, "tree"):
            raise Unsupported(f"{robot.called} moves in the plane: an attitude needs a robot in space")
        tree = robot.tree()
        count = tree.parent.size
        require(self.links <= count, "links", self.links, f"at most the robot's {count}")
        used = np.unique(np.round(np.linspace(0, count - 1, self.links or count)).astype(int))
        share = np.zeros(count)
        share[used] = 1.0 / used.size
        return Inertial(
            tree.parent, tree.rotation, tree.offset, tree.axis, tree.center, share, float(self.gain), float(self.band)
        )

    def run(self, robot: Any, readings: Readings, start: NDArray | None = None) -> NDArray:
        """Quaternions w x y z of the head (samples, 4); without a start it is levelled, x along the world's."""
        position, velocity, force, rate = readings.needed("position", "velocity", "accelerometer", "gyroscope")
        sensed = Sensed(0.0, position, velocity, np.zeros_like(position), force, rate)
        first = np.zeros(4) if start is None else np.ascontiguousarray(start, dtype=float)
        return filter_history(self.body(robot), sensed, first, readings.period)


def pose_at_rest(robot: Any, readings: Readings) -> NDArray:
    """Quaternion w x y z (4,) of the head of a snake that lies still: gravity over all links and samples (p. 53).

    Yaw cannot be seen: the head's x axis points along the world's, seen from above.
    """
    position, force = readings.needed("position", "accelerometer")
    mean = (position.mean(axis=0)[None], force.mean(axis=0)[None])
    still = np.zeros_like(mean[0])
    sensed = Sensed(0.0, mean[0], still, still, mean[1], np.zeros_like(mean[1]))
    return filter_history(ComplementaryFilter().body(robot), sensed, np.zeros(4), 1.0)[0]
