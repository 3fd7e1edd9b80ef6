"""How joints follow held commands: prescribed ones through a second-order filter with limits, driven ones by torque."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command
from serpenoid.gaits.base import polynomial
from serpenoid.kernels.laws.following import drawn_accelerations, followed_parabolas
from serpenoid.kernels.records import Actuation, Drive, Motion


def following(position: NDArray, velocity: NDArray, command: Command, start: float, step: float, steps: int) -> Motion:
    """Joint angles over `steps` steps from a state (joints,) towards a held command; parabolas, a knot at every step.

    A commanded acceleration is taken as it is; else a commanded position or velocity draws the joint to itself, and a
    joint without any command comes to rest.
    """
    targets = (np.ascontiguousarray(part, dtype=float) for part in command[:3])
    here = (np.ascontiguousarray(position), np.ascontiguousarray(velocity))
    return polynomial(start + step * np.arange(steps + 1), followed_parabolas(*here, *targets, step, steps))


def acceleration(q: NDArray, dq: NDArray, command: Command) -> NDArray:
    """What the filter asks for at states (samples, joints) [rad/s^2]."""
    return drawn_accelerations(*(np.ascontiguousarray(part, dtype=float) for part in (q, dq, *command[:3])))


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
