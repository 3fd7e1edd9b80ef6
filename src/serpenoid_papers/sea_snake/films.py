"""Films of the experiments, one run each, as browser pages; Fig. 4.3, 4.4 and 4.10 from the same runs."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from pathlib import Path
from typing import Any, Self

import numpy as np

from serpenoid.configuration import changed
from serpenoid.plotting import snapshots
from serpenoid.plotting.style import dressed, labelled, new_figure, write
from serpenoid.scenarios import find_scenario
from serpenoid.studio import export_html
from serpenoid.trajectory import Trajectory
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.sea_snake.boards import preset
from serpenoid_papers.sea_snake.tuned import sidewinding

# Scenario, changed fields, and full duration [s].
FILMS: dict[str, tuple[str, dict[str, Any], float]] = {
    "slithering": ("slither-pegs", {"controller": preset("slithering_aw")}, 60.0),
    "slithering_to_a_goal": ("slither-goal", {"world.density": 24.0, "world.seed": 1001}, 40.0),
    "climbing": ("climb-pole", {"controller": preset("helix"), "world.profile": "cone", "world.radius": 0.09}, 20.0),
    "rolling_to_a_pole": ("roll-to-pole", {}, 30.0),
    "sidewinding": ("sidewind-pegs", {"controller": sidewinding("AC-SFC"), "place": 0.1}, 90.0),
}


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the films."""

    shares: float = 1.0
    """share of each run's duration"""
    frames_per_second: float = 15.0
    """frame rate of the films"""

    @classmethod
    def quick(cls) -> Self:
        return cls(shares=0.25)

    @classmethod
    def tiny(cls) -> Self:
        return cls(shares=0.005, frames_per_second=5.0)


class Result(dict[str, Trajectory]):
    """The runs by the films' names."""

    frames_per_second: float


def run(config: Config, progress: Progress) -> Result:
    """Run each experiment once."""
    found = Result()
    found.frames_per_second = config.frames_per_second
    for name, (scenario, fields, seconds) in FILMS.items():
        progress(f"sea-snake: film of {name.replace('_', ' ')}")
        found[name] = changed(find_scenario(scenario)(), fields | {"duration": config.shares * seconds}).run()
    return found


def claims(result: Result) -> list[Finding]:
    """Return no findings."""
    return []


def figure(result: Result, folder: Path) -> list[Path]:
    """Write the pages, and the thesis's sequences: a snake among pegs, its windows, and a snake passing a row."""
    pages = [
        export_html(trajectory, folder / f"film_{name}.html", result.frames_per_second)
        for name, trajectory in result.items()
    ]
    return [*pages, sequences(result, folder)]


def sequences(result: Result, folder: Path) -> Path:
    """Draw Fig. 4.3 and 4.10 as body shapes over time, Fig. 4.4 as edges of the windows over time."""
    sheet = new_figure(14.0, 4.6)
    among, windows, passing = (sheet.add_subplot(1, 3, i + 1) for i in range(3))
    slithering = result["slithering"]
    snapshots(slithering, among, count=4)
    among.set_title("Fig. 4.3: a snake among pegs", fontsize=10)
    edges, waves = slithering["edge_half_wave"], slithering["shape_spatial_frequency"] / pi
    times = slithering.times[-1] * np.linspace(0.0, 1.0, len(edges))
    dots = windows.scatter(
        np.repeat(times, edges.shape[1]), edges.ravel(), c=waves.ravel(), s=2, cmap="viridis", rasterized=True
    )
    sheet.colorbar(dots, ax=windows, label="spatial frequency of the window behind it [pi/body]")
    windows.set_ylim(1.0, 0.0)
    labelled(dressed(windows), "time [s]", "front edge of a window [body]", "Fig. 4.4: windows travel to the tail")
    snapshots(result["sidewinding"], passing, count=5)
    passing.set_title("Fig. 4.10: sidewinding through a row", fontsize=10)
    return write(sheet, folder / "fig_4_3_4_and_10.png")
