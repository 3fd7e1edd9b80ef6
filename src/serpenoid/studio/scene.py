"""Scene of a run: moving solids, the ground, and cameras. Plain arrays for any viewer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.bodies import part_of
from serpenoid.analysis.run_geometry import RunGeometry, run_geometry
from serpenoid.errors import InvalidValue, positive, require
from serpenoid.plotting.overview import title_of
from serpenoid.robots.rotations import rotations
from serpenoid.robots.shapes import Solid, solids
from serpenoid.studio.world_objects import Thing, in_view, nearest, poses_at, still, things_of, waves_of
from serpenoid.trajectory import Trajectory
from serpenoid.worlds.geometry import LOOKS, Colour, Extent, Mesh, Surface

HEAD: Colour = (176, 32, 48)
BODY: tuple[Colour, Colour] = ((0, 84, 102), (24, 128, 138))
WHEEL: Colour = (52, 58, 66)
NO_FLOOR: tuple[Colour, float] = ((255, 255, 255), 0.0)
UP = np.array([0.0, 0.0, 1.0])
CELLS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
VIEW = np.array([0.1, -0.75, 0.65]) / np.linalg.norm([0.1, -0.75, 0.65])  # from the target to the camera
SLANT = 1.5  # largest horizontal distance of that view per metre of height
FIELD_OF_VIEW = 0.7  # vertical [rad]
ASPECT = 1.5  # width over height of the window for which the first view is made
MARGIN = 1.15
LEAST_HEIGHT = 0.05  # of objects without height, as a fraction of the diagonal of the visible scene
MOST_FRAMES = 20_000
QUICK_FRAMES = 2000  # most frames from which a page computes the extent of a run
TRACK_POINTS = 500
TRACK: Colour = (209, 73, 91)
LIGHT = np.array([-0.4, 0.3, 0.87]) / np.linalg.norm([-0.4, 0.3, 0.87])  # towards the light
SHADE = 0.78  # brightness of a shadow over that of the floor
SHADOW_LIFT = 0.01  # of a shadow above the floor, as a fraction of a square
SHADOW_HEIGHT = 1e-3  # fraction of a body's height that its shadow keeps
MEAN_WATER = 0.3  # opacity of the mean surface under waves, over that of still water
RAMP = 0.86  # brightness of the sides of a ramp over that of its top


class FloorGrid(NamedTuple):
    """Grid with squares of a round size, and its fill colour."""

    center: NDArray  # (3,) [m]
    size: tuple[float, float]  # along x and y [m]
    cell: float  # side of a square [m]
    colour: Colour
    opacity: float
    label: NDArray  # (3,) position of the label with the size of the squares [m]
    turn: NDArray  # (4,) quaternion w x y z of a sloping grid

    @property
    def endless(self) -> bool:
        """True if it extends to the horizon; a slope is a bounded ramp."""
        return bool(self.turn[0] == 1.0)


class Camera(NamedTuple):
    """Position and target of a camera."""

    position: NDArray  # (3,) [m]
    target: NDArray  # (3,) [m]


class SceneData(NamedTuple):
    """Everything that a viewer shows of a run."""

    solids: list[Solid]
    colours: list[Colour]  # one per solid
    times: NDArray  # (frames,) [s] from the run's first sample on
    positions: NDArray  # (frames, links, 3) [m]
    quaternions: NDArray  # (frames, links, 4) w x y z
    track: NDArray  # (points, 3) path of the centre of mass, or of the head of a climbing robot [m]
    things: list[Thing]  # static and moving objects besides the robot
    route: NDArray  # (points, 2) of a route to follow, empty for none [m]
    bottom: float  # lowest z of the robot over the whole run [m]
    floor: FloorGrid
    camera: Camera
    title: str
    note: str  # on omitted shapes
    track_times: NDArray  # (points,) of the track, from the run's first sample on [s]
    climbs: bool  # whether the robot rises more than it travels

    def track_until(self, time: float) -> NDArray:
        """Return the points of the track up to a time [s]."""
        return self.track[: int(np.searchsorted(self.track_times, time, side="right"))]


def scene_of(run: Trajectory, frames_per_second: float = 30.0) -> SceneData:
    """Build the scene of a run; robot and world come from its configuration."""
    require(run.times.size > 0, "run", run, "a trajectory with samples")
    robot = part_of(run, "robot")
    count = len(robot.link_names)
    shape = run["link_pose"].shape
    require(shape[1:] == (count, 7), "link_pose", shape, f"poses of the {count} links of the run's robot")
    times, positions, quaternions = frames(run, frames_per_second)
    whole = run_geometry(run)
    around = nearest(whole, positions)
    wheels = [] if around.world is None else around.world.fittings(robot)
    links = solids(robot, thin=around.crowded)
    bodies = links + wheels
    own = bounds(bodies, positions, quaternions)
    seen = in_view(run, around, own)
    top = max(float(own.high[2]), float(own.low[2]) + LEAST_HEIGHT * float(np.linalg.norm(seen.high - seen.low)))
    room = Extent(np.array([*seen.low[:2], own.low[2]]), np.array([*seen.high[:2], top]))
    first = head_link(run.labels.get("link", ("head",)))
    colours = [colour_of(solid.body, first) for solid in links] + [WHEEL] * len(wheels)
    drawn, there = len(around.standing), len(whole.standing)
    note = f"; only the nearest {drawn} of {there} shapes are drawn" if drawn < there else ""
    climbing, floor = climbs(run), floor_of(around, seen, float(own.low[2]))
    ramp = [] if floor.endless else [ramp_of(floor)]
    waves = waves_of(around, times, floor.center[:2], 0.5 * float(np.hypot(*floor.size)))
    if waves:
        floor = floor._replace(opacity=MEAN_WATER * floor.opacity)
    framed = Extent(*extremes(np.vstack([*seen, *(thing.mesh.vertices for thing in ramp)])))
    return SceneData(
        solids=bodies, colours=colours, times=times - run.times[0], positions=positions, quaternions=quaternions,
        track=track_of(run, first if climbing else None), things=ramp + waves + things_of(run, around, times, room),
        route=around.route, bottom=float(own.low[2]), floor=floor, camera=camera_of(*framed),
        title=f"serpenoid: {title_of(run)}{note}", note=note, track_times=thin_rows(run, run.times - run.times[0]),
        climbs=climbing,
    )  # fmt: skip


def quick_scene(run: Trajectory) -> SceneData:
    """Build the scene of a run with its extent computed from fewer frames."""
    return scene_of(run, min(30.0, QUICK_FRAMES / run.duration) if run.duration > 0.0 else 30.0)


def frames(run: Trajectory, frames_per_second: float) -> tuple[NDArray, NDArray, NDArray]:
    """Return evenly spaced times of the run, and positions and quaternions of all links."""
    rate = positive("frames_per_second", frames_per_second)
    count = frame_count(run, rate)
    if count > MOST_FRAMES:
        allowed = f"at most {highest_rate(run):g}: {count} frames exceed the limit of {MOST_FRAMES}"
        raise InvalidValue("frames_per_second", rate, allowed)
    times = run.times[0] + np.arange(count) / rate
    poses = poses_at(run.times, run["link_pose"], times)
    return times, poses[..., :3], poses[..., 3:]


def frame_count(run: Trajectory, rate: float) -> int:
    """Return the number of frames of a run at a rate [1/s]."""
    return int(np.floor(run.duration * rate + 1e-9)) + 1


def highest_rate(run: Trajectory) -> float:
    """Return the highest rate at which a run has at most MOST_FRAMES frames, to two digits [1/s]."""
    highest = (MOST_FRAMES - 1) / run.duration
    digit = 10.0 ** (np.floor(np.log10(highest)) - 1.0)
    return float(f"{np.floor(highest / digit) * digit:.2g}")


def bounds(bodies: list[Solid], positions: NDArray, quaternions: NDArray) -> Extent:
    """Return the bounding box of all solids over all frames."""
    corners = []
    for solid in bodies:
        low, high = solid.vertices.min(axis=0), solid.vertices.max(axis=0)
        box = np.array(np.meshgrid(*zip(low, high))).reshape(3, -1)  # (3, 8)
        turned = rotations(quaternions[:, solid.body]) @ box
        placed = positions[:, solid.body, :, None] + turned
        corners.append((placed.min(axis=(0, 2)), placed.max(axis=(0, 2))))
    return Extent(np.min([low for low, _ in corners], axis=0), np.max([high for _, high in corners], axis=0))


def floor_of(around: RunGeometry, seen: Extent, bottom: float) -> FloorGrid:
    """Return the first unbounded plane of the world; without one, a bare grid below everything.

    A plane directly under the robot is at the height `bottom` [m].
    """
    extent = seen.high - seen.low
    ground = around.floor
    surface = ground.surface() if ground else None
    # A surface above the robot is seen through, nearer to the camera than the robot.
    height = bottom if surface is None else float(surface.heights(seen.low[None, :2], bottom)[0])
    aside = SLANT * max(0.0, height - float(seen.low[2]))
    cell = next((c for c in CELLS if c >= (float(extent.max()) + aside) / 24.0), CELLS[-1])
    reach = 2.0 * cell + 0.2 * float(extent[:2].max()) + aside
    low = np.floor((seen.low[:2] - reach) / cell) * cell
    high = np.ceil((seen.high[:2] + reach) / cell) * cell
    center, label = 0.5 * (low + high), np.array([seen.low[0] + 0.5 * extent[0], seen.low[1] - 0.12 * extent[:2].max()])
    colour, opacity = LOOKS[ground.look] if ground else NO_FLOOR
    if surface is None:
        surface, bottom = Surface(None, UP), bottom - 0.1 * float(np.linalg.norm(extent))
    middle, sign = (np.array([*place, *surface.heights(place[None], bottom)]) for place in (center, label))
    size = (float(high[0] - low[0]), float(high[1] - low[1]))
    return FloorGrid(middle, size, cell, colour, opacity, sign, turn_to(surface.normal))


def ramp_of(floor: FloorGrid) -> Thing:
    """Return the sides of a ramp under a sloping floor: vertical walls from its edges to its lowest corner."""
    corners = 0.5 * np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]) * [*floor.size, 0.0]
    edge = floor.center + corners @ rotations(floor.turn).T
    foot = np.column_stack([edge[:, :2], np.full(4, edge[:, 2].min() - floor.cell)])
    walls = [(i, (i + 1) % 4) for i in range(4)]
    faces = [face for i, j in walls for face in ((4 + i, 4 + j, j), (4 + i, j, i))]
    colour = tuple(round(RAMP * part) for part in floor.colour)
    mesh = Mesh(np.concatenate([edge, foot]), np.array([*faces, (4, 6, 5), (4, 7, 6)]))
    return Thing("slope/0", mesh, colour, 1.0, still(1), casts=False)  # type: ignore[arg-type]


def extremes(points: NDArray) -> tuple[NDArray, NDArray]:
    """Return the minimum and maximum coordinates of points (count, 3)."""
    return points.min(axis=0), points.max(axis=0)


def shadow_of(floor: FloorGrid) -> NDArray | None:
    """Return the (3, 4) projection of points onto the floor along the light; None if the floor is not solid.

    Shadows lie slightly above the floor and keep a trace of their height, so that their faces have a direction.
    """
    if floor.opacity < 1.0:
        return None
    normal = rotations(floor.turn)[:, 2]
    along = (1.0 - SHADOW_HEIGHT) * LIGHT / (normal @ LIGHT)
    lifted = along * (normal @ floor.center) + SHADOW_LIFT * floor.cell * normal
    return np.column_stack([np.eye(3) - np.outer(along, normal), lifted])


def shadow_colour(floor: FloorGrid) -> Colour:
    """Return the colour of a shadow on the floor."""
    red, green, blue = (round(SHADE * part) for part in floor.colour)
    return red, green, blue


def turn_to(normal: NDArray) -> NDArray:
    """Return the shortest rotation, as a quaternion w x y z, from z to a unit vector that points upwards."""
    half = normal + UP
    half /= np.linalg.norm(half)
    return np.array([half @ UP, *np.cross(UP, half)])


def camera_of(lowest: NDArray, highest: NDArray) -> Camera:
    """Return the closest camera that shows the whole run, from above and to one side."""
    target = 0.5 * (lowest + highest)
    right = np.cross(-VIEW, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    up = np.cross(VIEW, right)
    corners = np.array(np.meshgrid(*zip(lowest, highest))).reshape(3, -1).T - target
    slope = np.tan(0.5 * FIELD_OF_VIEW)
    needed = np.maximum(np.abs(corners @ up) / slope, np.abs(corners @ right) / (slope * ASPECT)) + corners @ VIEW
    return Camera(target + VIEW * MARGIN * float(needed.max()), target)


def climbs(run: Trajectory) -> bool:
    """Return whether a robot rises more than it travels: a view of the whole run would show it small."""
    way = np.ptp(run["center_of_mass"], axis=0) if "center_of_mass" in run else np.zeros(3)
    return bool(way[2] > np.linalg.norm(way[:2]))


def track_of(run: Trajectory, link: int | None = None) -> NDArray:
    """Return the path of a link, or of the centre of mass, in few points; empty if not recorded.

    The centre of mass of a climbing robot lies inside the pole, where its path is invisible.
    """
    if link is not None:
        return thin_rows(run, run["link_pose"][:, link, :3])
    return thin_rows(run, run["center_of_mass"]) if "center_of_mass" in run else np.empty((0, 3))


def thin_rows(run: Trajectory, values: NDArray) -> NDArray:
    """Return about TRACK_POINTS evenly spaced rows of values at the samples of a run."""
    return values[:: max(1, run.times.size // TRACK_POINTS)]


def head_link(names: Sequence[str]) -> int:
    """Return the index of the head among links: 0, or the last one if link 0 is the tail."""
    return len(names) - 1 if names[0] == "tail" else 0


def colour_of(body: int, head: int) -> Colour:
    """Return the colour of a link: the head is distinct, the others alternate to show the joints."""
    return HEAD if body == head else BODY[body % 2]
