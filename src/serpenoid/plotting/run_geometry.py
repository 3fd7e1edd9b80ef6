"""Surroundings of a run, drawn into a map: ground, water, obstacles, moving objects, goals and routes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.run_geometry import RunGeometry, goal_places, moving_poses, run_geometry
from serpenoid.plotting.style import AMBER, SLATE
from serpenoid.robots.rotations import rotations
from serpenoid.trajectory import Trajectory
from serpenoid.worlds.geometry import LOOKS, Extent, Outline, Plane, Shape, hull, plane_columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST_INCLINE = 1e-3  # sine of the smallest angle of a sloping plane
HEIGHT_BANDS = 24  # of a slope; higher is darker
ARROW = (1.16, 0.25)  # centre of the downhill arrow, right of the axes and below their legend
Moment = tuple[int, Any]  # a sample, and its colour in the figure


def draw_geometry(axes: Axes, run: Trajectory, plane: Plane, moments: Sequence[Moment]) -> None:
    """Draw the surroundings of a run; moving objects are drawn at the given samples, in their colours."""
    around, room = run_geometry(run), room_of(run)
    named: set[str] = set()
    for shape in around.standing:
        seen = shape.outline(plane, wider(room) if shape.surface() else room)
        if seen is not None and is_near(shape.extent(), room):
            name = around.word(shape)
            draw_standing(axes, shape, seen, near_room(room, plane), "_" if name in named else name)
            named.add(name)
    if plane == "xy":
        draw_inclines(axes, around, room)
    for moving in around.moving:
        vertices, poses = moving.mesh(room).vertices, moving_poses(run, moving)
        for sample, colour in moments:
            placed = poses[sample, :3] + vertices @ rotations(poses[sample, 3:]).T
            corners, name = hull(placed[:, plane_columns(plane)]), moving.name
            axes.fill(*corners.T, facecolor="none", edgecolor=colour, linewidth=1.4, zorder=0.9,
                      label="_" if name in named else name)  # fmt: skip
            named.add(name)
    if plane == "xy":
        draw_landmarks(axes, run, around, room, [sample for sample, _ in moments])


def draw_moved(axes: Axes, run: Trajectory, plane: Plane) -> None:
    """Draw the path of each moving object that moved."""
    for moving in run_geometry(run).moving:
        places = moving_poses(run, moving)[:, plane_columns(plane)]
        if np.ptp(places, axis=0).max() > 0.0:
            axes.plot(*places.T, color=AMBER, linewidth=1.4, label=f"path of the {moving.name}", zorder=0.95)


def draw_standing(axes: Axes, shape: Shape, seen: Outline, near: NDArray, name: str) -> None:
    """Draw a static shape; ground does not widen the axes, other shapes widen them at most to the nearby box (2, 2)."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Polygon

    tint, opacity = LOOKS[shape.look]
    colour, endless = tuple(part / 255.0 for part in tint), shape.surface() is not None
    artist: Any = Line2D(*seen.points.T, color=SLATE, linewidth=1.2, label=name, zorder=0.6)
    if seen.filled and endless:
        artist = Polygon(seen.points, facecolor=(*colour, opacity), edgecolor=colour, label=name, zorder=0.5)
    elif seen.filled:
        artist = Polygon(seen.points, facecolor=(*colour, 0.5 * opacity), edgecolor=SLATE, label=name, zorder=0.8)
    axes.add_artist(artist)
    if seen.filled and not endless:
        axes.update_datalim(np.clip(seen.points, *near))


def draw_inclines(axes: Axes, around: RunGeometry, room: Extent) -> None:
    """Draw height bands and a downhill arrow for each sloping plane; neither widens the axes."""
    from matplotlib.collections import PolyCollection

    middle, reach = 0.5 * (room.low + room.high)[:2], reach_of(room)
    for surface in filter(None, (shape.surface() for shape in around.standing)):
        steepness = float(np.linalg.norm(surface.normal[:2]))
        if steepness < LEAST_INCLINE:
            continue
        downhill, angle = surface.normal[:2] / steepness, np.degrees(np.arctan2(steepness, surface.normal[2]))
        across = reach * np.array([-downhill[1], downhill[0]])
        edges = middle + reach * np.linspace(1.0, -1.0, HEIGHT_BANDS + 1)[:, None] * downhill
        bands = np.stack([edges[:-1] - across, edges[:-1] + across, edges[1:] + across, edges[1:] - across], axis=1)
        tint = np.array(LOOKS["rough"][0]) / 255.0
        colours = [(*tint, share) for share in np.linspace(0.05, 0.95, HEIGHT_BANDS)]
        axes.add_artist(PolyCollection(list(bands), facecolors=colours, linewidths=0.0, zorder=0.4))
        tip, tail = ((ARROW[0] + way * x, ARROW[1] + way * y) for way in (0.06, -0.06) for x, y in [downhill])
        axes.annotate(
            "", tip, tail, "axes fraction", annotation_clip=False,
            arrowprops={"arrowstyle": "-|>", "color": SLATE, "linewidth": 1.6},
        )  # fmt: skip
        axes.text(ARROW[0], ARROW[1] - 0.1, f"downhill, {angle:.3g} deg", color=SLATE, fontsize=8.5,
                  transform=axes.transAxes, ha="center", va="top")  # fmt: skip


def draw_landmarks(axes: Axes, run: Trajectory, around: RunGeometry, room: Extent, samples: list[int]) -> None:
    """Draw goals near the path or at the end of a route; name the others.

    A moving goal is drawn at the given samples.
    """
    if len(around.route):
        axes.plot(*around.route.T, color=AMBER, linewidth=1.6, linestyle="--", label="route", zorder=0.9)
    goals = [goal for goal in around.goals if len(around.route) or is_near(at_point(goal.position), room)]
    for i, goal in enumerate(goals):
        places = goal_places(goal, run.times)
        if any(goal.velocity):
            axes.plot(*places.T, color=AMBER, linewidth=1.2, linestyle=":", zorder=0.9)
        marks = places[samples] if any(goal.velocity) else places[:1]
        axes.plot(*marks.T, "*", color=AMBER, markersize=10, label="_" if i else "goal", zorder=3)
    for goal in around.goals:
        if goal not in goals:  # named but not drawn: it would make the path too small to see
            x, y = goal.position
            axes.plot([], [], "*", color=AMBER, markersize=10, label=f"goal, outside: ({x:.3g}, {y:.3g}) m")


def room_of(run: Trajectory) -> Extent:
    """Return the box in which unbounded shapes are drawn: that of the link frames, with a margin."""
    places = run["link_pose"][:, :, :3].reshape(-1, 3)
    low, high = places.min(axis=0), places.max(axis=0)
    margin = max(0.1 * float(np.linalg.norm(high - low)), 0.01)
    return Extent(low - margin, high + margin)


def wider(room: Extent) -> Extent:
    """Return a box so wide that a line across it crosses the axes."""
    reach = 5.0 * float(np.linalg.norm(room.high - room.low)) * np.array([1.0, 1.0, 0.0])
    return Extent(room.low - reach, room.high + reach)


def reach_of(room: Extent) -> float:
    """Return the largest distance from a run at which objects are drawn [m]."""
    return float(np.linalg.norm(room.high - room.low))


def near_room(room: Extent, plane: Plane) -> NDArray:
    """Return (2, 2) the lowest and highest corner of the surroundings of a run, seen along an axis [m]."""
    columns, reach = plane_columns(plane), reach_of(room)
    return np.array([room.low[columns] - reach, room.high[columns] + reach])


def is_near(box: Extent, room: Extent) -> bool:
    """Return whether a box lies within one width of the run's box."""
    reach = reach_of(room)
    return bool(np.all(box.high > room.low - reach) and np.all(box.low < room.high + reach))


def at_point(place: Sequence[float] | NDArray) -> Extent:
    """Return the box of a single point in the plane."""
    return Extent(np.array([*place, -np.inf]), np.array([*place, np.inf]))
