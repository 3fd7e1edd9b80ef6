"""Runs shared by the experiments on gaits: the protocol FLAT, and measures of a run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import radians
from typing import NamedTuple, Self

import numpy as np

from serpenoid import analysis
from serpenoid.scenarios.gait_run import GaitRun
from serpenoid.trajectory import Trajectory
from serpenoid_papers.base import ExperimentConfig


@dataclass(frozen=True)
class FlatConfig(ExperimentConfig):
    """Protocol FLAT: duration of a run, and of its excluded transient."""

    duration: float = 25.0
    """simulated time [s]"""
    settle: float = 5.0
    """initial transient excluded from averages [s]"""

    @classmethod
    def quick(cls) -> Self:
        return cls(duration=13.0, settle=3.0)

    @classmethod
    def tiny(cls) -> Self:
        return cls(duration=0.3, settle=0.1)


class Gone(NamedTuple):
    """Measures of a run."""

    run: Trajectory
    speed: float  # [m/s]
    lengths_per_cycle: float
    direction: float  # relative to head first, positive to the left [deg]
    cost: float  # cost of transport
    climbed: float  # [m/s]
    slip: float  # [m/s]
    friction_per_metre: float  # work of contact friction per metre of travel [J/m]


def go(scenario: GaitRun, config: FlatConfig) -> Gone:
    """Run a scenario by the protocol."""
    scenario = replace(scenario, duration=config.duration, settle=config.settle)
    run = scenario.run()
    found = {name: quantity.value for name, quantity in scenario.summary(run).items()}
    span = config.duration - config.settle
    speed, lost = float(found["speed"]), 0.0
    if "work_contact" in run:
        work = run["work_contact"][analysis.stretch(run.times, config.settle)]
        lost = float(work[0] - work[-1]) / max(speed * span, 1e-9)
    return Gone(
        run, speed, float(found["lengths_per_cycle"]), float(found.get("direction", np.nan)),
        float(found["cost_of_transport"]), float(found["climbed"]) / span, float(found.get("slip", 0.0)), lost,
    )  # fmt: skip


def angle_between(one: float, other: float) -> float:
    """Return the angle between two directions [deg], 0 to 180."""
    return float(np.degrees(abs(np.angle(np.exp(1j * radians(one - other))))))


def pace_of(run: Trajectory, settle: float, cycle: float) -> float:
    """Return the speed [m/s] along the path, which may be a circle, from positions one cycle [s] apart."""
    track = run["center_of_mass"][analysis.stretch(run.times, settle)][:: max(1, round(cycle / 0.02))]
    length = float(np.linalg.norm(np.diff(track[:, :2], axis=0), axis=1).sum())
    return length / max(len(track) - 1, 1) / cycle
