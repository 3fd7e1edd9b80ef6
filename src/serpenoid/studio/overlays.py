"""Overlay data for a robot: arrows of forces and torques, virtual chassis, colours. Plain arrays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from serpenoid.analysis.bodies import Bodies
from serpenoid.estimation.chassis import chassis_frames
from serpenoid.robots.rotations import quaternions, rotations
from serpenoid.studio.charts import Variables
from serpenoid.studio.windows import WINDOW, edges_of, window_of
from serpenoid.trajectory import Trajectory
from serpenoid.worlds.geometry import Colour

HEADING: Colour = (237, 174, 73)
HEADING_SIGNAL = "chassis_heading"  # of laws that steer by heading: cycle mean minus the desired heading [rad]
CHASSIS_LENGTH, HEADING_LENGTH = 0.3, 0.6  # of axes and arrow, as fractions of the robot's length
NO_ARROWS = np.zeros((0, 2, 3))
# Colour ramp of a variable, from low to high.
RAMP = np.array([(49, 54, 149), (116, 173, 209), (236, 236, 226), (244, 149, 80), (165, 0, 38)], dtype=float)


def row(variables: Variables, name: str, sample: int) -> NDArray:
    """Return a variable at a sample, or its last one if it has fewer."""
    values = variables[name][1]
    return values[min(sample, len(values) - 1)]


def contact_arrows(variables: Variables, sample: int, scale: float) -> NDArray:
    """Return arrows (arrows, 2, 3) [m] of contact forces on the robot, `scale` [m/N]: per contact, or summed per
    link."""
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
    """Return arrows (arrows, 2, 3) from positions along vectors; NaN and zero vectors are omitted."""
    points = np.stack([starts, starts + scale * vectors], axis=1)
    shown = np.isfinite(points).all(axis=(1, 2)) & (np.linalg.norm(np.nan_to_num(vectors), axis=1) > 0.0)
    return points[shown]


def torque_arrows(variables: Variables, sample: int, bodies: Bodies, scale: float) -> NDArray:
    """Return arrows (arrows, 2, 3) of drive torques along the joint axes, `scale` [m/(N m)]."""
    if "joint_torque" not in variables:
        return NO_ARROWS
    poses, torque = row(variables, "link_pose", sample), row(variables, "joint_torque", sample)
    axes = np.einsum("lij,lj->li", rotations(poses[1:, 3:]), bodies.axis[1:])
    return arrows(poses[1:, :3], torque[:, None] * axes, scale)


def chassis_poses(poses: NDArray, bodies: Bodies, head: int = 0) -> tuple[NDArray, NDArray]:
    """Return the virtual chassis (frames, 7) of links at poses (frames, links, 7), and (frames,) whether the shape has
    one.

    Its first axis points towards the head; if the shape has no main axis, the previous one is kept.
    """
    middles = poses[..., :3] + np.einsum("flij,lj->fli", rotations(poses[..., 3:]), bodies.center)
    found = chassis_frames(middles[:, ::-1] if head else middles)
    return np.concatenate([found.centers, quaternions(found.axes.swapaxes(1, 2))], axis=1), found.clear


def headings_of(run: Trajectory, times: NDArray, chassis: NDArray) -> NDArray:
    """Return the world heading (frames,) [rad] estimated by a law that steers by heading; NaN in its first cycle.

    The signal is relative to the mean over the first cycle and to the desired heading. The former follows from the
    chassis (frames, 7). The latter is the negated signal at the end of the first cycle, and the script may change it.
    """
    error = run[HEADING_SIGNAL]
    known = np.flatnonzero(error)
    if not known.size:
        return np.full(times.size, np.nan)
    first = int(known[0])
    wanted = np.full(error.size, -error[first])
    for event in json.loads(run.attributes.get("script", "[]")):
        if event["what"] == "controller.turning.target":
            wanted[event["tick"] :] = event["value"]
    axis = rotations(chassis[:, 3:])[..., 0]
    true = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))
    start = true[: max(1, np.searchsorted(times, run.ticks[first]))].mean()
    tick = ticks_before(run, times)
    return np.where(tick < first, np.nan, start + (error + wanted)[tick])


def paintable(variables: Variables) -> list[str]:
    """Return variables that can colour the links: a number per joint, link or window at every sample or tick."""
    return sorted(
        name for name, (dims, *_) in variables.items() if len(dims) == 2 and dims[1] in ("joint", "link", WINDOW)
    )


def link_values(variables: Variables, name: str, sample: int, places: NDArray) -> NDArray:
    """Return (links,) the value of a variable at each link's position along the body: of the link, joint or window."""
    dimension, values = variables[name][0][1], row(variables, name, sample)
    if dimension == WINDOW:
        edges = edges_of(variables, name)
        window = window_of(row(variables, edges, sample), places) if edges else np.full(places.size, -1)
        return np.where(window < 0, np.nan, values[window])
    if dimension == "joint":
        return np.concatenate([values[:1], values])[: places.size]
    return values


def colours_of(values: NDArray, low: float, high: float) -> NDArray:
    """Return colours (links, 3) of values along the ramp; grey for NaN."""
    share = np.clip((values - low) / (high - low) if high > low else 0.5 + 0.0 * values, 0.0, 1.0)
    place = np.nan_to_num(share) * (len(RAMP) - 1)
    colours = np.stack([np.interp(place, np.arange(len(RAMP)), RAMP[:, i]) for i in range(3)], axis=1)
    colours[~np.isfinite(values)] = 150.0
    return colours.round().astype(np.uint8)


def value_range(variables: Variables, name: str) -> tuple[float, float]:
    """Return minimum and maximum of a variable."""
    values = variables[name][1]
    good = values[np.isfinite(values)]
    return (float(good.min()), float(good.max())) if good.size else (0.0, 1.0)


def ticks_before(run: Trajectory, times: ArrayLike) -> NDArray:
    """Return the ticks whose signals apply at times of the run [s], which may be rounded."""
    return np.maximum(0, np.searchsorted(run.ticks, np.add(times, 1e-9), side="right") - 1)


def horizon_of(variables: Mapping[str, Any], tick: int) -> NDArray:
    """Return the path (points, 3) predicted by the planner (first signal over horizon and axis); empty if none."""
    for dims, values, *_ in variables.values():
        if tuple(dims) == ("tick", "horizon", "axis") and len(values):
            points = values[min(tick, len(values) - 1)]
            points = points[np.isfinite(points).all(axis=1)]
            return np.column_stack([points, np.zeros(len(points))]) if points.shape[1] == 2 else points
    return np.zeros((0, 3))
