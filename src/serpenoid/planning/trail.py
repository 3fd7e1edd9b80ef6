"""Trail: the path of a snake on passive wheels, driven by the head and followed by every link behind it.

The heading along the path is that of a centreline plus a wave, a sin(2 pi s / l) over the arc length s. Each link
takes the heading that the front had at its place, so that its wheels roll and do not slip. A negative speed retraces
the path.
"""

from __future__ import annotations

from math import cos, pi, sin
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

GRID = 0.005  # spacing of the stored headings [m]


class Wave(NamedTuple):
    """Wave of the heading along a trail."""

    amplitude: float  # [rad]
    length: float  # [m]

    def heading(self, s: NDArray | float) -> NDArray | float:
        """Return the heading relative to the centreline at arc length s [rad]."""
        return self.amplitude * np.sin(2.0 * pi * np.asarray(s) / self.length)

    def offset(self, s: float) -> float:
        """Return the distance of the path to the left of its centreline at arc length s [m], for small amplitudes."""
        return -self.amplitude * self.length / (2.0 * pi) * cos(2.0 * pi * s / self.length)


class Trail:
    """Headings of the centreline that the front has followed, and the arc length at which it is."""

    def __init__(self, wave: Wave, heading: float):
        self.wave, self.s, self.front = wave, 0.0, heading
        self.places, self.headings, self.count = np.zeros(256), np.full(256, heading), 1

    def advance(self, distance: float, curvature: float) -> None:
        """Move the front along the path; forward with a curvature of the centreline [1/m], backward as it came."""
        self.s += distance
        if distance < 0.0:
            self.front = float(self.center(self.s))
            return
        while self.count > 1 and self.places[self.count - 1] > self.s - distance:  # a new path begins here
            self.count -= 1
        self.front += distance * curvature
        if self.s >= self.places[self.count - 1] + GRID:
            self.store()

    def store(self) -> None:
        """Add the present front to the stored headings."""
        if self.count == self.places.size:
            self.places, self.headings = (np.append(part, np.zeros(part.size)) for part in (self.places, self.headings))
        self.places[self.count], self.headings[self.count] = self.s, self.front
        self.count += 1

    def center(self, s: NDArray | float) -> NDArray:
        """Return the heading of the centreline at arc lengths [rad]; constant before the start of the trail."""
        places, headings = self.places[: self.count], self.headings[: self.count]
        if self.s > places[-1]:
            places, headings = np.append(places, self.s), np.append(headings, self.front)
        return np.interp(s, places, headings)

    def heading(self, s: NDArray) -> NDArray:
        """Return the heading of the path at arc lengths [rad]."""
        return self.center(s) + self.wave.heading(s)

    def bends(self, behind: NDArray) -> NDArray:
        """Return the joint angles (links - 1,) between links whose middles are at distances behind the front."""
        return np.diff(self.heading(self.s - behind))


def turned(x: float, y: float, angle: float) -> tuple[float, float]:
    """Return a vector rotated by an angle."""
    return x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle)
