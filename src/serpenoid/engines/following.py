"""How prescribed joints follow held commands: a second-order filter with limits, as a motion over one period."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command
from serpenoid.gaits.base import polynomial
from serpenoid.kernels.records import Motion

BANDWIDTH = 60.0  # of the filter [rad/s], critically damped
FASTEST = 20.0  # largest joint rate [rad/s]
HARDEST = 2000.0  # largest joint acceleration [rad/s^2]


def following(position: NDArray, velocity: NDArray, command: Command, start: float, step: float, steps: int) -> Motion:
    """Joint angles over `steps` steps from a state (joints,) towards a held command; parabolas, a knot at every step.

    A commanded acceleration is taken as it is; else a commanded position or velocity draws the joint to itself, and a
    joint without any command comes to rest.
    """
    q, dq = position.copy(), velocity.copy()
    coefficients = np.empty((steps, 3, q.size))
    for i in range(steps):
        ddq = np.clip(acceleration(q, dq, command), -HARDEST, HARDEST)
        ddq = np.clip(dq + step * ddq, -FASTEST, FASTEST) / step - dq / step
        coefficients[i] = q, dq, 0.5 * ddq
        q = q + step * dq + 0.5 * step**2 * ddq
        dq = dq + step * ddq
    return polynomial(start + step * np.arange(steps + 1), coefficients)


def acceleration(q: NDArray, dq: NDArray, command: Command) -> NDArray:
    """What the filter asks for at a state (joints,) [rad/s^2]."""
    pull = np.nan_to_num(BANDWIDTH**2 * (command.position - q))
    drawn = pull + 2.0 * BANDWIDTH * (np.nan_to_num(command.velocity) - dq)
    return np.where(np.isnan(command.acceleration), drawn, command.acceleration)
