"""Sensor readings of a run, from a trajectory here or from a table by tables.py."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import from_plain
from serpenoid.errors import SerpenoidError, require
from serpenoid.robots.base import Robot, TreeRobot
from serpenoid.robots.imus import INERTIAL, frame_motion, imu_means
from serpenoid.robots.sensors import SENSED, short_name
from serpenoid.support.kernel_inputs import tree_of
from serpenoid.worlds.base import World


class Readings(NamedTuple):
    """Sensor readings over time; None for absent sensors."""

    time: NDArray  # (samples,) [s]
    position: NDArray | None = None  # (samples, joints) [rad]
    velocity: NDArray | None = None  # (samples, joints) [rad/s]
    torque: NDArray | None = None  # (samples, joints) of the drives [N m]
    accelerometer: NDArray | None = None  # (samples, links, 3) [m/s^2]
    gyroscope: NDArray | None = None  # (samples, links, 3) [rad/s]
    path: NDArray | None = None  # (samples, 3) of the robot [m]
    others: dict[str, NDArray] | None = None  # other columns of a table by name, each (samples,)
    sensed: dict[str, NDArray] | None = None  # other rows of robots.sensors.SENSED, each (samples, ...)

    def needed(self, *names: str) -> tuple[NDArray, ...]:
        """Return the named readings; raise an error if one is missing."""
        for name in names:
            if getattr(self, name) is None:
                what = name if name in SENSED else f"joint {name}"
                raise SerpenoidError(f"these readings contain no {what}: an estimate needs {', '.join(names)}")
        return tuple(np.ascontiguousarray(getattr(self, name), dtype=float) for name in names)

    def fitting(self, robot: Robot, *names: str) -> tuple[NDArray, ...]:
        """Return the named readings; raise an error if one is missing or does not match the joints and links."""
        found, count = self.needed(*names), self.time.size
        for name, part in zip(names, found):
            if name in INERTIAL:
                check_shape(name, part, (count, robot.joints + 1, 3), f"(samples, links, 3) for {robot.called}")
            else:
                check_shape(name, part, (count, robot.joints), f"(samples, joints) for {robot.called}")
        return found

    @property
    def period(self) -> float:
        """Mean sampling period [s]."""
        if self.time.size < 2:
            raise SerpenoidError(f"readings of {self.time.size} sample have no period: an estimate needs two")
        span = float(self.time[-1] - self.time[0])
        require(span > 0.0, "time", (float(self.time[0]), float(self.time[-1])), "rising")
        return span / (self.time.size - 1)


def check_shape(name: str, values: NDArray, shape: tuple[int, ...], meaning: str) -> None:
    """Raise InvalidValue if an array does not have the given shape."""
    require(values.shape == shape, f"shape of {name}", values.shape, f"{shape}, {meaning}")


def readings_of(run: Any) -> Readings:
    """Return the noise-free sensor readings of a trajectory: joints at its samples, spatial IMUs averaged in between.

    The trajectory itself contains IMU readings at the instant of each sample.
    """
    known = {short_name(name): run[name] for name in SENSED if name in run}
    found = {name: values for name, values in known.items() if name in Readings._fields}
    times = np.asarray(run.times, dtype=float)
    if times.size > 1 and all(name in run for name in (*INERTIAL, "link_pose", "base_twist")):
        found |= means_between(run, times)
    return Readings(times, **found, sensed={name: known[name] for name in known.keys() - found.keys()})


def means_between(run: Any, times: NDArray) -> dict[str, NDArray]:
    """Return IMU readings (samples, links, 3), each the mean since the previous sample; the first equals the second.

    Return nothing for a planar robot, or if the run does not identify robot and world, their class is unavailable, or
    its script changed them. Readings then stay those of the sample instants.
    """
    plain, rows = run.configuration, json.loads(run.attributes.get("script", "[]"))
    if not {"robot", "world"} <= plain.keys() or any(row["what"].startswith(("robot.", "world.")) for row in rows):
        return {}
    try:
        robot, world = from_plain(plain["robot"], Robot, "robot"), from_plain(plain["world"], World, "world")
    except SerpenoidError:
        return {}
    if not isinstance(robot, TreeRobot):
        return {}
    turn, velocity = frame_motion(tree_of(robot).parent, run["link_pose"], run["gyroscope"], run["base_twist"])
    passed = np.diff(times)[:, None, None]
    means = imu_means((turn[:-1], turn[1:]), (velocity[:-1], velocity[1:]), world.gravity_vector, passed)
    return {name: np.concatenate([values[:1], values]) for name, values in means.items()}
