"""Fig. 6, table 2, P9: best and worst shapes with three joints, for the object's acceleration and for the ratio."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.mechanics.slippage import PushSurvey
from serpenoid.plotting.style import ACCENT, GREY, INK, new_figure, write
from serpenoid_papers.base import Finding
from serpenoid_papers.pushing.common import NAMES
from serpenoid_papers.pushing.polar_maps import Config, Result, run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Config", "Result", "claims", "figure", "run"]

QUANTITIES = {"object_norm": r"$|a_{obj}|^2$", "ratio": r"$s_r$"}
UNITS = {"object_norm": r" N$^2$/kg", "ratio": ""}
LENGTH = 0.15  # length of a link [m]


def extremes(found: PushSurvey, name: str) -> dict[str, Any]:
    """Return the best and worst shape of a survey for one quantity."""
    values = getattr(found, name)
    return {side: entry(found, name, int(pick(values))) for side, pick in (("best", np.argmax), ("worst", np.argmin))}


def entry(found: PushSurvey, name: str, index: int) -> dict[str, Any]:
    """Return one cell of table 2."""
    return {
        "value": float(getattr(found, name)[index]),
        "shape_deg": np.degrees(found.shapes[index]).round(6).tolist(),
        "com_distance_m": float(found.distance[index]),
        "com_angle_deg": float(np.degrees(found.angle[index])),
    }


def table(result: Result) -> dict[str, Any]:
    """Return table 2 with our numbers."""
    return {
        name: {f"scenario_{number}": extremes(found, name) for number, found in result.items()} for name in QUANTITIES
    }


def claims(result: Result) -> list[Finding]:
    """Report the finding on P9."""
    reason = f"{result[1].ratio.size} shapes; a mirror image is equivalent; the numbers of table 2 are unknown"
    return [Finding("P9", table(result), reason)]


def figure(result: Result, folder: Path) -> list[Path]:
    """Draw Fig. 6, and write table 2 to a file."""
    cells = table(result)
    (folder / "table2.json").write_text(json.dumps(cells, indent=2) + "\n")
    sheet = new_figure(10.0, 8.0)
    axes = sheet.subplots(3, 4)
    for row, number in enumerate(result):
        for column, (name, side) in enumerate((n, s) for n in QUANTITIES for s in ("best", "worst")):
            cell = cells[name][f"scenario_{number}"][side]
            draw_shape(axes[row, column], np.radians(cell["shape_deg"]), number > 1)
            title = f"{side} {QUANTITIES[name]} = {cell['value']:.3g}{UNITS[name]}"
            axes[row, column].set_title(title, fontsize=9, color=INK)
        axes[row, 0].text(
            -0.16, 0.5, f"{number}: {NAMES[number]}", rotation=90, va="center", ha="center", fontsize=9, color=INK,
            transform=axes[row, 0].transAxes,
        )  # fmt: skip
    return [write(sheet, folder / "fig6_shapes.png")]


def draw_shape(axes: Axes, shape: NDArray, wheels: bool) -> None:
    """Draw a snake with its contact link on the x axis, and the object above it."""
    from matplotlib.patches import Circle

    angles = np.concatenate([[0.0], np.cumsum(shape)])
    steps = LENGTH * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    points = np.vstack([np.zeros(2), np.cumsum(steps, axis=0)]) - [LENGTH / 2, 0.0]
    middles = 0.5 * (points[:-1] + points[1:])
    axes.add_patch(Circle((0.0, 0.055), 0.05, facecolor="#dfe5ea", edgecolor=GREY))
    axes.plot(*points.T, color="#00798c", linewidth=3.5, solid_capstyle="round")
    axes.plot(*points[1:-1].T, "o", color="white", markeredgecolor=INK, markersize=4.5)
    if wheels:
        across = np.stack([-np.sin(angles), np.cos(angles)], axis=1)[1:]
        for middle, direction in zip(middles[1:], across):
            axes.plot(*np.array([middle - 0.02 * direction, middle + 0.02 * direction]).T, color=INK, linewidth=2)
    axes.plot(*middles.mean(axis=0), "x", color=ACCENT, markersize=6)
    everything = np.vstack([points, [[-0.05, 0.005], [0.05, 0.105]]])
    x, y = 0.5 * (everything.min(axis=0) + everything.max(axis=0))
    axes.set_xlim(x - 0.31, x + 0.31)
    axes.set_ylim(y - 0.31, y + 0.31)
    axes.set_aspect("equal")
    axes.set_axis_off()
