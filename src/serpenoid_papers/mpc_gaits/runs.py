"""Runs shared by several experiments: a snake that plans its motion straight ahead, simulated by RK4."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid import analysis
from serpenoid.planning import Believed, Goal, Limits, Problem, RecedingHorizon, Torque
from serpenoid.robots import PlanarSnake
from serpenoid.scenarios.mpc import drop_missing
from serpenoid.simulation import simulate
from serpenoid.worlds import Plane

MEDIA: tuple[Any, ...] = ("dry", "viscous", "fluid")
SETTLE = 2.0  # transient that the paper excludes [s]
DURATION = 6.0  # duration of a run, as in the paper [s]
CORRECT = Believed()
SHORT = 2.4  # duration of a smoke test [s]


class Straight(NamedTuple):
    """Measures of a run straight ahead after its transient."""

    speed: float  # [m/s]
    power: float  # mean of sum |tau dq| [W]
    frequency: NDArray  # (joints,) frequency of the highest line of each joint [Hz]
    amplitude: NDArray  # (joints,) at the common line [rad]
    common: float  # line with the most power over all joints [Hz]
    seconds: NDArray  # (plans,) wall time [s]
    processor: NDArray  # (plans,) processor time [s]


def straight(
    truth: Plane,
    torque_weight: float = 0.01,
    goal: float = -20.0,
    horizon: int = 25,
    actions: int = 1,
    believed: Believed = CORRECT,
    joint_limit: float | None = Limits.joint_angle,
    duration: float = DURATION,
) -> Straight:
    """Run towards (goal, 0) with errors of the planner's model; repeated calls are cached."""
    robot = PlanarSnake()
    cost, limits = Goal((goal, 0.0)) + Torque(torque_weight), Limits(joint_angle=joint_limit)
    problem = Problem(believed.robot(robot), believed.world(truth), cost, horizon, limits=limits)
    return run_planner(robot, truth, problem, actions, duration)


@cache
def run_planner(robot: PlanarSnake, truth: Plane, problem: Problem, actions: int, duration: float) -> Straight:
    """Run the robot under the planner and measure the run."""
    controller = RecedingHorizon(problem, actions=actions)
    run = simulate(robot, truth, controller, duration, sample_period=0.001)
    spectrum = analysis.spectrum(run, start=SETTLE)
    lowest = int(np.searchsorted(spectrum.frequency, 2.0 / (duration - SETTLE)))
    peaks = lowest + spectrum.amplitude[lowest:].argmax(axis=0)
    found = analysis.oscillation(run, start=SETTLE)
    return Straight(
        analysis.speed(run, SETTLE), analysis.power(run, SETTLE), spectrum.frequency[peaks], found.amplitude,
        found.frequency, drop_missing(run["solve_time"]), drop_missing(run["solve_processor_time"]),
    )  # fmt: skip
