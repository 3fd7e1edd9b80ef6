"""Runs that the experiments on gaits share: the protocol FLAT, and what is read from a run."""

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
    """The protocol FLAT: so long a run, of which the start is left out."""

    duration: float = 25.0
    """simulated time [s]"""
    settle: float = 5.0
    """run-in that is left out [s]"""

    @classmethod
    def quick(cls) -> Self:
        return cls(duration=13.0, settle=3.0)

    @classmethod
    def tiny(cls) -> Self:
        return cls(duration=0.3, settle=0.1)


class Gone(NamedTuple):
    """What a run came to."""

    run: Trajectory
    speed: float  # [m/s]
    lengths_per_cycle: float
    direction: float  # against head first, positive to the left [deg]
    cost: float  # of transport
    climbed: float  # [m/s]
    slip: float  # [m/s]
    friction_per_metre: float  # work that contacts take per metre of way [J/m]


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


def apart(one: float, other: float) -> float:
    """Angle between two directions [deg], 0 to 180."""
    return float(np.degrees(abs(np.angle(np.exp(1j * radians(one - other))))))


def pace_of(run: Trajectory, settle: float, cycle: float) -> float:
    """Speed [m/s] along the way, which may be a circle, from places a cycle [s] apart: the body swings in each."""
    track = run["center_of_mass"][analysis.stretch(run.times, settle)][:: max(1, round(cycle / 0.02))]
    length = float(np.linalg.norm(np.diff(track[:, :2], axis=0), axis=1).sum())
    return length / max(len(track) - 1, 1) / cycle
