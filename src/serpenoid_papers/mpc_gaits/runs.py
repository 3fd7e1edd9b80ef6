"""Runs shared by several experiments: a snake that plans its motion straight ahead, simulated by RK4."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid import analysis
from serpenoid.planning import Believed, Estimator, Goal, Limits, Problem, RecedingHorizon, Torque, TrueState
from serpenoid.robots import PlanarSnake
from serpenoid.scenarios.mpc import drop_missing, position_error
from serpenoid.simulation import simulate
from serpenoid.worlds import Plane

MEDIA: tuple[Any, ...] = ("dry", "viscous", "fluid")
SETTLE = 2.0  # transient that the paper excludes [s]
DURATION = 6.0  # duration of a run, as in the paper [s]
CORRECT, SNAKE, TRUE_STATE = Believed(), PlanarSnake(), TrueState()
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
    drift: float = 0.0  # largest error of the estimated position of the head [m]


class Wanted(NamedTuple):
    """Terms of the cost."""

    goal: float = -20.0  # x of the goal, whose y is 0 [m]
    torque_weight: float = 0.01
    squared: bool = False  # whether the cost has the squared distance


class Settings(NamedTuple):
    """Settings of the planner."""

    horizon: int = 25
    actions: int = 1
    iterations: int = 4
    joint_limit: float | None = Limits.joint_angle
    regularisation: float = RecedingHorizon.regularisation


class Snake(NamedTuple):
    """Robot, and what its planner knows of it."""

    estimator: Estimator = TRUE_STATE
    robot: PlanarSnake = SNAKE
    believed: Believed = CORRECT


WANTED, SETTINGS, PLANAR = Wanted(), Settings(), Snake()


def straight(
    truth: Plane,
    wanted: Wanted = WANTED,
    settings: Settings = SETTINGS,
    snake: Snake = PLANAR,
    duration: float = DURATION,
    seed: int = 0,
) -> Straight:
    """Run straight towards a goal; repeated calls are cached."""
    cost = Goal((wanted.goal, 0.0), squared=wanted.squared) + Torque(wanted.torque_weight)
    robot, world = snake.believed.robot(snake.robot), snake.believed.world(truth)
    problem = Problem(robot, world, cost, settings.horizon, limits=Limits(joint_angle=settings.joint_limit))
    controller = RecedingHorizon(
        problem,
        settings.iterations,
        actions=settings.actions,
        estimator=snake.estimator,
        regularisation=settings.regularisation,
    )
    return run_planner(snake.robot, truth, controller, duration, seed)


@cache
def run_planner(
    robot: PlanarSnake, truth: Plane, controller: RecedingHorizon, duration: float, seed: int = 0
) -> Straight:
    """Run the robot under the planner and measure the run."""
    run = simulate(robot, truth, controller, duration, sample_period=0.001, seed=seed)
    spectrum = analysis.spectrum(run, start=SETTLE)
    lowest = int(np.searchsorted(spectrum.frequency, 2.0 / (duration - SETTLE)))
    peaks = lowest + spectrum.amplitude[lowest:].argmax(axis=0)
    found = analysis.oscillation(run, start=SETTLE)
    return Straight(
        analysis.speed(run, SETTLE), analysis.power(run, SETTLE), spectrum.frequency[peaks], found.amplitude,
        found.frequency, drop_missing(run["solve_time"]), drop_missing(run["solve_processor_time"]),
        float(position_error(run).max()),
    )  # fmt: skip
