"""N10: time for one second of physics, with and without buoyancy."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.benchmarks.base import time_interleaved
from serpenoid_papers.benchmarks.natrix import contestants


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    seconds: float = 3.0
    """measuring time for each of the two [s]"""

    @classmethod
    def quick(cls) -> Config:
        """Use less time."""
        return cls(seconds=1.0)

    @classmethod
    def tiny(cls) -> Config:
        """Use a short time."""
        return cls(seconds=0.02)


class Result(NamedTuple):
    """Best times for 1 s of physics at RK4 1 ms on one core [s]."""

    dry: float
    afloat: float


def run(config: Config, progress: Progress) -> Result:
    """Time both interleaved, best of many."""
    times = time_interleaved(contestants(), config.seconds)
    return Result(1e-6 * times["dry"], 1e-6 * times["afloat"])


def claims(result: Result) -> list[Finding]:
    """Report the finding on N10."""
    measured = {"dry [s]": result.dry, "with buoyancy [s]": result.afloat}
    return [Finding("N10", measured, "RK4 at 1 ms, gait of (18) at Q = 0.25 and F = 1.35 Hz, one core, best of many")]


def figure(result: Result, folder: Path) -> list[Path]:
    """Draw nothing, because the result is two numbers."""
    return []
