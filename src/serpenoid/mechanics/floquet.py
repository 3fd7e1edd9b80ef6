"""Stability along a gait: the periodic orbit of a floating robot and the Floquet multipliers of its return map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue, SerpenoidError, positive
from serpenoid.mechanics.orbits import follow
from serpenoid.mechanics.return_map import ReturnMap
from serpenoid.robots.base import Robot
from serpenoid.support.kernel_inputs import motion_of
from serpenoid.worlds.water import WaterSurface

if TYPE_CHECKING:
    from serpenoid.gaits.base import Gait

OTHER_SPEEDS = (0.95, 1.1, 0.8, 1.3, 1.6)  # speeds from which an orbit is continued if Newton's method does not find it


@dataclass(frozen=True)
class Floquet:
    """A periodic orbit and its stability."""

    period: float  # [s]
    state: NDArray  # the engine's flat state on the orbit, at the start of a period
    multipliers: NDArray  # (9,) complex, largest first
    residual: float  # closing error of one period [m, -, m/s, rad/s]
    largest_roll: float  # of link 0 on the orbit [rad]

    @property
    def growth(self) -> float:
        """Growth rate of the fastest perturbation: log of the largest multiplier over the period [1/s]."""
        return float(np.log(np.abs(self.multipliers[0])) / self.period)

    @property
    def stable(self) -> bool:
        """True if no multiplier lies outside the unit circle, to the accuracy of the differences."""
        return bool(np.abs(self.multipliers[0]) < 1.0 + 1e-4)


def floquet(robot: Robot, world: WaterSurface, gait: Gait) -> Floquet:
    """Return the periodic orbit of a gait, and its multipliers.

    Newton's method from rest finds a small orbit. Otherwise the orbit is continued from the same gait at other
    speeds; near a resonance it may then be far from rest (see `largest_roll`).
    """
    if not gait.frequency > 0.0:
        raise InvalidValue("gait.frequency", gait.frequency, "above 0, because an orbit needs a periodic gait")
    turn = ReturnMap(robot, world, motion_of(gait, robot), 1.0 / gait.frequency)
    orbit = turn.find()
    ends = []
    for start in OTHER_SPEEDS if orbit is None else ():
        curve = follow(turn, start, 1.0)
        if curve.arrived:
            return describe(turn, curve.places[-1].orbit)
        ends += [f"{curve.furthest * gait.frequency:.3f} Hz"] if curve.places else []
    if orbit is None:
        turns = f": those continued from other speeds end at {', '.join(ends)}" if ends else ""
        raise SerpenoidError(f"no periodic orbit was found for {gait}{turns}")
    return describe(turn, orbit)


def describe(turn: ReturnMap, orbit: NDArray) -> Floquet:
    """Return the multipliers of an orbit."""
    values = np.linalg.eigvals(turn.derivative(orbit))
    error = float(np.abs(turn(orbit) - orbit).max())
    order = np.argsort(-np.abs(values))
    return Floquet(turn.period, turn.state(orbit), values[order], error, turn.largest_roll(orbit))


def orbits(robot: Robot, world: WaterSurface, gait: Gait, frequency: float, most: int = 40) -> list[Floquet]:
    """Return the periodic orbits of a gait between its own frequency and another [Hz], each with its multipliers.

    The list ends before that frequency if the curve of orbits turns back, or after `most` orbits.
    """
    positive("frequency", frequency)
    turn = ReturnMap(robot, world, motion_of(gait, robot), 1.0 / positive("gait.frequency", gait.frequency))
    curve = follow(turn, 1.0, frequency / gait.frequency, most)
    if not curve.places:
        raise SerpenoidError(f"no periodic orbit was found for {gait} to start from")
    return [describe(turn.faster(place.ratio), place.orbit) for place in curve.places]
