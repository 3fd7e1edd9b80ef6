"""What can be drawn over a robot: forces and torques as arrows, its virtual chassis, colours. Plain arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.bodies import Bodies
from serpenoid.robots.rotations import rotations
from serpenoid.studio.charts import Variables
from serpenoid.studio.windows import WINDOW, edges_of, window_of
from serpenoid.trajectory import Trajectory

NO_ARROWS = np.zeros((0, 2, 3))
# Colours along a variable's range, from low to high.
RAMP = np.array([(49, 54, 149), (116, 173, 209), (236, 236, 226), (244, 149, 80), (165, 0, 38)], dtype=float)


def row(variables: Variables, name: str, sample: int) -> NDArray:
    """A variable at a sample; the last one where it has fewer."""
    values = variables[name][1]
    return values[min(sample, len(values) - 1)]


def contact_arrows(variables: Variables, sample: int, scale: float) -> NDArray:
    """(arrows, 2, 3) forces of contacts on the robot [m], `scale` [m/N] long: each contact, or summed over a link."""
    if {"touch_point", "touch_force"} <= set(variables):
        starts, forces = row(variables, "touch_point", sample), row(variables, "touch_force", sample)
    elif "contact_force" in variables and variables["contact_force"][0] == ("time", "link", "axis"):
        starts, forces = row(variables, "link_pose", sample)[:, :3], row(variables, "contact_force", sample)
    elif {"object_position", "object_force"} <= set(variables):
        starts, forces = row(variables, "object_position", sample)[None], row(variables, "object_force", sample)[None]
    else:
        return NO_ARROWS
    return arrows(starts, forces, scale)


def arrows(starts: NDArray, vectors: NDArray, scale: float) -> NDArray:
    """(arrows, 2, 3) from places along vectors; what is not a number, or nothing, is left out."""
    points = np.stack([starts, starts + scale * vectors], axis=1)
    shown = np.isfinite(points).all(axis=(1, 2)) & (np.linalg.norm(np.nan_to_num(vectors), axis=1) > 0.0)
    return points[shown]


def torque_arrows(variables: Variables, sample: int, bodies: Bodies, scale: float) -> NDArray:
    """(arrows, 2, 3) torques of the drives along the axes of their joints, `scale` [m/(N m)] long."""
    if "joint_torque" not in variables:
        return NO_ARROWS
    poses, torque = row(variables, "link_pose", sample), row(variables, "joint_torque", sample)
    axes = np.einsum("lij,lj->li", rotations(poses[1:, 3:]), bodies.axis[1:])
    return arrows(poses[1:, :3], torque[:, None] * axes, scale)


def virtual_chassis(places: NDArray) -> tuple[NDArray, NDArray]:
    """Centre (3,) and axes (3, 3) in rows: the principal directions of the links' places (links, 3).

    Rollinson, Buchan and Choset (2011): the singular vectors of the places less their mean. The first points from head
    to tail, the third upwards, and the second makes the frame right-handed.
    """
    center = places.mean(axis=0)
    axes = np.linalg.svd(places - center, full_matrices=True)[2]
    axes[0] *= np.sign((places[-1] - places[0]) @ axes[0]) or 1.0
    axes[2] *= np.sign(axes[2, 2]) or 1.0
    axes[1] = np.cross(axes[2], axes[0])
    return center, axes


def paintable(variables: Variables) -> list[str]:
    """Variables that can colour the links: a number for each joint, link or window at every sample or tick."""
    return sorted(
        name for name, (dims, *_) in variables.items() if len(dims) == 2 and dims[1] in ("joint", "link", WINDOW)
    )


def link_values(variables: Variables, name: str, sample: int, places: NDArray) -> NDArray:
    """(links,) what a variable says of each link at its place along the body: its own, its joint's, its window's."""
    dimension, values = variables[name][0][1], row(variables, name, sample)
    if dimension == WINDOW:
        edges = edges_of(variables, name)
        window = window_of(row(variables, edges, sample), places) if edges else np.full(places.size, -1)
        return np.where(window < 0, np.nan, values[window])
    if dimension == "joint":
        return np.concatenate([values[:1], values])[: places.size]
    return values


def colours_of(values: NDArray, low: float, high: float) -> NDArray:
    """(links, 3) colours of values along the ramp; grey where there is none."""
    share = np.clip((values - low) / (high - low) if high > low else 0.5 + 0.0 * values, 0.0, 1.0)
    place = np.nan_to_num(share) * (len(RAMP) - 1)
    colours = np.stack([np.interp(place, np.arange(len(RAMP)), RAMP[:, i]) for i in range(3)], axis=1)
    colours[~np.isfinite(values)] = 150.0
    return colours.round().astype(np.uint8)


def value_range(variables: Variables, name: str) -> tuple[float, float]:
    """Least and greatest value of a variable."""
    values = variables[name][1]
    good = values[np.isfinite(values)]
    return (float(good.min()), float(good.max())) if good.size else (0.0, 1.0)


def tick_before(run: Trajectory, time: float) -> int:
    """The tick whose signals hold at a time of the run [s]."""
    return max(0, int(np.searchsorted(run.ticks, time, side="right")) - 1)


def horizon_of(variables: Mapping[str, Any], tick: int) -> NDArray:
    """(points, 3) the way that the planner has in mind: the first signal over horizon and axis; empty where none is."""
    for dims, values, *_ in variables.values():
        if tuple(dims) == ("tick", "horizon", "axis") and len(values):
            points = values[min(tick, len(values) - 1)]
            points = points[np.isfinite(points).all(axis=1)]
            return np.column_stack([points, np.zeros(len(points))]) if points.shape[1] == 2 else points
    return np.zeros((0, 3))
