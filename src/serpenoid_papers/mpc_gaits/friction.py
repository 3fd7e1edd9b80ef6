"""Fig. 2 (M10): the dry law dissipates at least as much as any force on the friction ellipse, the box law less."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import kernel
from serpenoid.kernels.planar.media import box_force, dry_force
from serpenoid.plotting.style import COLOURS, dressed, labelled, legend, new_figure, write
from serpenoid.worlds import Plane
from serpenoid_papers.base import ExperimentConfig, Finding, Progress

SMOOTHING = 1e-9  # smoothing of the printed law, practically none [m/s]


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    velocities: int = 10_000
    """random velocities"""
    rivals: int = 720
    """other forces on the ellipse for each velocity"""
    seed: int = 1
    """seed of the random numbers"""

    @classmethod
    def quick(cls) -> Config:
        """Use fewer velocities."""
        return cls(velocities=1000)

    @classmethod
    def tiny(cls) -> Config:
        """Use very few velocities."""
        return cls(velocities=100)


class Result(NamedTuple):
    """Dissipation of each law over that of the best force on the ellipse, by velocity."""

    dry: NDArray
    box: NDArray
    box_outside: float  # share of velocities for which the box force leaves the ellipse


def run(config: Config, progress: Progress) -> Result:
    """Evaluate random velocities, with forces in units of the weight."""
    rng = np.random.default_rng(config.seed)
    along, across = Plane().friction_longitudinal, Plane().friction_transverse
    angle = np.linspace(0.0, 2.0 * np.pi, config.rivals, endpoint=False)
    ellipse = np.array([along * np.cos(angle), across * np.sin(angle)])
    dry, box, outside = [], [], 0
    velocities = rng.normal(size=(config.velocities, 2))
    for velocity, force, boxed in zip(velocities, *laws(along, across, velocities)):
        best = float((-velocity @ ellipse).max())
        dry.append(-force @ velocity / best)
        # Clip the box force to the ellipse, the bound of friction.
        size = np.hypot(boxed[0] / along, boxed[1] / across)
        outside += bool(size > 1.0 + 1e-9)
        box.append(-boxed @ velocity / max(size, 1.0) / best)
    return Result(np.array(dry), np.array(box), outside / config.velocities)


@kernel
def laws(along: float, across: float, velocities: NDArray) -> tuple[NDArray, NDArray]:
    """Return the forces of the dry and of the box law at many velocities, in units of the weight."""
    dry, box = np.empty_like(velocities), np.empty_like(velocities)
    for i in range(velocities.shape[0]):
        dry[i, 0], dry[i, 1] = dry_force(along, across, SMOOTHING, velocities[i, 0], velocities[i, 1])
        box[i, 0], box[i, 1] = box_force(along, across, SMOOTHING, velocities[i, 0], velocities[i, 1])
    return dry, box


def claims(result: Result) -> list[Finding]:
    """Report the finding on M10."""
    measured = {
        "dry, least share of the best": float(result.dry.min()),
        "box within the ellipse, least share of the best": float(result.box.min()),
        "box force outside the ellipse, share of velocities": result.box_outside,
    }
    return [
        Finding("M10", measured, f"{result.dry.size} random velocities, compared with forces over the whole ellipse")
    ]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the shares of the largest dissipation."""
    picture = new_figure(6.0, 3.2)
    axes = dressed(picture.add_subplot())
    bins = list(np.linspace(0.6, 1.01, 60))
    axes.hist(result.dry, bins, color=COLOURS[0], label="dry (8)")
    axes.hist(result.box, bins, color=COLOURS[1], alpha=0.7, label="box (7), clipped to the ellipse")
    labelled(axes, "dissipation / largest dissipation on the ellipse", "velocities", "Fig. 2")
    legend(axes)
    return [write(picture, folder / "fig_2_dissipation.png")]
