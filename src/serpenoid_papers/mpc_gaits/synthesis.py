"""Beyond the paper (B6): the cost of explicit Euler synthesis and finite-difference derivatives, as the paper has them.

Plans by plain iLQR are executed on RK4, beside those of the library's planner.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from serpenoid import analysis
from serpenoid.planning import Problem, RecedingHorizon
from serpenoid.plotting.style import COLOURS, dressed, labelled, legend, new_figure, write
from serpenoid.robots import PlanarSnake
from serpenoid.scenarios.mpc import drop_missing
from serpenoid.simulation import simulate
from serpenoid.worlds import Plane
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.mpc_gaits.runs import DURATION, MEDIA, SETTLE
from serpenoid_papers.references.plain_ilqr import Integrator, PlainLaw, PlainPlanner

ROBOT = PlanarSnake()
WORDS: dict[Integrator, str] = {
    "euler_head": "Euler about the head",
    "euler_center": "Euler about the centre of mass",
    "planner": "the planner's step",
}
LIBRARY = "library"
REPETITIONS = 20  # of the derivatives, of which the best time counts


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    media: tuple[str, ...] = MEDIA
    """media"""
    integrators: tuple[Integrator, ...] = ("euler_head", "euler_center", "planner")
    """integrators of plain iLQR: explicit Euler about the head or the centre of mass, or the library's step"""
    duration: float = DURATION
    """duration of each run [s]"""
    settle: float = SETTLE
    """transient that is excluded [s]"""

    @classmethod
    def quick(cls) -> Config:
        """Use Euler steps only, and shorter runs."""
        return cls(integrators=("euler_head", "euler_center"), duration=3.0, settle=1.5)

    @classmethod
    def tiny(cls) -> Config:
        """Use one medium and a few plans."""
        return cls(media=("dry",), duration=0.1, settle=0.05)


class Synthesis(NamedTuple):
    """Measures of a run."""

    speed: float  # [m/s]
    power: float  # [W]
    promised: float  # mean progress of the head in the plans over their duration [m/s]
    seconds: float  # processor time of a plan
    derivatives: float  # processor time of the derivatives of one iteration; NaN for the library


Result = dict[tuple[str, str], Synthesis]  # by medium and method


def run(config: Config, progress: Progress) -> Result:
    """Run all methods in all media."""
    found: Result = {}
    for medium in config.media:
        problem = Problem(ROBOT, Plane(medium))  # type: ignore[arg-type]
        for integrator in config.integrators:
            progress(f"plain iLQR in {medium}, {WORDS[integrator]}")
            controller = PlainPlanner(problem, integrator)
            found[medium, WORDS[integrator]] = measure(controller, config, derivative_time(controller))
        found[medium, LIBRARY] = measure(RecedingHorizon(problem), config, float("nan"))
    return found


def measure(controller: PlainPlanner | RecedingHorizon, config: Config, derivatives: float) -> Synthesis:
    """Run a controller on RK4 and measure the run."""
    problem = controller.problem
    run = simulate(ROBOT, problem.world, controller, config.duration, sample_period=0.001)
    paths = run["plan_path"][run.ticks >= config.settle, :, 0]
    promised = np.mean(paths[:, 0] - paths[:, -1]) / (problem.horizon * problem.step)
    return Synthesis(
        analysis.speed(run, config.settle), analysis.power(run, config.settle), float(promised),
        float(np.mean(drop_missing(run["solve_processor_time"]))), derivatives,
    )  # fmt: skip


def derivative_time(controller: PlainPlanner) -> float:
    """Return the processor time of the derivatives of one iteration [s]."""
    law, rng, times = PlainLaw(controller), np.random.default_rng(0), []
    states = rng.normal(0.0, 0.1, law.states.shape)
    for _ in range(REPETITIONS):
        start = process_time()
        law.jacobians(states[:-1], law.torques)
        times.append(process_time() - start)
    return min(times)


def claims(result: Result) -> list[Finding]:
    """Report the finding on B6."""
    table: dict[str, Any] = {}
    for (medium, method), found in result.items():
        key = f"{medium}, {method}"
        table[f"{key}, speed [m/s]"], table[f"{key}, power [W]"] = round(found.speed, 3), round(found.power, 1)
        table[f"{key}, promised speed [m/s]"] = round(found.promised, 3)
        table[f"{key}, time of a plan [ms]"] = round(1e3 * found.seconds, 2)
        if np.isfinite(found.derivatives):
            table[f"{key}, derivatives of one iteration [ms]"] = round(1e3 * found.derivatives, 2)
    text = (
        "beta 0.01, N = 25, 4 iterations, executed on RK4; plain iLQR is written in numpy, so compare its speeds only"
    )
    return [Finding("B6", table, text)]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot promised and reached speeds by medium and method."""
    picture = new_figure(8.0, 3.6)
    axes = dressed(picture.add_subplot())
    media, methods = (list(dict.fromkeys(key[i] for key in result)) for i in range(2))
    width = 0.8 / len(methods)
    for i, (colour, method) in enumerate(zip(COLOURS, methods)):
        places = np.arange(len(media)) + width * (i - 0.5 * (len(methods) - 1))
        axes.bar(places, [result[m, method].promised for m in media], 0.9 * width, color=colour, alpha=0.3)
        axes.bar(places, [result[m, method].speed for m in media], 0.9 * width, color=colour, label=method)
    axes.set_xticks(range(len(media)), media)
    labelled(axes, "", "speed [m/s]", "reached (full colour) and promised by the plans (pale)")
    legend(axes)
    return [write(picture, folder / "synthesis.png")]
