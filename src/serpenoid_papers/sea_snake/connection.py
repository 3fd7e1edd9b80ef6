"""Fig. 3.1: local connection of a viscous chain over the two weights of its shape bases, with a gait."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid_papers.base import ExperimentConfig, Finding, Progress

LINKS, DRAG = 10, 2.0  # links of a chain of length 1, and transverse over longitudinal drag
STATIONS = 3  # Gauss points along each link


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Resolution of the field."""

    grid: int = 21
    """values of each weight"""
    reach: float = 1.0
    """largest weight [rad]"""

    @classmethod
    def tiny(cls) -> Config:
        return cls(grid=5)


class Result(NamedTuple):
    """The field and a gait."""

    weights: NDArray  # (grid,) [rad]
    along: NDArray  # (grid, grid, 2) body velocity along the body per rate of each weight, in lengths [1/rad]
    gait: NDArray  # (points, 2) weights over a cycle [rad]
    gained: float  # travel in a cycle by integrating the connection, in lengths
    closed: float  # the same for a straight line forth and back, which encloses no area


def connection(weights: NDArray, ratio: float = DRAG) -> NDArray:
    """Return the head's body velocity (x, y, yaw) per rate of two weights (3, 2), for zero net drag.

    theta_j = w_1 sin(2 pi s_j) + w_2 cos(2 pi s_j): the shape bases of one wave, (3.5).
    """
    joints = np.arange(1, LINKS) / LINKS
    basis = np.column_stack([np.sin(2.0 * pi * joints), np.cos(2.0 * pi * joints)])
    heading = np.append(0.0, np.cumsum(basis @ weights))
    turning = np.vstack([np.zeros(2), np.cumsum(basis, axis=0)])  # rotation of each link per rate of the weights
    length = 1.0 / LINKS
    along, across = np.stack([np.cos(heading), np.sin(heading)]), np.stack([-np.sin(heading), np.cos(heading)])
    ends = np.hstack([np.zeros((2, 1)), np.cumsum(length * along, axis=1)])
    end_rate = np.zeros((2, LINKS + 1, 2))
    end_rate[:, 1:] = np.cumsum(length * across[:, :, None] * turning[None], axis=1)
    places, shares = np.polynomial.legendre.leggauss(STATIONS)
    force = np.zeros((3, 3 + 2))
    for link in range(LINKS):
        drag = np.outer(along[:, link], along[:, link]) + ratio * np.outer(across[:, link], across[:, link])
        for place, share in zip(0.5 * (places + 1.0) * length, 0.5 * shares * length):
            r = ends[:, link] + place * along[:, link]
            lift = np.array([[1.0, 0.0, -r[1]], [0.0, 1.0, r[0]]])
            own = end_rate[:, link] + place * np.outer(across[:, link], turning[link])
            force += share * lift.T @ drag @ np.hstack([lift, own])
    return -np.linalg.solve(force[:, :3], force[:, 3:])


def integrate_gait(gait: NDArray) -> NDArray:
    """Return the pose (3,) x, y [lengths], rotation [rad] after one cycle of a gait (points, 2) of weights."""
    pose = np.zeros(3)
    for here, there in zip(gait[:-1], gait[1:]):
        x, y, turn = connection(0.5 * (here + there)) @ (there - here)
        middle = pose[2] + 0.5 * turn
        pose += [x * np.cos(middle) - y * np.sin(middle), x * np.sin(middle) + y * np.cos(middle), turn]
    return pose


def run(config: Config, progress: Progress) -> Result:
    """Compute the field on a grid; the gait is a circle, the travelling wave."""
    weights = np.linspace(-config.reach, config.reach, config.grid)
    along = np.array([[connection(np.array([a, b]))[0] for a in weights] for b in weights])
    angle = np.linspace(0.0, 2.0 * pi, 401)
    gait = 0.6 * config.reach * np.column_stack([np.cos(angle), np.sin(angle)])
    line = 0.6 * config.reach * np.column_stack([np.cos(angle), np.cos(angle)])
    return Result(
        weights, along, gait, float(np.hypot(*integrate_gait(gait)[:2])), float(np.hypot(*integrate_gait(line)[:2]))
    )


def claims(result: Result) -> list[Finding]:
    """Return no findings, because this is background in the thesis."""
    return []


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the connection's longitudinal row as arrows over the weights, and the gait."""
    sheet = new_figure(5.6, 5.0)
    axes = dressed(sheet.add_subplot(1, 1, 1))
    axes.quiver(result.weights, result.weights, result.along[..., 0], result.along[..., 1], color=COLOURS[0])
    axes.plot(*result.gait.T, color=COLOURS[1], label=f"a wave: {result.gained:.3f} lengths a cycle")
    axes.set_aspect("equal")
    axes.legend(fontsize=8, frameon=False, loc="upper right")
    labelled(
        axes, "weight of the sine [rad]", "weight of the cosine [rad]", "Fig. 3.1: local connection, along the body"
    )
    return [write(sheet, folder / "fig_3_1.png")]
