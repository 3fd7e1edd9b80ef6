"""Interface records between the loop and an engine that runs a law inside its compiled code."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from serpenoid.kernels.laws.sensed import Errors


class Course(NamedTuple):
    """Timing of a run: its samples and ticks."""

    first: int  # step number at the start
    step: float  # [s]
    per_tick: int  # steps
    ticks: int
    every: int  # steps between two samples; sampled steps are multiples of it


class StopRule(NamedTuple):
    """Rule that ends a run once the frames of all front links are outside a rectangle; never with 0 links."""

    low_x: float  # [m]
    low_y: float
    high_x: float
    high_y: float
    links: int


NEVER = StopRule(low_x=0.0, low_y=0.0, high_x=0.0, high_y=0.0, links=0)


class FusedTask(NamedTuple):
    """Law to run inside an engine, and the course of the run; memory and target change in place."""

    law: Any  # record of the law
    memory: NDArray  # (numbers,) of the law
    target: NDArray  # (joints,) commanded before the first tick [rad], or [N m] if torques
    torques: bool  # whether the law commands torques instead of angles
    imu: bool  # whether the law reads IMUs
    rule: StopRule
    errors: Errors  # of the sensors
    course: Course


class FusedRun(NamedTuple):
    """Result of a rollout with a fused law."""

    states: NDArray  # (samples, numbers) at the samples, including the start, excluding the end
    targets: NDArray  # (ticks, joints) [rad]
    memory: NDArray  # (ticks, numbers) of the law after each tick
    readings: NDArray  # (ticks, 3, joints) angles, rates and torques read by the law; empty for ideal sensors
    end: NDArray  # (numbers,) state at the end
    ticks: int  # number of completed ticks
    diverged: int  # step that diverged, or -1
    stopped: bool  # whether the rule ended the run
