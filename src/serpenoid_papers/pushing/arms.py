"""Beyond the paper: the same framework for a snake that leans on a wall and for an arm with a fixed base."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from serpenoid.mechanics.slippage import PushSurvey, push_survey
from serpenoid.plotting.style import COLOURS, dressed, labelled, legend, new_figure, write
from serpenoid.worlds.pushing import Contact, Support, Wheels
from serpenoid_papers.base import Finding, Progress
from serpenoid_papers.pushing.common import WHEELS, PairGrid, grid, object_of, robot

LAST = 2  # link at the far end: it leans on the wall, or is the base of the arm
CASES: dict[str, tuple[Wheels, Support]] = {
    "free": (WHEELS[1], Support()),
    "on a wall": (WHEELS[1], Support(walls=(Contact(LAST, 0.5, "left"),))),
    "ideal wheels": (WHEELS[3], Support()),
    "arm": (WHEELS[1], Support(base=LAST)),
}
MEASURES = {"object_norm": r"largest $|a_{obj}|^2$ relative to the free snake", "ratio": "largest slippage ratio"}

Result = dict[str, PushSurvey]


@dataclass(frozen=True)
class Config(PairGrid):
    """Configuration of the experiment."""


def run(config: Config, progress: Progress) -> Result:
    """Compute the exact maxima over the same input region (31) for every shape, held in four ways."""
    snake, shapes = robot(LAST), grid(LAST, config.spacing)
    return {
        name: push_survey(snake, shapes, object_of(), wheels=wheels, support=support, directions=4, radii=1)
        for name, (wheels, support) in CASES.items()
    }


def claims(result: Result) -> list[Finding]:
    """Return no findings, because the paper makes no claim on this."""
    return []


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the distributions of both measures over the shapes, and write their quartiles to a file."""
    sheet = new_figure(10.0, 3.4)
    free = result["free"]
    for axes, (measure, label) in zip(sheet.subplots(1, 2), MEASURES.items()):
        for colour, (name, found) in zip((*COLOURS[:3], COLOURS[5]), result.items()):
            values = getattr(found, measure) / (free.object_norm if measure == "object_norm" else 1.0)
            axes.plot(np.sort(values), np.linspace(0.0, 100.0, values.size), color=colour, label=name)
        axes.set_xscale("log" if measure == "ratio" else "linear")
        labelled(dressed(axes), label, "shapes [%]", "")
    legend(axes)
    return [write(sheet, folder / "arms.png"), write_table(result, folder / "arms.txt")]


def write_table(result: Result, path: Path) -> Path:
    """Write the 5th percentile, median and 95th percentile of both measures of every case."""
    lines = ["case          measure       5 %        median     95 %"]
    for name, found in result.items():
        for measure in MEASURES:
            cells = np.quantile(getattr(found, measure), (0.05, 0.5, 0.95))
            lines.append(f"{name:13s} {measure:12s}  " + "  ".join(f"{cell:9.3g}" for cell in cells))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
