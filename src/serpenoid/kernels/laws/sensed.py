"""What a law reads at a tick."""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import NDArray


class Sensed(NamedTuple):
    """Readings of one moment; arrays over all joints and links, (0, 3) where there is no IMU."""

    time: float  # [s]
    position: NDArray  # (joints,) [rad]
    velocity: NDArray  # (joints,) [rad/s]
    torque: NDArray  # (joints,) of the drive on the joint [N m]
    accelerometer: NDArray  # (links, 3) specific force in each link's axes [m/s^2]
    gyroscope: NDArray  # (links, 3) angular velocity in each link's axes [rad/s]
