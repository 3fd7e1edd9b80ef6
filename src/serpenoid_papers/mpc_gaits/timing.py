"""M11 and M12: time of a plan, its growth with the links, and the cost of less frequent plans."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from serpenoid.planning import Problem
from serpenoid.planning.solver import RECEDING_FLOOR, Planner
from serpenoid.plotting.style import COLOURS, GREY, dressed, labelled, legend, new_figure, write
from serpenoid.robots import PlanarSnake
from serpenoid.worlds import Plane
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.mpc_gaits.runs import DURATION, MEDIA, SHORT, Settings, Straight, straight

PERIOD = 0.01  # control at 100 Hz [s]
ITERATIONS = 4


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    links: tuple[int, ...] = (5, 10, 15, 20, 30)
    """numbers of links"""
    repetitions: int = 40
    """solves, of which the best counts"""
    actions: tuple[int, ...] = (2, 5)
    """executed torques of a plan, other than one"""
    duration: float = DURATION
    """duration of each run [s]"""

    @classmethod
    def quick(cls) -> Config:
        """Use fewer repetitions."""
        return cls(repetitions=10)

    @classmethod
    def tiny(cls) -> Config:
        """Use two snakes, two solves and short runs."""
        return cls(links=(5, 10), repetitions=2, actions=(2,), duration=SHORT)


class Result(NamedTuple):
    """Runs by (medium, actions per plan), and the time of one iteration by number of links [s]."""

    runs: dict[tuple[str, int], Straight]
    iteration: dict[int, float]
    duration: float  # duration of the runs [s]


def run(config: Config, progress: Progress) -> Result:
    """Run plans in all media, less frequent plans in one, and longer snakes on dry ground."""
    progress("times of plans")
    runs: dict[tuple[str, int], Straight] = {
        (medium, actions): straight(Plane(medium), settings=Settings(actions=actions), duration=config.duration)
        for medium in MEDIA
        for actions in (1, *config.actions)
    }
    times = {links: iteration_time(links, config.repetitions) for links in config.links}
    return Result(runs, times, config.duration)


def iteration_time(links: int, repetitions: int) -> float:
    """Return the best time of one iteration, N = 25, dry, from a bent snake [s]."""
    robot = PlanarSnake(links=links)
    planner = Planner(Problem(robot, Plane("dry")), RECEDING_FLOOR)
    rng = np.random.default_rng(1)
    state = np.concatenate([np.zeros(3), 0.2 * rng.normal(size=links - 1), np.zeros(links + 2)])
    guess = 0.1 * rng.normal(size=planner.work.controls.shape)
    best = {0: np.inf, ITERATIONS: np.inf}
    for _ in range(repetitions):
        for count in best:
            planner.guess(guess)
            planner.work.memory[:] = (RECEDING_FLOOR, 1.0, 1.0)
            best[count] = min(best[count], planner.solve(state, 0.0, count, np.inf, 0.0).seconds)
    return (best[ITERATIONS] - best[0]) / ITERATIONS


def exponent(iteration: dict[int, float]) -> float:
    """Return the slope of log time over log links."""
    return float(np.polyfit(np.log(list(iteration)), np.log(list(iteration.values())), 1)[0])


def claims(result: Result) -> list[Finding]:
    """Report the findings on M11, M12."""
    times: dict[str, float] = {}
    for medium in MEDIA:
        processor = 1e3 * result.runs[medium, 1].processor
        times[f"{medium}, mean [ms]"] = round(float(processor.mean()), 2)
        times[f"{medium}, standard deviation [ms]"] = round(float(processor.std()), 2)
        times[f"{medium}, 99th percentile [ms]"] = round(float(np.percentile(processor, 99)), 2)
        inside = np.mean(result.runs[medium, 1].processor <= PERIOD)
        times[f"{medium}, within 10 ms [%]"] = round(100.0 * float(inside), 2)
    for links, seconds in result.iteration.items():
        times[f"iteration with {links} links [us]"] = round(1e6 * seconds, 1)
    times["exponent in the links"] = round(exponent(result.iteration), 2)
    fewer = {}
    for (name, actions), found in result.runs.items():
        key = f"{name}, {actions} action{'s' if actions > 1 else ''} per plan"
        fewer[f"{key}, speed [m/s]"] = round(found.speed, 3)
        fewer[f"{key}, planning per second [ms]"] = round(1e3 * float(found.processor.sum()) / result.duration, 1)
    return [
        Finding("M11", times, f"processor time of plans of {ITERATIONS} iterations, one core; N = 25 at 100 Hz"),
        Finding("M12", fewer, "the first 1, 2 or 5 torques of a plan are applied before the next plan"),
    ]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the time of an iteration over the links, with the real-time budget."""
    picture = new_figure(6.0, 3.6)
    axes = dressed(picture.add_subplot())
    links, times = np.array(list(result.iteration.items())).T
    label = f"one iteration, ~ links^{exponent(result.iteration):.2f}"
    axes.loglog(links, 1e3 * times, "o-", color=COLOURS[0], label=label)
    axes.axhline(1e3 * PERIOD / ITERATIONS, color=GREY, ls="--", label="real time with four iterations at 100 Hz")
    axes.set_xticks(links, [f"{n:g}" for n in links])
    axes.set_yticks(1e3 * times, [f"{1e3 * time:.2g}" for time in times])
    axes.minorticks_off()
    labelled(axes, "number of links", "processor time [ms]", "planning, N = 25, dry")
    legend(axes)
    return [write(picture, folder / "iteration_times.png")]
