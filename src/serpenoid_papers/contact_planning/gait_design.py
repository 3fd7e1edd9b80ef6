"""Pareto front of Table II's kind by gradient: Fourier gaits against 2.06 million serpenoid gaits per medium."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time
from typing import NamedTuple, Self

from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.scenarios.slither import Slither
from serpenoid.sweeps import Design, design_gaits
from serpenoid.sweeps.gait_problem import GaitProblem
from serpenoid.worlds import Plane
from serpenoid.worlds.plane import MediumName
from serpenoid_papers.base import ExperimentConfig, Finding, Progress

POWERS = (5.0, 10.0, 20.0, 35.0)  # [W]
# Speeds [m/s] of the full grid's front at POWERS, docs/papers/reports/mpc-gaits.md.
FRONTS: dict[MediumName, tuple[float, ...]] = {
    "dry": (1.11, 1.32, 1.54, 1.59),
    "viscous": (0.52, 0.70, 0.88, 1.02),
    "fluid": (0.44, 0.57, 0.70, 0.70),
}
ROUNDING = 0.005  # of these speeds, counted in favour of the grid [m/s]
STEP, SMOOTHING = 0.002, 0.01  # of the grid [s, m/s]


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration: all media and powers."""

    media: tuple[MediumName, ...] = ("dry", "viscous", "fluid")
    """media"""
    powers: tuple[float, ...] = POWERS
    """limits of the mean power [W]"""
    harmonics: int = 3
    """multiples of the frequency per joint"""
    starts: int = 6
    """local searches begun at each power"""
    duration: float = 6.0
    """duration of a run [s]"""

    @classmethod
    def quick(cls) -> Self:
        return cls(powers=(10.0,), starts=4)

    @classmethod
    def tiny(cls) -> Self:
        return cls(media=("viscous",), powers=(20.0,), harmonics=1, starts=2, duration=0.2)


class Result(NamedTuple):
    """Designed gaits by medium, and the processor time of the whole search without compilation [s]."""

    designs: dict[MediumName, list[Design]]
    processor: float


def run(config: Config, progress: Progress) -> Result:
    """Design the gaits of all media."""
    designs: dict[MediumName, list[Design]] = {}
    compile_kernels(scenario_in(config.media[0], config.duration), config.harmonics)
    begun = process_time()
    for medium in config.media:
        scenario = scenario_in(medium, config.duration)
        designs[medium] = design_gaits(
            scenario, config.powers, config.harmonics, config.starts,
            progress=partial(report, progress, medium),
        )  # fmt: skip
    return Result(designs, process_time() - begun)


def report(progress: Progress, medium: str, share: float, words: str) -> None:
    """Report the progress of a medium's search."""
    progress(f"  {medium}, {words}")


def scenario_in(medium: MediumName, duration: float) -> Slither:
    """Return the scenario of the grid in a medium."""
    return Slither(step=STEP, duration=duration, world=Plane(medium, smoothing=SMOOTHING))


def compile_kernels(scenario: Slither, harmonics: int) -> None:
    """Compile everything before the time is taken."""
    problem = GaitProblem(scenario, harmonics)
    problem.measure(problem.parameters_of(scenario))
    Slither.batch([scenario])


def ratios(result: Result) -> dict[str, float]:
    """Return the speeds relative to the grid's front, by medium and power."""
    return {
        f"{medium}, {one.limit:g} W": one.speed / (FRONTS[medium][POWERS.index(one.limit)] + ROUNDING)
        for medium, designs in result.designs.items()
        for one in designs
    }


def claims(result: Result) -> list[Finding]:
    """Report the findings on D1 and D2."""
    found = ratios(result)
    runs = ", ".join(f"{medium} {designs[-1].runs}" for medium, designs in result.designs.items())
    speeds = "; ".join(
        f"{medium} " + ", ".join(f"{one.speed:.3f} m/s at {one.power:.1f} W" for one in designs)
        for medium, designs in result.designs.items()
    )
    words = f"{speeds}; runs with derivatives: {runs}; {result.processor:.0f} s of processor time"
    measured = {"least_ratio": min(found.values()), "processor": result.processor} | found
    few = "" if len(found) == len(POWERS) * len(FRONTS) else "not all media and powers"
    return [Finding(id, measured, words, few) for id in ("D1", "D2")]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the fronts."""
    sheet = new_figure(6.0, 4.0)
    axes = dressed(sheet.add_subplot(1, 1, 1))
    for colour, (medium, designs) in zip(COLOURS, result.designs.items()):
        axes.plot(POWERS, FRONTS[medium], "o--", color=colour, linewidth=1.0, label=f"{medium}, grid of Table II")
        power, speed = ([getattr(one, name) for one in designs] for name in ("power", "speed"))
        axes.plot(power, speed, "*-", color=colour, label=f"{medium}, by gradient")
    axes.set_xlim(left=0.0)
    axes.set_ylim(bottom=0.0)
    axes.legend(fontsize=8)
    labelled(axes, "power [W]", "speed [m/s]", "Fastest gaits at a given power")
    return [write(sheet, folder / "gait_design.png")]
