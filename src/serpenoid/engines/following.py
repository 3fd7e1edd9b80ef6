"""How joints follow held commands: prescribed ones through a second-order filter with limits, driven ones by torque."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command
from serpenoid.gaits.base import polynomial
from serpenoid.kernels.planar_step import Actuation
from serpenoid.kernels.records import Drive, Motion

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


def held(gains: Drive, command: Command) -> Actuation:
    """A held command as what leads driven joints: the commanded rate enters through the feedforward torque."""
    position, velocity, torque = (np.asarray(part, dtype=float) for part in (command[0], command[1], command[3]))
    tracked = ~np.isnan(position) | ~np.isnan(velocity)
    damping = np.where(tracked, gains.damping, 0.0)
    drive = Drive(np.where(np.isnan(position), 0.0, gains.stiffness), damping, gains.limit)
    feedforward = np.nan_to_num(torque) + damping * np.nan_to_num(velocity)
    return Actuation(still(np.nan_to_num(position)), drive, feedforward)


def still(position: NDArray) -> Motion:
    """A motion that stays where it is."""
    nothing = np.zeros(position.size)
    return Motion(0.0, 0.0, nothing, position, nothing, nothing, np.zeros(2), np.zeros((1, 1, position.size)))
