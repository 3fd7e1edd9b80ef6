"""Films of the experiments: one run each, as pages that open in a browser from disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from serpenoid.configuration import changed
from serpenoid.experiments.base import ExperimentConfig, Finding, Progress
from serpenoid.experiments.sea_snake.boards import preset
from serpenoid.scenarios import find_scenario
from serpenoid.studio import export_html
from serpenoid.trajectory import Trajectory

# Scenario, what is changed in it, and how long it lasts in full [s].
FILMS: dict[str, tuple[str, dict[str, Any], float]] = {
    "slithering": ("slither-pegs", {"controller": preset("slithering_aw")}, 60.0),
    "slithering_to_a_goal": ("slither-goal", {"world.density": 24.0, "world.seed": 1001}, 40.0),
    "climbing": ("climb-pole", {"controller": preset("helix"), "world.profile": "cone", "world.radius": 0.09}, 20.0),
    "rolling_to_a_pole": ("roll-to-pole", {}, 30.0),
    "sidewinding": ("sidewind-pegs", {"place": 0.1}, 90.0),
}


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """What is filmed."""

    shares: float = 1.0
    """how much of each run's time"""
    frames_per_second: float = 15.0
    """of the films"""

    @classmethod
    def quick(cls) -> Any:
        return cls(shares=0.25)

    @classmethod
    def tiny(cls) -> Any:
        return cls(shares=0.005, frames_per_second=5.0)


class Result(dict[str, Trajectory]):
    """The runs by the films' names."""

    frames_per_second: float


def run(config: Config, progress: Progress) -> Result:
    """One run of each experiment."""
    found = Result()
    found.frames_per_second = config.frames_per_second
    for name, (scenario, fields, seconds) in FILMS.items():
        progress(f"sea-snake: film of {name.replace('_', ' ')}")
        found[name] = changed(find_scenario(scenario)(), fields | {"duration": config.shares * seconds}).run()
    return found


def claims(result: Result) -> list[Finding]:
    """None."""
    return []


def figure(result: Result, folder: Path) -> list[Path]:
    """The pages."""
    return [
        export_html(trajectory, folder / f"film_{name}.html", result.frames_per_second)
        for name, trajectory in result.items()
    ]
