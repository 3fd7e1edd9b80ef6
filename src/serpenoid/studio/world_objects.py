"""Objects besides the robot in a scene: shapes of the world, static or moving, goals, and the visible part."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.run_geometry import RunGeometry, goal_places, moving_poses
from serpenoid.studio.wave_surface import Drift, drawn_waves, wave_mesh
from serpenoid.trajectory import Trajectory
from serpenoid.worlds.geometry import LOOKS, Colour, Disc, Extent, Mesh, Shape
from serpenoid.worlds.solids import HeightField

GOAL: Colour = (237, 174, 73)
GOAL_RADIUS = 0.06  # [m]
GOAL_HEIGHT = 0.2  # fraction of the robot's height
SUN = np.array([-0.6, 0.5, 0.62]) / np.linalg.norm([-0.6, 0.5, 0.62])  # towards the light that shades rough ground
STEEPER = 3.0  # exaggeration of its slopes
MOST_SHAPES = 2000  # most shapes in a scene
TINTS, DARKEST = 12, 0.4
ABOVE = 0.1  # height of a first view above a run, over the diagonal of the run


class Thing(NamedTuple):
    """Solid besides the robot."""

    name: str
    mesh: Mesh
    colour: Colour
    opacity: float
    poses: NDArray  # (frames, 7) x y z, quaternion w x y z; one row if static
    variable: str = ""  # of the trajectory, that moves it
    casts: bool = True  # whether it casts a shadow; ground would lie in its own
    drift: Drift | None = None  # of waves

    @property
    def moves(self) -> bool:
        """True if its pose may change between frames."""
        return bool(self.variable) or len(self.poses) > 1 or self.drift is not None

    def pose_at(self, sampled: NDArray, time: float) -> NDArray:
        """Return the pose (7,) at a time of the scene, whose frames are at the times `sampled` [s]."""
        if self.drift is None:
            return poses_at(sampled, self.poses, np.array([time]))[0]
        return np.array([*self.drift.places(np.array([time]))[0], 1.0, 0.0, 0.0, 0.0])


def nearest(around: RunGeometry, positions: NDArray) -> RunGeometry:
    """Return the surroundings of a run limited to MOST_SHAPES shapes: unbounded ones, and the nearest.

    Positions (frames, links, 3) of the robot [m].
    """
    if len(around.standing) <= MOST_SHAPES:
        return around
    low, high = (np.nanquantile(positions, share, axis=(0, 1))[:2] for share in (0.0, 1.0))
    boxes = [shape.extent() for shape in around.standing]
    beyond = np.array([np.maximum(box.low[:2] - high, low - box.high[:2]) for box in boxes])
    order = np.argsort(np.linalg.norm(np.maximum(beyond, 0.0), axis=1), kind="stable")
    kept = set(order[:MOST_SHAPES].tolist())
    return around._replace(standing=tuple(shape for i, shape in enumerate(around.standing) if i in kept))


def things_of(run: Trajectory, around: RunGeometry, times: NDArray, within: Extent) -> list[Thing]:
    """Return everything besides the floor at times of the run; `within` extends from the robot's bottom to its top."""
    shapes = [shape for shape in around.standing if shape is not around.floor]
    standing = [
        part
        for i, shape in enumerate(shapes)
        for part in shade_ground(thing(f"{around.word(shape)}/{i}", shape, within, still(1)), shape)
    ]
    moving = [
        thing(f"{shape.name}/{i}", shape, within, poses_at(run.times, moving_poses(run, shape), times))._replace(
            variable=shape.variable
        )
        for i, shape in enumerate(around.moving)
    ]
    low = Extent(within.low, np.array([*within.high[:2], within.low[2] + GOAL_HEIGHT * (within.high - within.low)[2]]))
    post = Disc((0.0, 0.0), GOAL_RADIUS).mesh(low)
    goals = []
    for i, goal in enumerate(around.goals):
        poses = still(times.size if any(goal.velocity) else 1)
        poses[:, :2] = goal_places(goal, times[: len(poses)])
        goals.append(Thing(f"goal/{i}", post, GOAL, 1.0, poses))
    return standing + moving + goals


def thing(name: str, shape: Shape, within: Extent, poses: NDArray) -> Thing:
    """Return a shape of the world with its colour."""
    colour, opacity = LOOKS[shape.look]
    return Thing(name, shape.mesh(within), colour, opacity, poses, casts=not isinstance(shape, HeightField))


def waves_of(around: RunGeometry, times: NDArray, center: NDArray, reach: float) -> list[Thing]:
    """Return the waves around a point (2,), out to `reach` [m], at times of a run; none for still water."""
    drawn = drawn_waves(around, reach)
    if drawn is None:
        return []
    waves, speed = drawn
    direction = np.array([np.cos(waves.direction), np.sin(waves.direction)])
    drift = Drift(direction, speed, waves.length, float(times[0]))
    poses = still(times.size)
    poses[:, :3] = drift.places(times - times[0])
    colour, opacity = LOOKS["water"]
    return [Thing("waves/0", wave_mesh(waves, center, reach), colour, opacity, poses, casts=False, drift=drift)]


def shade_ground(whole: Thing, shape: Shape) -> list[Thing]:
    """Split rough ground into parts of different brightness, because the viewers' light does not show low hills."""
    if not isinstance(shape, HeightField):
        return [whole]
    vertices, faces = whole.mesh.vertices, np.asarray(whole.mesh.faces)
    first, second, third = (vertices[faces[:, k]] for k in range(3))
    normal = np.cross(second - first, third - first) * (1.0, 1.0, 1.0 / STEEPER)
    shade = normal @ SUN / np.linalg.norm(normal, axis=1)
    tint = np.clip((shade * TINTS).astype(int), 0, TINTS - 1)
    parts = []
    for k in sorted(set(tint.tolist()), key=lambda k: -np.count_nonzero(tint == k)):  # a legend shows the first
        used, corners = np.unique(faces[tint == k], return_inverse=True)
        light = DARKEST + (1.0 - DARKEST) * k / (TINTS - 1)
        red, green, blue = (round(light * part) for part in whole.colour)
        mesh = Mesh(vertices[used], corners.reshape(-1, 3))
        parts.append(whole._replace(mesh=mesh, colour=(red, green, blue)))
    return parts


def still(frames: int) -> NDArray:
    """Return identity poses (frames, 7)."""
    poses = np.zeros((frames, 7))
    poses[:, 3] = 1.0
    return poses


def poses_at(sampled: NDArray, poses: NDArray, times: NDArray) -> NDArray:
    """Interpolate poses (samples, ..., 7) to other times: positions linearly, quaternions along the shorter arc."""
    after = np.clip(np.searchsorted(sampled, times, side="right"), 1, max(1, sampled.size - 1))
    before, after = after - 1, np.minimum(after, sampled.size - 1)
    gap = sampled[after] - sampled[before]
    share = np.divide(times - sampled[before], gap, out=np.zeros(times.size), where=gap > 0.0)
    share = share.reshape(-1, *(1,) * (poses.ndim - 1))
    early, late = poses[before], poses[after]
    near = np.sign(np.sum(early[..., 3:] * late[..., 3:], axis=-1, keepdims=True))
    blend = (1.0 - share) * early[..., 3:] + share * np.where(near < 0.0, -1.0, 1.0) * late[..., 3:]
    places = (1.0 - share) * early[..., :3] + share * late[..., :3]
    return np.concatenate([places, blend / np.linalg.norm(blend, axis=-1, keepdims=True)], axis=-1)


def in_view(run: Trajectory, around: RunGeometry, bodies: Extent) -> Extent:
    """Return the bounding box of a run's bodies, extended by objects within its diagonal."""
    reach = float(np.linalg.norm((bodies.high - bodies.low)[:2]))
    boxes = [shape.extent() for shape in around.standing]
    for shape in around.moving:
        places, own = moving_poses(run, shape)[:, :3], shape.extent()
        boxes.append(Extent(places.min(axis=0) + own.low, places.max(axis=0) + own.high))
    spots = [*around.route, *(place for goal in around.goals for place in goal_places(goal, run.times[[0, -1]]))]
    boxes += [Extent(np.array([*spot, np.inf]), np.array([*spot, -np.inf])) for spot in spots]  # flat: no height
    low, high = bodies.low.copy(), bodies.high.copy()
    for box in boxes:
        if np.all(box.low[:2] > bodies.low[:2] - reach) and np.all(box.high[:2] < bodies.high[:2] + reach):
            low = np.where(np.isfinite(box.low), np.minimum(low, box.low), low)
            high = np.where(np.isfinite(box.high), np.maximum(high, box.high), high)
    tall = ABOVE * float(np.linalg.norm(bodies.high - bodies.low))  # a pole may extend out of view
    return Extent(low, np.array([*high[:2], min(high[2], bodies.high[2] + tall)]))
