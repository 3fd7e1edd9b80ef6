"""Sinusoidal formation of the built robot: joints swing one after the other between two angles, along polynomials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, between, check_fields, usual
from serpenoid.gaits.base import Gait, polynomial, shift_polynomial
from serpenoid.gaits.movements import SMOOTH_STEP, axes_at_rest, need
from serpenoid.kernels.records import Motion
from serpenoid.robots.base import Robot


@dataclass(frozen=True)
class Formation(Gait):
    """Swing the joints about the vertical one after the other, with zero velocity at each turning point."""

    amplitude: Annotated[float, usual(0.1, 0.8)] = 0.35
    """joint angle at the turning points [rad]"""
    period: Annotated[float, above(0.0, usual=(1.0, 10.0))] = 4.0
    """period of one full swing [s]"""
    cycles: Annotated[int, between(1, 1000, usual=(1, 10))] = 2
    """number of full swings of each joint"""
    lag: Annotated[float, between(0.0, 1.0, usual=(0.05, 0.25))] = 0.125
    """delay from joint to joint, as a fraction of the period"""

    def __post_init__(self) -> None:
        check_fields(self)

    def waypoints(self, robot: Robot) -> list[tuple[NDArray, NDArray]]:
        """Return the times [s] and angles [rad] at which each joint rests: start, every turning point, end."""
        level = axes_at_rest(robot)[:, 2]
        turning = need(robot, np.abs(level) > 0.9, "Formation", "about the vertical")
        quarters = np.concatenate([[0], np.arange(1, 4 * self.cycles, 2), [4 * self.cycles]])
        swing = self.amplitude * np.concatenate([[0.0], np.tile([1.0, -1.0], self.cycles), [0.0]])
        points = [(np.zeros(1), np.zeros(1))] * robot.joints
        for order, joint in enumerate(turning):
            times = self.period * (0.25 * quarters + self.lag * order)
            points[joint] = (times, swing * np.sign(level[joint]))
        return points

    def duration(self, robot: Robot) -> float:
        """Return the time at which the last joint comes to rest [s]."""
        return max(float(times[-1]) for times, _ in self.waypoints(robot))

    def motion(self, robot: Robot) -> Motion:
        """Return quintics from rest to rest through the waypoints."""
        return rest_to_rest(self.waypoints(robot))


def rest_to_rest(waypoints: list[tuple[NDArray, NDArray]]) -> Motion:
    """Return a Motion through the times and angles of each joint, at rest at each; the knots are the union of all
    times.
    """
    knots = np.unique(np.round(np.concatenate([times for times, _ in waypoints]), 12))
    coefficients = np.zeros((knots.size - 1, 6, len(waypoints)))
    for joint, (times, angles) in enumerate(waypoints):
        for segment, knot in enumerate(knots[:-1]):
            at = int(np.searchsorted(times, knot + 1e-9)) - 1
            if at < 0 or at >= times.size - 1:
                coefficients[segment, 0, joint] = angles[max(at, 0)]
                continue
            span = times[at + 1] - times[at]
            step = (angles[at + 1] - angles[at]) * SMOOTH_STEP / span ** np.arange(6)
            coefficients[segment, :, joint] = shift_polynomial(step, knot - times[at])
            coefficients[segment, 0, joint] += angles[at]
    return polynomial(knots, coefficients)
