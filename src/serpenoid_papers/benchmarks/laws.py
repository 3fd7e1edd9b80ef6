"""Time of a tick of each control law: as a kernel, and from Python with everything that a loop calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from serpenoid.control import (
    CentralPatternGenerator,
    InertialTurning,
    JointAdmittance,
    KernelController,
    Observation,
    ShapeCompliance,
)
from serpenoid.control.kernel_law import KernelLaw, sensed_by
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.kernels.laws.tick import law_ticks
from serpenoid.robots import SeaSnake
from serpenoid.robots.base import Robot
from serpenoid_papers.benchmarks.base import Row, time_interleaved

PERIOD = 0.01
TICKS = 1000  # ticks in one compiled call


def laws() -> dict[str, KernelController]:
    """Return the timed laws."""
    presets = ShapeCompliance.presets()
    turning = replace(presets["sidewinding_ac_sfc"](), turning=InertialTurning())
    return {
        "slithering, all parameters yield": presets["slithering_awp"](), "rolling helix": presets["helix"](),
        "sidewinding with turning": turning, "joint admittance": JointAdmittance(),
        "pattern generator": CentralPatternGenerator(),
    }  # fmt: skip


def observe_push(robot: Robot) -> Observation:
    """Return the observation of a snake at rest that is pushed."""
    links = len(robot.link_names)
    still, torque = np.zeros(robot.joints), np.linspace(-1.0, 1.0, robot.joints)
    readings = {
        "joint_position": still, "joint_velocity": still, "joint_torque": torque,
        "accelerometer": np.tile([0.0, 0.0, STANDARD_GRAVITY], (links, 1)), "gyroscope": np.zeros((links, 3)),
    }  # fmt: skip
    return Observation(0.0, readings)


def rows() -> Iterator[Row]:
    """Yield the time of a tick of every law for 18 joints."""
    robot = SeaSnake()
    observation = observe_push(robot)
    for name, controller in laws().items():
        law = KernelLaw(controller, robot, PERIOD)
        sensed = sensed_by(observation, controller.needs_imu)

        def compiled(law: KernelLaw = law, sensed: Any = sensed) -> None:
            law_ticks(law.record, law.memory, sensed, law.target, TICKS)

        yield Row(f"tick of {name}, compiled", time_interleaved({"ours": compiled})["ours"] / TICKS, target="10 us")
        yield Row(f"tick of {name}, from Python, 99th percentile", slowest(law, observation), target="1 ms")


def slowest(law: KernelLaw, observation: Observation, count: int = 10_000) -> float:
    """Return the 99th percentile of the time of a tick with its signals [us]."""
    times = np.empty(count)
    for i in range(count):
        start = perf_counter()
        law(observation)
        law.signals()
        times[i] = perf_counter() - start
    return float(np.percentile(times, 99.0)) * 1e6
