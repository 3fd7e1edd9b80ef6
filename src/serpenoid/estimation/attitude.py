"""Attitude of the head from the IMUs of all links: a complementary filter in motion, gravity alone at rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, between, check_fields
from serpenoid.errors import InvalidValue, Unsupported, require
from serpenoid.estimation.readings import Readings
from serpenoid.kernels.laws.sensed import Sensed
from serpenoid.kernels.pose.inertial import Inertial, filter_history
from serpenoid.robots.base import Robot, TreeRobot
from serpenoid.support.kernel_inputs import tree_of


@dataclass(frozen=True)
class ComplementaryFilter:
    """Complementary filter: gyroscopes integrate the attitude, accelerometers correct a fraction of its tilt per
    tick.

    Readings of all links are rotated into the head's axes, corrected for joint rates, and averaged. Yaw comes from
    the gyroscopes alone and drifts with their bias.
    """

    gain: Annotated[float, between(0.0, 1.0, usual=(0.001, 0.5))] = 0.02
    """fraction of the tilt error corrected per tick, divided by 1 + the angular rate in rad/s"""
    band: Annotated[float, above(0.0, usual=(0.5, 5.0), most=1e6)] = 1.0
    """largest deviation of the mean specific force from gravity at which tilt is corrected [m/s^2]"""
    links: Annotated[int, between(0, 1000, usual=(0, 20))] = 0
    """number of IMUs used, spaced evenly from head to tail; 0: all"""

    def __post_init__(self) -> None:
        check_fields(self)

    def body(self, robot: Robot) -> Inertial:
        """Return the links of a robot for compiled code."""
        if not isinstance(robot, TreeRobot):
            raise Unsupported(f"{robot.called} moves in the plane: an attitude needs a spatial robot")
        tree = tree_of(robot)
        count = tree.parent.size
        require(self.links <= count, "links", self.links, f"at most the robot's {count}")
        used = np.unique(np.round(np.linspace(0, count - 1, self.links or count)).astype(int))
        share = np.zeros(count)
        share[used] = 1.0 / used.size
        return Inertial(
            tree.parent, tree.rotation, tree.offset, tree.axis, tree.center, share, float(self.gain), float(self.band)
        )

    def run(self, robot: Robot, readings: Readings, start: NDArray | None = None) -> NDArray:
        """Return quaternions w x y z of the head (samples, 4); without a start it is levelled, x along the world's x.

        If a reading is missing (NaN) the attitude is kept, so a rotation during a gap is lost. Before the first
        reading it is NaN.
        """
        body = self.body(robot)
        force, rate, position = readings.fitting(robot, "accelerometer", "gyroscope", "position")
        sensed = Sensed(0.0, position, joint_rates(robot, readings), np.zeros_like(position), force, rate)
        return filter_history(body, sensed, attitude_of(start), readings.period)


def attitude_of(start: NDArray | None) -> NDArray:
    """Normalise a quaternion (4,); return zeros if none is given."""
    if start is None:
        return np.zeros(4)
    given = np.ascontiguousarray(start, dtype=float)
    good = given.shape == (4,) and bool(np.isfinite(given).all()) and bool(given.any())
    require(good, "start", start, "a quaternion w x y z: four numbers that are not all 0")
    return given / np.linalg.norm(given)


def joint_rates(robot: Robot, readings: Readings) -> NDArray:
    """Return joint rates (samples, joints) [rad/s]: measured, else from differences of angles, else zero.

    The filter differentiates angles itself and reads these only at the first sample after a gap.
    """
    (position,) = readings.needed("position")
    rates = np.diff(position, axis=0, prepend=position[:1]) / readings.period
    if readings.velocity is not None:
        (recorded,) = readings.fitting(robot, "velocity")
        rates = np.where(np.isfinite(recorded), recorded, rates)
    return np.where(np.isfinite(rates), rates, 0.0)


def pose_at_rest(robot: Robot, readings: Readings) -> NDArray:
    """Return the quaternion w x y z (4,) of the head of a snake at rest: gravity over all links and samples (p. 53).

    Yaw is not observable: the head's x axis points along the world's, seen from above.
    """
    body = ComplementaryFilter().body(robot)
    force, position = readings.fitting(robot, "accelerometer", "position")
    mean = (known_mean("position", position)[None], known_mean("accelerometer", force)[None])
    still = np.zeros_like(mean[0])
    sensed = Sensed(0.0, mean[0], still, still, mean[1], np.zeros_like(mean[1]))
    return filter_history(body, sensed, np.zeros(4), 1.0)[0]


def known_mean(name: str, values: NDArray) -> NDArray:
    """Average the known samples (first axis); raise InvalidValue if an entry is never known."""
    known = np.isfinite(values)
    for place in np.argwhere(~known.any(axis=0)):
        raise InvalidValue(f"{name}[:, {', '.join(map(str, place))}]", np.nan, "known in at least one sample")
    return np.where(known, values, 0.0).sum(axis=0) / known.sum(axis=0)
