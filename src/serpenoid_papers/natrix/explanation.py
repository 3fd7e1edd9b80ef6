"""Mechanism of capsizing: the parametric tongue of a neutrally buoyant head by Floquet and simulation, and the head's
effect.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.gaits import Undulation
from serpenoid.mechanics.bisection import edge_of
from serpenoid.mechanics.floquet import floquet
from serpenoid.plotting.style import COLOURS, INK, dressed, labelled, legend, new_figure, write
from serpenoid.robots import Natrix
from serpenoid.scenarios.natrix import NatrixAfloat
from serpenoid.worlds import WaterSurface
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.natrix.runs import level_head, mean_roll_frequency, roll_history

SEED = 1e-5  # initial roll in the simulated search for onset [rad]
GROWN = 30.0  # growth of the initial roll that defines onset


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    amplitudes: tuple[float, ...] = (0.15, 0.20, 0.25, 0.30, 0.35, 0.40)
    """Q [rad]"""
    accuracy: float = 0.001
    """accuracy of the edges [Hz]"""
    duration: float = 150.0
    """duration of a simulation that searches for growth [s]"""
    head_duration: float = 60.0
    """duration of the runs with and without the light head [s]"""

    @classmethod
    def quick(cls) -> Config:
        """Use one amplitude and a coarser search."""
        return cls(amplitudes=(0.25,), accuracy=0.004, duration=100.0)

    @classmethod
    def tiny(cls) -> Config:
        """Find edges to 0.1 Hz, in a few seconds."""
        return cls(amplitudes=(0.25,), accuracy=0.1, duration=3.0, head_duration=1.0)


class Result(NamedTuple):
    """Edges of the tongue (n, 2) [Hz], growth at its middle [1/s], and the ablation at Q = 0.25."""

    amplitudes: NDArray
    by_floquet: NDArray
    by_simulation: NDArray
    growth_floquet: NDArray
    growth_simulated: NDArray
    mean_frequency: NDArray  # roll eigenfrequency, mean over the gait [Hz]
    ablation: dict[str, float]  # largest roll in the middle of the tongue [deg]


def run(config: Config, progress: Progress) -> Result:
    """Bisect the edges by both methods, and run the robot with its own light head."""
    world = WaterSurface()
    level = level_head(Natrix(), world)
    rows = []
    for Q in config.amplitudes:
        progress(f"natrix: tongue at Q = {Q}")
        centre = float(mean_roll_frequency(level, world, Q, 8).mean())
        grows = lambda F, Q=Q: floquet(level, world, Undulation(Q, F)).growth > 1e-3  # noqa: E731
        seen = lambda F, Q=Q: simulated_growth(level, Q, F, config.duration)[0]  # noqa: E731
        theory, practice = edges(grows, centre, config.accuracy), edges(seen, centre, config.accuracy)
        middle = float(np.mean(theory))
        rate = floquet(level, world, Undulation(Q, middle)).growth
        rows.append((theory, practice, rate, simulated_growth(level, Q, middle, config.duration)[1], centre))
    tongue, band, rates, grown, centres = (np.array(part) for part in zip(*rows))
    return Result(
        np.array(config.amplitudes), tongue, band, rates, grown, centres, ablation(level, config.head_duration)
    )


def edges(unstable: Callable[[float], bool], centre: float, accuracy: float) -> tuple[float, float]:
    """Return the limits of instability on both sides of a frequency inside the tongue."""
    found = []
    for direction in (-1.0, 1.0):
        found.append(0.5 * sum(edge_of(unstable, centre, centre + direction * 0.15, accuracy)))
    return found[0], found[1]


def simulated_growth(robot: Natrix, Q: float, F: float, duration: float) -> tuple[bool, float]:
    """Return whether a small roll grows, and its rate [1/s], from the peaks of its first and last part."""
    times, roll = roll_history(
        NatrixAfloat(robot=robot, gait=Undulation(Q, F), duration=duration, start_roll=SEED, step=0.002)
    )
    small = np.abs(roll) < 0.05
    last = len(roll) if small.all() else int(small.argmin())
    third = max(1, last // 3)
    early, late = np.abs(roll[:third]).max(), np.abs(roll[last - third : last]).max()
    peaks = np.argmax(np.abs(roll[:third])), last - third + np.argmax(np.abs(roll[last - third : last]))
    rate = float(np.log(late / early) / (times[peaks[1]] - times[peaks[0]]))
    return bool(np.abs(roll).max() > GROWN * SEED), rate


def ablation(level: Natrix, duration: float) -> dict[str, float]:
    """Return the largest roll [deg] at Q = 0.25, F = 1.38 Hz for both heads, with and without an initial roll."""
    gait = Undulation(0.25, 1.38)
    found = {}
    for name, robot in (("light head", Natrix()), ("levelled head", level)):
        for seed in (np.radians(1.0), 0.0):
            roll = roll_history(NatrixAfloat(robot=robot, gait=gait, duration=duration, start_roll=float(seed)))[1]
            found[f"{name}, seed {np.degrees(seed):.0f} deg"] = float(np.degrees(np.abs(roll).max()))
    return found


def claims(result: Result) -> list[Finding]:
    """Report the mechanism that the paper asks for, which is not a claim."""
    measured: dict[str, Any] = {
        "largest difference of an edge [Hz]": float(np.abs(result.by_floquet - result.by_simulation).max()),
        "amplitudes [rad]": result.amplitudes.tolist(),
        "edges by Floquet [Hz]": result.by_floquet.round(4).tolist(),
        "edges by simulation [Hz]": result.by_simulation.round(4).tolist(),
        "growth by Floquet [1/s]": result.growth_floquet.round(4).tolist(),
        "growth simulated [1/s]": result.growth_simulated.round(4).tolist(),
        **{f"largest roll, {name} [deg]": value for name, value in result.ablation.items()},
    }
    reason = (
        "levelled head: undulation modulates roll inertia and stiffness at 2 F, and roll is not forced. The "
        "robot's light head also forces roll at F, which causes capsizing"
    )
    return [Finding("B2", measured, reason)]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the tongue and its growth."""
    picture = new_figure(10.0, 3.4)
    left, right = (dressed(axis) for axis in picture.subplots(1, 2))
    left.fill_betweenx(result.amplitudes, *result.by_floquet.T, color=COLOURS[0], alpha=0.3, label="Floquet")
    left.plot(result.by_floquet, result.amplitudes, ".-", color=COLOURS[0])
    for edge, name in zip(result.by_simulation.T, ("simulated onset", None)):
        left.plot(edge, result.amplitudes, "+", color=INK, label=name)
    left.plot(result.mean_frequency, result.amplitudes, "--", color=COLOURS[4], label="mean roll frequency")
    labelled(left, "F [Hz]", "Q [rad]", "levelled head: parametric tongue")
    legend(left)
    right.bar(range(len(result.ablation)), list(result.ablation.values()), color=COLOURS[0])
    right.set_xticks(range(len(result.ablation)), [name.replace(", ", "\n") for name in result.ablation], fontsize=8)
    right.set_yscale("symlog")
    labelled(right, "", "largest roll [deg]", "Q = 0.25 rad, F = 1.38 Hz")
    return [write(picture, folder / "natrix_explanation.png")]
