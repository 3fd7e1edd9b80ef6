"""Cost of forward dynamics against the number of bodies: matrix form and recursion."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.plotting.style import COLOURS, dressed, labelled, legend, new_figure, write
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.benchmarks.base import time_interleaved
from serpenoid_papers.benchmarks.moving_frame import contestants

LARGE = 40  # exponents are fitted from here on; overhead dominates below


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    bodies: tuple[int, ...] = (5, 10, 20, 40, 60, 80, 120, 160, 200)
    """chains to time"""
    seconds: float = 1.0
    """time for each contestant at each number of bodies [s]"""

    @classmethod
    def quick(cls) -> Config:
        """Use less time."""
        return cls(bodies=(5, 20, 40, 80, 200), seconds=0.2)

    @classmethod
    def tiny(cls) -> Config:
        """Use three chains and a short time."""
        return cls(bodies=(5, 40, 50), seconds=0.01)


class Result(NamedTuple):
    """Microseconds per call, by contestant and number of bodies."""

    bodies: NDArray
    times: dict[str, NDArray]


def run(config: Config, progress: Progress) -> Result:
    """Time all contestants interleaved, chain by chain."""
    rows = [time_interleaved(contestants(count), config.seconds) for count in config.bodies]
    return Result(np.array(config.bodies), {name: np.array([row[name] for row in rows]) for name in rows[0]})


def exponent(bodies: NDArray, times: NDArray) -> float:
    """Return the slope of log time against log bodies, over the large chains."""
    large = bodies >= LARGE
    return float(np.polyfit(np.log(bodies[large]), np.log(times[large]), 1)[0])


def claims(result: Result) -> list[Finding]:
    """Return no findings, because the paper makes no claim on cost."""
    return []


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot time against bodies, both logarithmic, with the fitted exponents."""
    picture = new_figure(7.0, 4.5)
    axis = dressed(picture.subplots())
    for colour, (name, times) in zip(COLOURS, result.times.items()):
        label = f"{name}: n^{exponent(result.bodies, times):.2f} from {LARGE} bodies on"
        axis.loglog(result.bodies, times, "o-", color=colour, label=label)
    axis.set_xticks(result.bodies, [str(count) for count in result.bodies])
    axis.minorticks_off()
    labelled(axis, "bodies", "one forward dynamics [us]", "Accelerations of a chain on a fixed tail")
    legend(axis, loc="upper left", bbox_to_anchor=(0.02, 0.98))
    return [write(picture, folder / "cost.png")]
