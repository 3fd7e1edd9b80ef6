"""Fig. 5, P5, P6, P7: forces, object and ratio over all shapes with three joints, by the robot's centre of mass."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from serpenoid.mechanics.slippage import PushSurvey
from serpenoid.plotting.style import INK, new_figure, write
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.pushing.common import NAMES, large_survey

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection

Result = dict[int, PushSurvey]


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    spacing: float = 10.0
    """spacing of the joint angles [deg]; 10 gives 21,952 shapes"""
    directions: int = 200
    """directions in the torque space"""
    radii: int = 5
    """radial steps from its centre to its rim"""

    @classmethod
    def quick(cls) -> Config:
        """Use fewer angles and torques."""
        return cls(spacing=18.0, directions=80)

    @classmethod
    def tiny(cls) -> Config:
        """Use a coarse grid."""
        return cls(spacing=45.0, directions=20, radii=2)


def run(config: Config, progress: Progress) -> Result:
    """Compute the largest values over the input region, for every shape and scenario."""
    return large_survey(config.spacing, config.directions, config.radii)


def best_angle(found: PushSurvey, values: NDArray) -> float:
    """Return the angle of the centre of mass at which a quantity is largest [deg]."""
    return float(np.degrees(found.angle[np.argmax(values)]))


def quantiles(values: NDArray) -> dict[str, float]:
    """Summarise a distribution by five numbers."""
    names = ("least", "p05", "median", "p95", "greatest")
    return {name: float(value) for name, value in zip(names, np.quantile(values, (0.0, 0.05, 0.5, 0.95, 1.0)))}


def count_lowered(result: Result, scenario: int) -> int:
    """Return the number of shapes whose largest ratio is lower with wheels than without."""
    return int((result[scenario].ratio < result[1].ratio * (1.0 - 1e-9)).sum())


def claims(result: Result) -> list[Finding]:
    """Report the findings on P5, P6 and P7."""
    count = result[1].ratio.size
    gain = result[3].object_norm / result[1].object_norm
    exact = all(found.exact for found in result.values())
    where = f"{count} shapes, {'exact' if exact else 'sampled'} maxima over the input region"
    return [
        Finding("P5", {"angle_deg": best_angle(result[1], result[1].force_norm)}, f"scenario 1, {where}"),
        Finding(
            "P6",
            {
                "angle_1_deg": best_angle(result[1], result[1].object_norm),
                "angle_3_deg": best_angle(result[3], result[3].object_norm),
                "median_3_over_1": float(np.median(gain)),
                "p95_3_over_1": float(np.quantile(gain, 0.95)),
            },
            f"{where}; the ratio 3 / 1 is that of the largest |a_obj|^2 of each shape",
        ),
        Finding(
            "P7",
            {
                "lowered_2": count_lowered(result, 2),
                "lowered_3": count_lowered(result, 3),
                **{f"scenario_{n}_over_1": quantiles(result[n].ratio / result[1].ratio) for n in (2, 3)},
            },
            f"largest slippage ratio of each shape relative to that without wheels; {where}",
        ),
    ]


def figure(result: Result, folder: Path) -> list[Path]:
    """Draw Fig. 5: polar maps, one row per quantity and one column per scenario."""
    sheet = new_figure(10.0, 8.6)
    rows = (
        ("force_norm", r"$|\lambda|^2$ [N$^2$/kg]"),
        ("object_norm", r"$|a_{obj}|^2$ [N$^2$/kg]"),
        ("ratio", r"ratio $s_r$ [-]"),
    )
    for row, (name, label) in enumerate(rows):
        for column, number in enumerate(result):
            axes = sheet.add_subplot(3, 3, 3 * row + column + 1, projection="polar")
            image = paint(axes, result[number], getattr(result[number], name))
            sheet.colorbar(image, ax=axes, shrink=0.75, pad=0.12).ax.tick_params(labelsize=7)
            axes.set_title(f"{label}, {number}: {NAMES[number]}", fontsize=8.5, color=INK)
    return [write(sheet, folder / "fig5_polar_maps.png")]


def paint(axes: Axes, found: PushSurvey, values: NDArray) -> PathCollection:
    """Draw one dot per shape at its centre of mass, with the largest values last."""
    order = np.argsort(values)
    image = axes.scatter(
        found.angle[order], found.distance[order], c=values[order], s=2.0, cmap="viridis", linewidths=0,
        rasterized=True,
    )  # fmt: skip
    axes.set_yticks([0.1, 0.2])
    axes.tick_params(labelsize=6.5)
    axes.grid(color="#cfd6dc", linewidth=0.5)
    return image
