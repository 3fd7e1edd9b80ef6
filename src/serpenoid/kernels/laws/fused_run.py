"""What passes between the loop and an engine that runs a law inside its own compiled code."""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import NDArray


class Course(NamedTuple):
    """When a run is sampled and the law asked."""

    first: int  # step number at the start
    step: float  # [s]
    per_tick: int  # steps
    ticks: int
    every: int  # steps between two samples, which lie on multiples of it


class StopRule(NamedTuple):
    """A rule that ends a run: the frames of the front links are all outside of a rectangle; of no links: never."""

    low_x: float  # [m]
    low_y: float
    high_x: float
    high_y: float
    links: int


NEVER = StopRule(low_x=0.0, low_y=0.0, high_x=0.0, high_y=0.0, links=0)


class FusedRun(NamedTuple):
    """What a rollout with a law inside it leaves."""

    states: NDArray  # (samples, numbers) at the samples from the start on, that of the end not among them
    targets: NDArray  # (ticks, joints) [rad]
    memory: NDArray  # (ticks, numbers) of the law after each tick
    readings: NDArray  # (ticks, 3, joints) angles, rates and torques that it read; none of ideal sensors
    end: NDArray  # (numbers,) state at the end
    ticks: int  # that were run
    diverged: int  # the step that diverged or -1
    stopped: bool  # whether the rule ended the run
