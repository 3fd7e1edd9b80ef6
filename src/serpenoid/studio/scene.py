"""A run as a scene: solids that move, what lies under them, and where to look from. Plain arrays, for any viewer."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.bodies import part_of, rotations
from serpenoid.errors import positive, require
from serpenoid.robots.shapes import Solid, solids
from serpenoid.studio.landmarks import Colour, Landmarks, in_view, landmarks_of
from serpenoid.trajectory import Trajectory

HEAD: Colour = (176, 32, 48)
BODY: tuple[Colour, Colour] = ((0, 84, 102), (24, 128, 138))
# Colours of the floor by medium; water also where a robot swims.
FLOORS: dict[str, tuple[Colour, float]] = {
    "box": ((236, 226, 208), 1.0), "dry": ((236, 226, 208), 1.0), "viscous": ((226, 232, 214), 1.0),
    "fluid": ((200, 226, 240), 1.0), "water": ((150, 200, 230), 0.45), "free": ((255, 255, 255), 0.0),
}  # fmt: skip
CELLS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
VIEW = np.array([0.1, -0.75, 0.65]) / np.linalg.norm([0.1, -0.75, 0.65])  # from what is looked at to the camera
FIELD_OF_VIEW = 0.7  # vertical [rad]
ASPECT = 1.5  # width over height of the window that the first view is made for
MARGIN = 1.15
MOST_FRAMES = 20_000


class Floor(NamedTuple):
    """A grid with squares of a round size, and the colour of what fills it."""

    center: NDArray  # (3,) [m]
    size: tuple[float, float]  # along x and y [m]
    cell: float  # side of a square [m]
    colour: Colour
    opacity: float
    label: NDArray  # (3,) where the size of the squares is written [m]


class Camera(NamedTuple):
    """Where to look from, and at what."""

    position: NDArray  # (3,) [m]
    target: NDArray  # (3,) [m]


class Scene(NamedTuple):
    """Everything that a viewer shows of a run."""

    solids: list[Solid]
    colours: list[Colour]  # one per solid
    times: NDArray  # (frames,) [s] from the run's first sample on
    positions: NDArray  # (frames, links, 3) [m]
    quaternions: NDArray  # (frames, links, 4) w x y z
    track: NDArray  # (points, 3) way of the centre of mass [m]
    landmarks: Landmarks
    height: float  # of the robot over the whole run [m]
    floor: Floor
    camera: Camera
    title: str


def scene_of(run: Trajectory, frames_per_second: float = 30.0) -> Scene:
    """The scene of a run; robot and world come out of its configuration."""
    require(run.times.size > 0, "run", run, "a trajectory with samples")
    robot, world = part_of(run, "robot"), part_of(run, "world")
    bodies = solids(robot)
    times, positions, quaternions = frames(run, frames_per_second)
    landmarks = landmarks_of(run)
    lowest, highest = in_view(landmarks, *bounds(bodies, positions, quaternions))
    floor = floor_of(world, lowest, highest)
    first = head_link(run)
    return Scene(
        bodies, [colour_of(solid.body, first) for solid in bodies], times, positions, quaternions, track_of(run),
        landmarks, float(highest[2] - lowest[2]), floor, camera_of(lowest, highest),
        f"serpenoid: {type(robot).__name__}, {run.duration:g} s",
    )  # fmt: skip


def frames(run: Trajectory, frames_per_second: float) -> tuple[NDArray, NDArray, NDArray]:
    """Poses of all links at an even rate: positions interpolated, quaternions blended along the shorter way."""
    rate = positive("frames_per_second", frames_per_second)
    count = int(np.floor(run.duration * rate + 1e-9)) + 1
    require(count <= MOST_FRAMES, "frames_per_second", rate, f"low enough for {MOST_FRAMES} frames")
    times = run.times[0] + np.arange(count) / rate
    after = np.clip(np.searchsorted(run.times, times, side="right"), 1, max(1, run.times.size - 1))
    before, after = after - 1, np.minimum(after, run.times.size - 1)
    gap = run.times[after] - run.times[before]
    share = np.divide(times - run.times[before], gap, out=np.zeros(count), where=gap > 0.0)[:, None, None]
    early, late = run["link_pose"][before], run["link_pose"][after]
    near = np.sign(np.sum(early[..., 3:] * late[..., 3:], axis=-1, keepdims=True))
    blend = (1.0 - share) * early[..., 3:] + share * np.where(near < 0.0, -1.0, 1.0) * late[..., 3:]
    positions = (1.0 - share) * early[..., :3] + share * late[..., :3]
    return times - run.times[0], positions, blend / np.linalg.norm(blend, axis=-1, keepdims=True)


def bounds(bodies: list[Solid], positions: NDArray, quaternions: NDArray) -> tuple[NDArray, NDArray]:
    """Lowest and highest corner of the box that holds every solid in every frame."""
    corners = []
    for solid in bodies:
        low, high = solid.vertices.min(axis=0), solid.vertices.max(axis=0)
        box = np.array(np.meshgrid(*zip(low, high))).reshape(3, -1)  # (3, 8)
        turned = rotations(quaternions[:, solid.body]) @ box
        placed = positions[:, solid.body, :, None] + turned
        corners.append((placed.min(axis=(0, 2)), placed.max(axis=(0, 2))))
    return np.min([low for low, _ in corners], axis=0), np.max([high for _, high in corners], axis=0)


def floor_of(world: Any, lowest: NDArray, highest: NDArray) -> Floor:
    """What lies under the robot: ground that it touches, the surface of water, or a grid below everything."""
    kind = medium_of(world)
    extent = highest - lowest
    cell = next((c for c in CELLS if c >= float(extent[:2].max()) / 24.0), CELLS[-1])
    reach = 2.0 * cell + 0.2 * float(extent[:2].max())
    low = np.floor((lowest[:2] - reach) / cell) * cell
    high = np.ceil((highest[:2] + reach) / cell) * cell
    height = 0.0 if kind == "water" else float(lowest[2])
    if kind == "free":
        height -= 0.1 * float(np.linalg.norm(extent))
    colour, opacity = FLOORS[kind]
    size = high - low
    center = np.array([*(0.5 * (low + high)), height])
    label = np.array([0.5 * (lowest[0] + highest[0]), lowest[1] - 0.12 * extent[:2].max(), height])
    return Floor(center, (float(size[0]), float(size[1])), cell, colour, opacity, label)


def medium_of(world: Any) -> str:
    """Which floor a world has."""
    name = getattr(world, "medium", None)
    if isinstance(name, str) and name in FLOORS:
        return name
    return "water" if hasattr(world, "hydrodynamics") else "free"


def camera_of(lowest: NDArray, highest: NDArray) -> Camera:
    """As near as a view of the whole run allows, from above and to one side."""
    target = 0.5 * (lowest + highest)
    right = np.cross(-VIEW, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    up = np.cross(VIEW, right)
    corners = np.array(np.meshgrid(*zip(lowest, highest))).reshape(3, -1).T - target
    slope = np.tan(0.5 * FIELD_OF_VIEW)
    needed = np.maximum(np.abs(corners @ up) / slope, np.abs(corners @ right) / (slope * ASPECT)) + corners @ VIEW
    return Camera(target + VIEW * MARGIN * float(needed.max()), target)


def track_of(run: Trajectory, most: int = 500) -> NDArray:
    """The way of the centre of mass in at most so many points; empty where the run does not hold it."""
    if "center_of_mass" not in run:
        return np.empty((0, 3))
    track = run["center_of_mass"]
    return track[:: max(1, len(track) // most)]


def head_link(run: Trajectory) -> int:
    """The index of the head: link 0, or the last one on a robot whose link 0 is its tail."""
    names = run.labels.get("link", ("head",))
    return len(names) - 1 if names[0] == "tail" else 0


def colour_of(body: int, head: int) -> Colour:
    """The head stands out; the other bodies alternate, so that the joints show."""
    return HEAD if body == head else BODY[body % 2]
