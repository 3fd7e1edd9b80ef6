"""Continuation of periodic orbits of a floating robot over the speed of its gait, also where the curve is steep.

An orbit is nine numbers (see return_map.py); the speed is a tenth. Each step follows the curve's tangent and returns
to the curve across it (Keller's pseudo-arclength). Nothing is divided by the slope of the curve.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.mechanics.return_map import CLOSED, SMALL, ReturnMap

FIRST, LONGEST, SHORTEST = 0.05, 0.3, 1e-4  # steps along the curve, in the units of the ten numbers
FEW = 4  # Newton iterations up to which the next step may be longer


class Place(NamedTuple):
    """A point of a curve of orbits."""

    orbit: NDArray  # (9,)
    ratio: float  # speed relative to that of the gait


@dataclass(frozen=True)
class Curve:
    """Orbits on a curve."""

    places: list[Place]
    arrived: bool  # whether it reached the requested speed

    @property
    def furthest(self) -> float:
        """Ratio of speeds furthest from the start of the curve."""
        return max((place.ratio for place in self.places), key=lambda ratio: abs(ratio - self.places[0].ratio))


def follow(turn: ReturnMap, start: float, end: float, most: int = 40) -> Curve:
    """Return orbits from `start` times the gait's speed towards `end` times, up to where the curve turned back."""
    orbit = turn.faster(start).find()
    places = [] if orbit is None else [Place(orbit, start)]
    for place in walk(turn, places[0], end, most) if places else ():
        places.append(place)
    arrived = bool(places) and places[-1].ratio == end
    return Curve(places, arrived)


def walk(turn: ReturnMap, place: Place, end: float, most: int) -> Iterator[Place]:
    """Yield the points after one, up to the speed `end`."""
    z, step = np.append(*place), FIRST
    side = np.sign(end - place.ratio)
    along = np.append(np.zeros(9), side)
    slope = slope_of(turn, z)
    for _ in range(most):
        along = np.linalg.lstsq(np.vstack((slope, along)), np.append(np.zeros(len(slope)), 1.0), rcond=1e-10)[0]
        along /= np.linalg.norm(along)
        reached, rounds = None, 0
        while reached is None and step > SHORTEST:
            reached, rounds = correct_guess(turn, z + step * along, along, slope)
            step = step if reached is not None else 0.5 * step
        if reached is None:
            return
        if side * (reached[9] - z[9]) < 0.0:
            yield Place(reached[:9], float(reached[9]))
            return
        if side * (reached[9] - end) >= 0.0:
            share = (end - z[9]) / (reached[9] - z[9])
            orbit = turn.faster(end).close(z[:9] + share * (reached[:9] - z[:9]))
            if orbit is not None:
                yield Place(orbit, end)
            return
        z, slope = reached, slope_of(turn, reached)
        yield Place(z[:9], float(z[9]))
        step = min(1.6 * step, LONGEST) if rounds < FEW else step


def correct_guess(turn: ReturnMap, guess: NDArray, along: NDArray, slope: NDArray) -> tuple[NDArray | None, int]:
    """Return the curve's point across the tangent from a guess, and the iterations used; None without convergence."""
    z = guess
    for rounds in range(8):
        error = np.append(error_of(turn, z), along @ (z - guess))
        if not np.isfinite(error).all():
            return None, rounds
        if np.abs(error).max() < CLOSED:
            return z, rounds
        if rounds % 2 == 0:
            slope = slope_of(turn, z)
        move = np.linalg.lstsq(np.vstack((slope, along)), -error, rcond=1e-10)[0]
        if np.abs(move).max() > LONGEST:
            return None, rounds
        z = z + move
    return None, 8


def error_of(turn: ReturnMap, z: NDArray) -> NDArray:
    """Return the closing error of a period, and the conserved quantities, which should be zero."""
    at = turn.faster(float(z[9]))
    return np.concatenate((at(z[:9]) - z[:9], at.conserved(z[:9])))


def slope_of(turn: ReturnMap, z: NDArray) -> NDArray:
    """Return the Jacobian (errors, 10) by central differences."""
    units = SMALL * np.eye(10)
    return np.array([(error_of(turn, z + u) - error_of(turn, z - u)) / (2.0 * SMALL) for u in units]).T
