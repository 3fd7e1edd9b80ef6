"""P3, P8: effect of the joint far from the object, for the example and over all shapes with two joints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.mechanics.slippage import pushing
from serpenoid.plotting.style import COLOURS, dressed, labelled, legend, new_figure, write
from serpenoid_papers.base import Finding, Progress
from serpenoid_papers.pushing.common import EXAMPLE, NAMES, WHEELS, PairGrid, grid, object_of, operators_of, robot


@dataclass(frozen=True)
class Config(PairGrid):
    """Configuration of the experiment."""


class Result(NamedTuple):
    """Accelerations of the object by the torque of one joint alone."""

    example: dict[int, NDArray]  # (2,) near and far joint, by scenario [m/s^2]
    shapes: NDArray  # (count, 2) [rad]
    effect: dict[int, NDArray]  # (count, 2) the same for every shape
    coupling: dict[int, NDArray]  # (count,) coupling of the two joints in |qdd|^2, by scenario


def run(config: Config, progress: Progress) -> Result:
    """Apply the same torque to one joint at a time, in the direction that pushes harder."""
    shapes = grid(2, config.spacing)
    return Result(
        {number: effects(EXAMPLE, number) for number in WHEELS},
        shapes,
        {number: np.array([effects(shape, number) for shape in shapes]) for number in WHEELS},
        {number: np.array([joint_coupling(shape, number) for shape in shapes]) for number in (1, 3)},
    )


def effects(shape: NDArray, scenario: int) -> NDArray:
    """Return the largest acceleration of the object by the near and by the far joint alone, at equal torque [m/s^2].

    The torque is the largest in the input region of either joint.
    """
    mobility = operators_of(2, shape, 1).mobility
    size = 1.0 / np.sqrt(np.diag(mobility).max())
    torques = size * np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    response = pushing(robot(2), shape, object_of(), torques, wheels=WHEELS[scenario])
    speed = np.linalg.norm(response.object_acceleration[:, :2], axis=1)
    return speed.reshape(2, 2).max(axis=1)


def joint_coupling(shape: NDArray, scenario: int) -> float:
    """Return |P12| / sqrt(P11 P22) of (28), |qdd|^2 = tau^T P tau, with contact and without slip."""
    ops = operators_of(2, shape, scenario)
    force = np.linalg.solve(ops.gram, ops.drive)
    form = ops.mobility - ops.drive.T @ force - force.T @ ops.drive + force.T @ ops.chain_gram @ force
    return float(abs(form[0, 1]) / np.sqrt(form[0, 0] * form[1, 1]))


def claims(result: Result) -> list[Finding]:
    """Report the findings on P3 and P8."""
    example = {f"scenario_{n}": float(e[1] / e[0]) for n, e in result.example.items()}
    share = {n: e[:, 1] / e[:, 0] for n, e in result.effect.items()}
    over_all = {f"median_scenario_{n}": float(np.median(values)) for n, values in share.items()}
    growth = result.effect[3][:, 1] / result.effect[1][:, 1]
    return [
        Finding("P3", {**example, **over_all}, f"far / near at equal torque; medians over {len(result.shapes)} shapes"),
        Finding(
            "P8",
            {
                "far_joint_3_over_1_median": float(np.median(growth)),
                "far_joint_3_over_1_example": float(result.example[3][1] / result.example[1][1]),
                "share_of_shapes_where_it_grows": float((growth > 1.0).mean()),
                "joint_coupling_1_median": float(np.median(result.coupling[1])),
                "joint_coupling_3_median": float(np.median(result.coupling[3])),
            },
            "acceleration of the object by the far joint alone, ideal wheels relative to none. The joint coupling "
            "of the robot's own motion is |P12| / sqrt(P11 P22) of (28)",
        ),
    ]  # fmt: skip


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the distribution of far / near over all shapes."""
    sheet = new_figure(7.0, 3.6)
    axes = dressed(sheet.add_subplot())
    for colour, (number, effect) in zip(COLOURS, result.effect.items()):
        share = np.sort(effect[:, 1] / effect[:, 0])
        axes.plot(share, np.linspace(0, 100, share.size), color=colour, label=f"{number}: {NAMES[number]}")
        axes.plot(result.example[number][1] / result.example[number][0], 50, "o", color=colour, markersize=4)
    axes.set_xlim(0.0, 2.0)
    labelled(axes, "effect of the far joint / of the near joint", "shapes [%]", "Far joint (dots: the shape of Fig. 4)")
    legend(axes)
    return [write(sheet, folder / "far_joint.png")]
