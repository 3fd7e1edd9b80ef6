"""Sensor readings of a law at a tick."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner


class Sensed(NamedTuple):
    """Readings at one time; arrays over all joints and links, (0, 3) without IMUs."""

    time: float  # [s]
    position: NDArray  # (joints,) [rad]
    velocity: NDArray  # (joints,) [rad/s]
    torque: NDArray  # (joints,) of the drive on the joint [N m]
    accelerometer: NDArray  # (links, 3) specific force in each link's axes [m/s^2]
    gyroscope: NDArray  # (links, 3) angular velocity in each link's axes [rad/s]


class Errors(NamedTuple):
    """Sensor errors of the next ticks; with 0 ticks the sensors are ideal."""

    joints: NDArray  # (ticks, 3, joints) of angles, rates and torques; each tick overwrites them with its readings
    inertial: NDArray  # (ticks, 2, links, 3) of accelerometers and gyroscopes; overwritten likewise
    resolution: NDArray  # (5,) quantisation of the readings, 0: continuous


@inner
def read_sensor(value, error, resolution):
    """Return a reading: value plus error, rounded to the resolution."""
    out = value + error
    return np.rint(out / resolution) * resolution if resolution > 0.0 else out


@inner
def show_joints(errors, tick, sensed):
    """Replace the errors of a tick by the readings of the joints (3, joints)."""
    rows = errors.joints[tick]
    for kind in range(3):
        for j in range(rows.shape[1]):
            rows[kind, j] = read_sensor(sensed[kind, j], rows[kind, j], errors.resolution[kind])


@inner
def show_imus(errors, tick, felt, spin):
    """Replace the errors of a tick by the readings of the IMUs (links, 3)."""
    rows = errors.inertial[tick]
    for k in range(felt.shape[0]):
        for i in range(3):
            rows[0, k, i] = read_sensor(felt[k, i], rows[0, k, i], errors.resolution[3])
            rows[1, k, i] = read_sensor(spin[k, i], rows[1, k, i], errors.resolution[4])
