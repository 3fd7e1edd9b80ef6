"""What the sensors of a run said: taken from a trajectory here, or from a table by tables.py."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import SerpenoidError

NAMES = {"position": "joint_position", "velocity": "joint_velocity", "torque": "joint_torque"}
INERTIAL = ("accelerometer", "gyroscope")


class Readings(NamedTuple):
    """Sensors over time; None where they said nothing."""

    time: NDArray  # (samples,) [s]
    position: NDArray | None = None  # (samples, joints) [rad]
    velocity: NDArray | None = None  # (samples, joints) [rad/s]
    torque: NDArray | None = None  # (samples, joints) of the drives [N m]
    accelerometer: NDArray | None = None  # (samples, links, 3) [m/s^2]
    gyroscope: NDArray | None = None  # (samples, links, 3) [rad/s]
    path: NDArray | None = None  # (samples, 3) of the robot [m]
    others: dict[str, NDArray] | None = None  # further columns of a table by their names, each (samples,)

    def needed(self, *names: str) -> tuple[NDArray, ...]:
        """Some of them, refused where one is missing."""
        for name in names:
            if getattr(self, name) is None:
                what = "no IMU" if name in INERTIAL else f"no {NAMES[name].replace('_', ' ')}s"
                raise SerpenoidError(f"these readings hold {what}: an estimate needs {', '.join(names)}")
        return tuple(np.ascontiguousarray(getattr(self, name), dtype=float) for name in names)

    @property
    def period(self) -> float:
        """Mean time between two samples [s]."""
        if self.time.size < 2:
            raise SerpenoidError(f"readings of {self.time.size} sample have no period: an estimate needs two")
        return float(self.time[-1] - self.time[0]) / (self.time.size - 1)


def readings_of(run: Any) -> Readings:
    """The sensors of a trajectory, exact as it has them at its samples."""
    found = {name: run[NAMES.get(name, name)] for name in (*NAMES, *INERTIAL) if NAMES.get(name, name) in run}
    return Readings(np.asarray(run.times, dtype=float), **found)
