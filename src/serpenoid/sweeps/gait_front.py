"""Fast gaits at given powers, by sequential quadratic programming on the derivatives of whole runs.

Gaits of a snake have many local optima. Random serpenoid waves are therefore simulated first, without derivatives. The
fastest of each band of frequencies are improved on shortened runs, and the best of those on whole runs. Neighbouring
powers then start from each other's gaits.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import log, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import SerpenoidError, require, whole_number
from serpenoid.gaits import Serpenoid
from serpenoid.kernels.planar.gait_slopes import COMMON
from serpenoid.scenarios import scenario_from
from serpenoid.scenarios.base import Scenario
from serpenoid.scenarios.slither import Slither
from serpenoid.sweeps.gait_problem import GaitProblem, drive_of

FREQUENCIES, STIFFNESSES, DAMPINGS = (0.5, 10.0), (0.1, 3.0), (0.05, 0.2)  # those of Table II of the MPC paper
SWINGS = (0.1 * pi, pi)  # amplitudes of Table II
LARGEST_OFFSET, LARGEST_HARMONIC = 0.5, 1.5  # [rad]
SCREENED = 600  # serpenoid waves simulated without derivatives
SHORT, LONG = 25, 40  # iterations on shortened and on whole runs
POLISHED = 2  # gaits per power that are improved on whole runs
TOLERANCE = 1e-5  # least relative change of an iteration
RESERVE = 1e-4  # fraction of the power limit kept free, so that rounding does not exceed it
FAILED = -1.0, 1e3  # speed and power of a run that diverged
MOST_HARMONICS = 8


class Design(NamedTuple):
    """Fastest gait found at a power limit."""

    limit: float  # [W]
    speed: float  # [m/s]
    power: float  # [W]
    scenario: Slither
    runs: int  # runs with derivatives in the whole search


class Found(NamedTuple):
    """Best parameters of a local search; -inf if no run was within the limit."""

    speed: float
    parameters: NDArray
    runs: int


def design_gaits(
    scenario: Scenario | str,
    powers: Sequence[float],
    harmonics: int = 3,
    starts: int = 6,
    seed: int = 0,
    progress: Callable[[float, str], None] | None = None,
) -> list[Design]:
    """Return the fastest gaits of a `slither` scenario with at most each of the given mean powers [W].

    The gait is a Fourier series per joint with `harmonics` multiples of the frequency; one stiffness and one damping of
    the drives are chosen too. Speed and power are those of the summary. `starts` local searches begin at each power.
    """
    limits = sorted(check_power(value) for value in powers)
    require(bool(limits), "power", powers, "at least one power [W]")
    whole_number("harmonics", harmonics, 1, MOST_HARMONICS)
    whole_number("starts", starts, 1, 1000)
    return Search(GaitProblem(scenario_from(scenario), harmonics), limits, starts, seed, progress).run()


def check_power(value: float) -> float:
    """Return a power limit [W]; it must be positive."""
    require(0.0 < value < 1e9, "power", value, "above 0 W")
    return float(value)


class Search:
    """Search for the gaits of all powers."""

    def __init__(
        self,
        problem: GaitProblem,
        limits: list[float],
        starts: int,
        seed: int,
        progress: Callable[[float, str], None] | None,
    ):
        self.problem, self.limits, self.starts = problem, limits, starts
        self.short = GaitProblem(shortened(problem.scenario), problem.harmonics)
        self.rng, self.progress = np.random.default_rng(seed), progress
        self.best: dict[float, Found] = {}
        self.runs = self.stages = 0

    def run(self) -> list[Design]:
        """Search all powers, then improve each by its neighbours' gaits, upwards and downwards."""
        waves = self.screen()
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            for limit in self.limits:
                ranked = self.improved(pool, self.short, limit, waves.starts(limit, self.starts), SHORT)
                again = [one.parameters for one in ranked[:POLISHED]]
                self.keep(limit, self.improved(pool, self.problem, limit, again, LONG))
            for order in (self.limits, self.limits[::-1]):
                for before, limit in zip(order, order[1:]):
                    self.keep(limit, self.improved(pool, self.problem, limit, [self.best[before].parameters], LONG))
        return [self.design(limit) for limit in self.limits]

    def screen(self) -> Waves:
        """Simulate random serpenoid waves."""
        drawn = [self.draw() for _ in range(SCREENED)]
        measured = Slither.batch(drawn)
        assert measured is not None  # every run follows a gait
        speed, power = (np.asarray(measured[name].value) for name in ("speed", "power"))
        return Waves(np.array([self.problem.parameters_of(one) for one in drawn]), speed, power)

    def draw(self) -> Slither:
        """Return the scenario with a random wave that moves head first, and random gains."""
        scenario = self.problem.scenario
        stiffness, damping = (float(self.rng.uniform(*ends)) for ends in (STIFFNESSES, DAMPINGS))
        gait = Serpenoid(
            amplitude=logarithmic(self.rng, SWINGS), frequency=logarithmic(self.rng, FREQUENCIES),
            spatial_frequency=pi * scenario.robot.joints * float(self.rng.uniform(0.0, 1.0)),
        )  # fmt: skip
        drive = replace(drive_of(scenario), stiffness=stiffness, damping=damping)
        return replace(scenario, gait=gait, robot=replace(scenario.robot, drive=drive))

    def improved(self, pool: ThreadPoolExecutor, problem: GaitProblem, limit: float, starts: Sequence[NDArray],
                 iterations: int) -> list[Found]:  # fmt: skip
        """Improve gaits in threads; return the results, fastest first."""
        found = list(pool.map(lambda start: improve(problem, limit, start, iterations), starts))
        self.runs += sum(one.runs for one in found)
        return sorted(found, key=lambda one: -one.speed)

    def keep(self, limit: float, found: Sequence[Found]) -> None:
        """Keep the fastest gait of a power, and report."""
        self.best[limit] = max([*found, *([self.best[limit]] if limit in self.best else [])], key=lambda one: one.speed)
        self.stages += 1
        if self.progress:
            share = self.stages / (3 * len(self.limits) - 2)
            self.progress(share, f"{limit:g} W: {self.best[limit].speed:.3f} m/s")

    def design(self, limit: float) -> Design:
        """Return the result at a power."""
        found = self.best[limit]
        if not np.isfinite(found.speed):
            raise SerpenoidError(f"power = {limit:g}: no gait needs so little; give a larger --power or more --starts")
        exact = self.problem.measure(found.parameters)
        return Design(limit, exact.speed, exact.power, self.problem.designed(found.parameters), self.runs)


class Waves(NamedTuple):
    """Serpenoid waves that were simulated without derivatives."""

    parameters: NDArray  # (waves, parameters)
    speed: NDArray  # (waves,) [m/s]
    power: NDArray  # (waves,) [W]

    def starts(self, limit: float, count: int) -> list[NDArray]:
        """Return the fastest waves within a power in each of `count` bands of frequency, else the one of least
        power."""
        ends = np.geomspace(*FREQUENCIES, count + 1)
        band = np.clip(np.searchsorted(ends, self.parameters[:, 0], side="right") - 1, 0, count - 1)
        merit = np.where(self.power <= limit, self.speed, -1e3 - self.power)
        merit[~np.isfinite(merit)] = -np.inf
        places = (np.flatnonzero(band == k) for k in range(count))
        return [self.parameters[own[np.argmax(merit[own])]] for own in places if own.size]


def shortened(scenario: Slither) -> Slither:
    """Return the scenario with half the duration, in whole samples, and half the transient."""
    samples = max(2, round(0.5 * scenario.duration / scenario.sample_period))
    settle = scenario.settle if scenario.settle is None else 0.5 * scenario.settle
    return replace(scenario, duration=min(scenario.duration, samples * scenario.sample_period), settle=settle)


def logarithmic(rng: np.random.Generator, ends: tuple[float, float]) -> float:
    """Draw a number whose logarithm is uniform."""
    return float(np.exp(rng.uniform(log(ends[0]), log(ends[1]))))


def bounds(problem: GaitProblem) -> NDArray:
    """Return the lowest and highest parameters, (2, parameters)."""
    joints = problem.scenario.robot.joints
    common = np.array([FREQUENCIES, STIFFNESSES, DAMPINGS]).T
    highest = np.full((problem.harmonics, joints), LARGEST_HARMONIC)
    highest[0] = SWINGS[1]
    series = np.concatenate([np.full(joints, LARGEST_OFFSET), highest.ravel(), highest.ravel()])
    return np.hstack([common, [-series, series]])


def improve(problem: GaitProblem, limit: float, start: NDArray, iterations: int) -> Found:
    """Maximise the speed within a power from a gait, by SLSQP; return the best gait of all runs within the limit."""
    from scipy.optimize import minimize

    ends = bounds(problem)
    scale = np.full(problem.size, 0.5)
    scale[:COMMON] = 2.0, 1.0, 0.1
    record = Record(problem, limit, ends, scale)
    power = {"type": "ineq", "fun": record.reserve, "jac": record.reserve_slope}
    minimize(
        record.loss, np.clip(start, *ends) / scale, jac=record.loss_slope, bounds=(ends / scale).T.tolist(),
        constraints=[power], method="SLSQP", options={"maxiter": iterations, "ftol": TOLERANCE},
    )  # fmt: skip
    return Found(record.speed, record.parameters, record.runs)


class Record:
    """Objective and constraint of a local search; simulates once per point and keeps the best gait."""

    def __init__(self, problem: GaitProblem, limit: float, ends: NDArray, scale: NDArray):
        self.problem, self.limit, self.ends, self.scale = problem, limit, ends, scale
        self.speed, self.parameters, self.runs = -np.inf, np.zeros(problem.size), 0
        self.point = np.zeros(0)

    def at(self, point: NDArray) -> Record:
        """Simulate at a scaled point, unless it was the last one."""
        if np.array_equal(point, self.point):
            return self
        self.point, self.runs = point.copy(), self.runs + 1
        parameters = np.clip(point * self.scale, *self.ends)
        found = self.problem.measure(parameters)
        if not (np.isfinite(found.speed) and np.all(np.isfinite(found.by_speed + found.by_power))):
            flat = np.zeros(self.problem.size)
            found = found._replace(speed=FAILED[0], power=FAILED[1], by_speed=flat, by_power=flat)
        if found.power <= self.limit and found.speed > self.speed:
            self.speed, self.parameters = found.speed, parameters
        elif not self.parameters.any():
            self.parameters = parameters
        self.measured = found
        return self

    def loss(self, point: NDArray) -> float:
        """Return minus the speed [m/s]."""
        return -self.at(point).measured.speed

    def loss_slope(self, point: NDArray) -> NDArray:
        """Return its derivatives by the scaled parameters."""
        return -self.at(point).measured.by_speed * self.scale

    def reserve(self, point: NDArray) -> float:
        """Return the part of the power limit that is left, less a reserve for rounding."""
        return 1.0 - RESERVE - self.at(point).measured.power / self.limit

    def reserve_slope(self, point: NDArray) -> NDArray:
        """Return its derivatives by the scaled parameters."""
        return -self.at(point).measured.by_power * self.scale / self.limit
