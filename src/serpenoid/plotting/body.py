"""Path of the body, and its shape at selected samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.bodies import part_of
from serpenoid.errors import SerpenoidError, whole_number
from serpenoid.plotting.moments import snapshot_samples
from serpenoid.plotting.run_geometry import draw_geometry, draw_moved
from serpenoid.plotting.style import ACCENT, GREY, axes_or_new, gradient, labelled, legend
from serpenoid.robots.rotations import rotations
from serpenoid.robots.shapes import Segment, along, segments
from serpenoid.trajectory import Trajectory
from serpenoid.worlds.geometry import Plane, plane_columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def path(run: Trajectory, axes: Axes | None = None, plane: Plane = "xy") -> Axes:
    """Plot the path of head and centre of mass, with the body at its start and end."""
    axes = axes_or_new(axes, 6.0, 5.0)
    across, up = plane_columns(plane)
    center, head = run["center_of_mass"], run["base_pose"]
    axes.plot(head[:, across], head[:, up], color=GREY, linewidth=0.9, label=base_name(run))
    axes.plot(center[:, across], center[:, up], color=ACCENT, linewidth=1.4, label="centre of mass")
    axes.plot(center[-1, across], center[-1, up], ".", color=ACCENT, markersize=7, zorder=5)
    early, late = gradient(2)
    for i, name, colour in ((0, "body at the start", early), (-1, "body at the end", late)):
        draw_body(axes, run, i, (across, up), colour, name)
    draw_geometry(axes, run, plane, ((0, early), (-1, late)))
    draw_moved(axes, run, plane)
    return map_axes(axes, plane)


def snapshots(
    run: Trajectory, axes: Axes | None = None, count: int = 6, plane: Plane = "xy", start: float | None = None
) -> Axes:
    """Plot the body at several samples from `start` [s] on, early ones dark and late ones light; the head is marked.

    Samples are evenly spaced. Those a period apart are shifted, because they would all show the same shape.
    """
    axes = axes_or_new(axes, 6.0, 5.0)
    chosen = snapshot_samples(run, whole_number("count", count, 1, 1000), start)
    every, colours = -(-chosen.size // 8), gradient(chosen.size)
    for k, (i, colour) in enumerate(zip(chosen, colours)):
        name = f"{run.times[i]:.2f} s" if k % every == 0 or k == chosen.size - 1 else "_"
        draw_body(axes, run, int(i), plane_columns(plane), colour, name)
    bodies = axes.dataLim.frozen()
    draw_geometry(axes, run, plane, list(zip(chosen, colours)))
    keep_near(axes, bodies)
    return map_axes(axes, plane)


def keep_near(axes: Axes, bodies: Any) -> None:
    """Remove marks far from the bodies, such as a goal, which would widen the axes until no shape is visible."""
    reach = max(bodies.width, bodies.height)
    low, high = bodies.min - reach, bodies.max + reach
    axes.dataLim.set_points(np.clip(axes.dataLim.get_points(), low, high))
    for line in list(axes.lines):
        points = np.asarray(line.get_xydata(), dtype=float).reshape(-1, 2)
        points = points[np.isfinite(points).all(axis=1)]
        if not (points.size and (points.max(axis=0) >= low).all() and (points.min(axis=0) <= high).all()):
            line.remove()  # also from the legend: wide axes would show an unexplained mark


def draw_body(axes: Axes, run: Trajectory, sample: int, plane: Sequence[int], colour: Any, name: str) -> None:
    """Draw the line of the body at one sample, with a dot at the head."""
    lines = body_lines(run, sample)
    across, up = plane
    gaps = np.full((len(lines), 1, 3), np.nan)
    points = np.concatenate([lines, gaps], axis=1).reshape(-1, 3)
    axes.plot(
        points[:, across], points[:, up], color=colour, linewidth=2.6, solid_capstyle="round", alpha=0.9, label=name
    )
    head = lines[0, 0] if run.labels.get("link", ("head",))[0] != "tail" else lines[-1, 1]
    axes.plot(head[across], head[up], "o", color=colour, markersize=5.0)


def body_length(run: Trajectory) -> float:
    """Return the length of the body line [m]."""
    return float(sum(np.linalg.norm(piece.end - piece.start) for piece in pieces_of(run)))


def body_lines(run: Trajectory, sample: int) -> NDArray:
    """Return both ends (pieces, 2, 3) of every piece of the body in world axes [m]."""
    pose = run["link_pose"][sample]
    rotation = rotations(pose[:, 3:])
    pieces = pieces_of(run)
    return np.array(
        [[pose[s.body, :3] + rotation[s.body] @ end for end in (s.start, s.end)] for s in pieces]
    )  # fmt: skip


def pieces_of(run: Trajectory) -> list[Segment]:
    """Return the line segments of the run's robot; without a recorded robot, a short segment per link."""
    try:
        return segments(part_of(run, "robot"))
    except SerpenoidError:
        pose = run["link_pose"][0, :, :3]
        reach = float(np.linalg.norm(np.diff(pose, axis=0), axis=1).mean()) if len(pose) > 1 else 0.1
        return [Segment(i, along(0.0), along(reach)) for i in range(len(pose))]


def map_axes(axes: Axes, plane: Plane) -> Axes:
    """Set equal scales on both axes, with names, units and a legend."""
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.08)
    axes.locator_params(axis="x", nbins=6)  # more labels would overlap on a page
    legend(axes)
    return labelled(axes, f"{plane[0]} [m]", f"{plane[1]} [m]")


def base_name(run: Trajectory) -> str:
    """Return the name of link 0."""
    return run.labels.get("link", ("head",))[0]
