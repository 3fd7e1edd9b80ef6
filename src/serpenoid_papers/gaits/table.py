"""Table of all gaits: body lengths per cycle, cost of transport and direction, with the ideal speed if there is one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from serpenoid.gaits import LinearProgression, Rolling
from serpenoid.plotting import path
from serpenoid.plotting.style import new_figure, write
from serpenoid.robots import SeaSnake
from serpenoid.scenarios import find_scenario
from serpenoid.scenarios.gait_run import GaitRun
from serpenoid.scenarios.slither_pegs import SlitherPegs
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import PegBoard
from serpenoid_papers.base import Finding, Progress
from serpenoid_papers.gaits.ideals import ideal_speed
from serpenoid_papers.gaits.runs import FlatConfig, Gone, go, pace_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def find_gait(name: str) -> GaitRun:
    """Return a scenario by its name."""
    found: Any = find_scenario(name)()
    return found


GAITS: dict[str, tuple[GaitRun, float | None]] = {  # with the stated direction [deg]; None is along the wall
    "linear progression": (find_gait("linear-progression"), 0.0), "sidewinding": (find_gait("sidewinding"), 90.0),
    "rolling": (find_gait("rolling"), 90.0), "swimming": (find_gait("swimming"), 0.0),
    "helix outside": (find_gait("climb-pole"), None),
    "helix inside": (find_gait("crawl-pipe"), 0.0),
}  # fmt: skip
UP, CONICAL, CONE = "helix outside", "conical sidewinding", find_gait("conical-sidewinding")
COLUMNS = ("gait", "speed [m/s]", "lengths per cycle", "direction", "cost of transport", "ideal [m/s]", "over ideal")


@dataclass(frozen=True)
class Config(FlatConfig):
    """Configuration of the experiment."""

    amplitudes: tuple[float, ...] = (0.5, 0.75, 1.0, 1.25)
    """amplitudes of the grid of each gait, relative to the named gait"""
    waves: tuple[float, ...] = (0.75, 1.0, 1.25)
    """wave numbers of the grid, relative to the named gait"""
    boards: int = 10
    """peg boards through which the snake slithers"""

    @classmethod
    def quick(cls) -> Config:
        # corners of the grid
        return cls(duration=13.0, settle=3.0, amplitudes=(0.5, 1.25), waves=(0.75, 1.25), boards=4)

    @classmethod
    def tiny(cls) -> Config:
        return cls(duration=0.3, settle=0.1, amplitudes=(1.0,), waves=(1.0,), boards=1)


class Result(NamedTuple):
    """Results of the experiment."""

    gaits: dict[str, Gone]
    best: dict[str, tuple[Gone, Gone]]  # fastest and cheapest of a grid
    slithering: list[tuple[float, float]]  # body lengths per cycle and degrees off head first, board by board


def run(config: Config, progress: Progress) -> Result:
    """Run every gait, then the three floor gaits on a grid of amplitude and wave number."""
    gaits = {name: go(scenario, config) for name, (scenario, _) in GAITS.items()}
    round_about = go(CONE, config)
    pace = pace_of(round_about.run, config.settle, 1.0 / CONE.gait.frequency)
    gaits[CONICAL] = round_about._replace(speed=pace, direction=float("nan"))
    best = {}
    for name, (scenario, _) in list(GAITS.items())[:3]:
        progress(f"gaits: the best {name}")
        found = [go(scale_gait(scenario, a, w), config) for a in config.amplitudes for w in config.waves]
        best[name] = (max(found, key=lambda gone: gone.speed), min(found, key=lambda gone: gone.cost))
    progress("gaits: slithering among pegs")
    boards = (SlitherPegs(world=PegBoard(seed=seed), duration=config.duration) for seed in range(config.boards))
    return Result(gaits, best, [measure_slither(scenario, scenario.run()) for scenario in boards])


def measure_slither(scenario: SlitherPegs, run: Trajectory) -> tuple[float, float]:
    """Return body lengths per cycle and the deviation from head first [deg] of a run among pegs."""
    way = run["center_of_mass"][-1] - run["center_of_mass"][0]
    axis = run["body_axis"].mean(axis=0)
    cycles = scenario.controller.phase_rate(scenario.robot) * run.duration / (2.0 * pi)
    straight = float(way @ axis) / float(np.linalg.norm(way) * np.linalg.norm(axis))
    rate = float(np.linalg.norm(way)) / (cycles * SeaSnake().length)
    return rate, float(np.degrees(np.arccos(np.clip(straight, -1.0, 1.0))))


def scale_gait(scenario: GaitRun, size: float, waves: float) -> GaitRun:
    """Return a scenario with the gait's amplitudes and wave number scaled."""
    gait: Any = scenario.gait
    if isinstance(gait, Rolling):
        return replace(scenario, gait=replace(gait, amplitude=size * gait.amplitude))
    longer = {name: waves * getattr(gait, name) for name in ("spatial_frequency", "phase")}
    if isinstance(gait, LinearProgression):
        return replace(scenario, gait=replace(gait, amplitude=size * gait.amplitude, **longer))
    other = replace(gait, amplitude=size * gait.amplitude, dorsal_amplitude=size * gait.dorsal_amplitude, **longer)
    return replace(scenario, gait=other)


def rows_of(result: Result) -> list[tuple[str, ...]]:
    """Return the table: a row for each gait, with the speed of its reduced model if it has one."""
    rows = []
    for name, gone in result.gaits.items():
        speed = abs(gone.climbed) if name == UP else gone.speed
        gait, way = commanded_gait(name), {UP: "up", CONICAL: "in a circle"}.get(name, f"{gone.direction:.0f} deg")
        ideal = ideal_speed(gait, SeaSnake())
        over = (f"{ideal:.3f}", f"{speed / ideal:.2f}") if np.isfinite(ideal) else ("-", "-")
        per_cycle = speed / (gait.frequency * SeaSnake().length)
        rows.append((name, f"{speed:.3f}", f"{per_cycle:.3f}", way, f"{gone.cost:.2f}", *over))
    rate, off = np.median(result.slithering, axis=0)
    return [*rows, ("slithering among pegs", "-", f"{rate:.3f}", f"{off:.0f} deg", "-", "-", "-")]


def commanded_gait(name: str) -> Any:
    """Return a gait of the table as commanded."""
    return (CONE if name == CONICAL else GAITS[name][0]).leading()


def claims(result: Result) -> list[Finding]:
    """Report the findings on S8 and S9."""
    moves = {}
    for name, (_, wanted) in GAITS.items():
        gone = result.gaits[name]
        off = abs(abs(gone.direction) - wanted) if wanted is not None else 0.0
        rate = gone.lengths_per_cycle if wanted is not None else gone.climbed / (0.25 * SeaSnake().length)
        moves[name] = {"lengths_per_cycle": rate, "off_deg": off}
    rate, off = np.median(result.slithering, axis=0)
    moves["slithering"] = {"lengths_per_cycle": float(rate), "off_deg": float(off)}
    fast = {name: pair[0].speed for name, pair in result.best.items()}
    cheap = {name: pair[1].cost for name, pair in result.best.items()}
    words = "; ".join(f"{name}: {', '.join(row)}" for name, *row in rows_of(result))
    return [
        Finding(
            "S8",
            moves,
            f"initial transient excluded; slithering: medians of {len(result.slithering)} peg boards, open loop. "
            f"{', '.join(COLUMNS)}: {words}",
        ),
        Finding("S9", {"speed": fast, "cost": cheap}, "best of a grid of amplitude and wave number at 0.5 Hz"),
    ]


def figure(result: Result, folder: Path) -> list[Path]:
    """Draw the table, and the path of each gait, seen from above or, on a pole, from the side."""
    sheet = new_figure(10.0, 9.5)
    for i, (name, gone) in enumerate(result.gaits.items()):
        axes = path(gone.run, axes=sheet.add_subplot(3, 3, i + 1), plane="xz" if name == UP else "xy")
        axes.set_title(f"{name}: {gone.lengths_per_cycle:.2f} lengths a cycle", fontsize=9, loc="left")
    return [write(table_figure(result), folder / "table.png"), write(sheet, folder / "gaits.png")]


def table_figure(result: Result) -> Figure:
    """Draw the table as a picture."""
    rows = rows_of(result)
    sheet = new_figure(10.0, 0.32 * (len(rows) + 2))
    axes = sheet.add_subplot()
    axes.axis("off")
    drawn = axes.table(rows, colLabels=COLUMNS, loc="center", cellLoc="left", edges="horizontal")
    drawn.auto_set_font_size(False)
    drawn.set_fontsize(9)
    drawn.auto_set_column_width(list(range(len(COLUMNS))))
    drawn.scale(1.0, 1.4)
    return sheet
