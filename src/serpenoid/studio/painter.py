"""Pictures of a scene without any graphics library: triangles into a buffer of depths. Slow, but always there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.robots.rotations import rotations
from serpenoid.studio.scene import FIELD_OF_VIEW, LIGHT, TRACK, Camera, Floor, Scene, shadow_colour, shadow_of
from serpenoid.studio.world_objects import poses_at

SKY = (247, 249, 251)
NEAREST = 0.01  # what lies nearer to the camera is cut off [m]
LINE = (196, 202, 208)
HAZE = 5.0  # a floor fades into the sky over so many distances of the camera
PATH_WIDTH = 0.007  # of the height of the picture
MOST_DOTS = 2_000_000  # that are looked at in one go


def painter_view(scene: Scene, size: tuple[int, int]) -> Any:
    """Something that paints a frame of the scene from a camera."""

    def view(frame: int, camera: Camera) -> NDArray:
        canvas = Canvas(np.tile(np.array(SKY, dtype=float), (size[0] * size[1], 1)), np.zeros(size[0] * size[1]))
        sheet, near, opacity = floor_sheet(scene.floor, camera, size)
        if scene.floor.opacity == 1.0:
            lay(canvas, slice(None), sheet, near, opacity)
        corners, colours = clipped(*triangles(scene, frame), camera)
        path = ribbon(scene.track_until(scene.times[frame]), camera, size)
        corners = np.concatenate([corners, path])
        colours = np.concatenate([colours, np.tile((*TRACK, 1.0), (len(path), 1))])
        paint(canvas, corners, colours, camera, size)
        if scene.floor.opacity < 1.0:
            lay(canvas, slice(None), sheet, near, opacity)
        return canvas.shades.round().astype(np.uint8).reshape(size[1], size[0], 3)

    return view


class Canvas(NamedTuple):
    """A picture, row by row, and how near what it shows is."""

    shades: NDArray  # (dots, 3) 0 to 255
    near: NDArray  # (dots,) one over the distance along the view [1/m], 0 of the sky


def lay(canvas: Canvas, dots: Any, shades: NDArray, near: NDArray, opacity: Any) -> None:
    """Lay colours over dots, each once, where nothing nearer is; what is not seen through hides what lies behind."""
    opacity = np.where(near > canvas.near[dots], opacity, 0.0)
    canvas.shades[dots] += opacity[:, None] * (shades - canvas.shades[dots])
    canvas.near[dots] = np.where(opacity == 1.0, near, canvas.near[dots])


def triangles(scene: Scene, frame: int) -> tuple[NDArray, NDArray]:
    """(count, 3, 3) corners of all triangles in world axes [m], and (count, 4) their colours with opacity."""
    turns, shadow = rotations(scene.quaternions[frame]), shadow_of(scene.floor)
    pieces, colours = [], []

    def add(corners: NDArray, colour: tuple[float, ...], casts: bool) -> None:
        pieces.append(corners)
        colours.append(np.tile(colour, (len(corners), 1)))
        if casts and shadow is not None:
            add(corners @ shadow[:, :3].T + shadow[:, 3], (*shadow_colour(scene.floor), 1.0), False)

    for solid, colour in zip(scene.solids, scene.colours):
        vertices = scene.positions[frame, solid.body] + solid.vertices @ turns[solid.body].T
        add(vertices[solid.faces], (*colour, 1.0), True)
    for thing in scene.things:
        pose = poses_at(scene.times, thing.poses, scene.times[[frame]])[0] if len(thing.poses) > 1 else thing.poses[0]
        vertices = pose[:3] + thing.mesh.vertices @ rotations(pose[3:]).T
        add(vertices[thing.mesh.faces], (*thing.colour, thing.opacity), thing.casts and thing.opacity == 1.0)
    return np.concatenate(pieces), np.concatenate(colours)


def ribbon(points: NDArray, camera: Camera, size: tuple[int, int]) -> NDArray:
    """Return triangles (count, 3, 3) of a line (points, 3) that face the camera, PATH_WIDTH wide in the picture [m]."""
    if len(points) < 2:
        return np.empty((0, 3, 3))
    away = camera.position - points
    half = 0.5 * PATH_WIDTH * size[1] * np.linalg.norm(away, axis=1, keepdims=True) / focal_of(size)
    side = np.cross(np.gradient(points, axis=0), away)
    side *= half / np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-12)
    left, right = points + side, points - side
    first = np.stack([left[:-1], right[:-1], left[1:]], axis=1)
    found = np.concatenate([first, np.stack([left[1:], right[:-1], right[1:]], axis=1)])
    depth = (found - camera.position) @ axes_of(camera)[2]
    return found[(depth > NEAREST).all(axis=1)]


def axes_of(camera: Camera) -> NDArray:
    """(3, 3) in rows: to the right, upwards and forward, as the camera looks."""
    forward = (camera.target - camera.position) / np.linalg.norm(camera.target - camera.position)
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    return np.array([right, np.cross(right, forward), forward])


def focal_of(size: tuple[int, int]) -> float:
    """How many dots something is wide that is as wide as it is far away."""
    return 0.5 * size[1] / float(np.tan(0.5 * FIELD_OF_VIEW))


def seen_from(camera: Camera, points: NDArray, size: tuple[int, int]) -> tuple[NDArray, NDArray]:
    """(..., 2) places in the picture [dots] of points (..., 3) [m], and (...) their distance along the view [m]."""
    across, up, depth = np.moveaxis((points - camera.position) @ axes_of(camera).T, -1, 0)
    scale = focal_of(size) / np.maximum(depth, NEAREST)
    return np.stack([0.5 * size[0] + scale * across, 0.5 * size[1] - scale * up], axis=-1), depth


def clipped(corners: NDArray, colours: NDArray, camera: Camera) -> tuple[NDArray, NDArray]:
    """Triangles without what lies behind the camera, with their shades: as bright as they are turned to the light.

    What looks away is left out unless it is seen through. A triangle with one corner behind becomes two.
    """
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    shades = colours * np.column_stack([np.repeat(0.45 + 0.55 * np.clip(normal @ LIGHT, 0.0, 1.0)[:, None], 3, 1),
                                        np.ones(len(colours))])  # fmt: skip
    facing = np.einsum("ij,ij->i", normal, camera.position - corners[:, 0]) > 0.0
    depth = (corners - camera.position) @ axes_of(camera)[2]
    ahead = (depth > NEAREST).sum(axis=1)
    shown = facing | (colours[:, 3] < 1.0)
    pieces, their = [corners[shown & (ahead == 3)]], [shades[shown & (ahead == 3)]]
    for i in np.flatnonzero(shown & (ahead > 0) & (ahead < 3)):
        found = cut(corners[i], depth[i] - NEAREST)
        pieces.append(found)
        their.append(np.tile(shades[i], (len(found), 1)))
    return np.concatenate(pieces), np.concatenate(their)


def cut(corners: NDArray, height: NDArray) -> NDArray:
    """(1 or 2, 3, 3) the part of a triangle (3, 3) whose corners have heights (3,) above a plane that lies above it."""
    kept: list[NDArray] = []
    for i in range(3):
        j = (i + 1) % 3
        if height[i] > 0.0:
            kept.append(corners[i])
        if (height[i] > 0.0) != (height[j] > 0.0):
            kept.append(corners[i] + height[i] / (height[i] - height[j]) * (corners[j] - corners[i]))
    return np.array([[kept[0], kept[i], kept[i + 1]] for i in range(1, len(kept) - 1)])


def paint(canvas: Canvas, corners: NDArray, colours: NDArray, camera: Camera, size: tuple[int, int]) -> None:
    """Triangles that nothing is seen through, all at once; then the others, from far to near."""
    places, depth = seen_from(camera, corners, size)
    solid = colours[:, 3] == 1.0
    for which, dots, near in dots_of(places[solid], depth[solid], size):
        np.maximum.at(canvas.near, dots, near)
        front = canvas.near[dots] == near
        canvas.shades[dots[front]] = colours[solid][which[front], :3]
    glass = np.flatnonzero(~solid)
    for i in glass[np.argsort(-depth[glass].mean(axis=1))]:
        for _, dots, near in dots_of(places[[i]], depth[[i]], size):
            lay(canvas, dots, colours[i, :3], near, colours[i, 3])


def dots_of(places: NDArray, depth: NDArray, size: tuple[int, int]) -> Iterator[tuple[NDArray, NDArray, NDArray]]:
    """Which triangle, which dot and how near [1/m], of all dots whose middles triangles (count, 3, 2) cover."""
    limits = np.array(size)
    low = np.clip(np.ceil(places.min(axis=1) - 0.5), 0, limits).astype(int)
    counts = np.maximum(np.clip(np.floor(places.max(axis=1) + 0.5), 0, limits).astype(int) - low, 0)
    ends = np.cumsum(counts.prod(axis=1))
    groups = np.split(np.arange(len(places)), np.flatnonzero(np.diff(ends // MOST_DOTS)) + 1)
    for group in groups:
        boxes = counts[group].prod(axis=1)
        which = np.repeat(group, boxes)
        inside = np.arange(boxes.sum()) - np.repeat(np.cumsum(boxes) - boxes, boxes)
        column = low[which, 0] + inside % np.maximum(counts[which, 0], 1)
        line = low[which, 1] + inside // np.maximum(counts[which, 0], 1)
        weights = shares(places[which], np.stack([column, line], axis=-1) + 0.5)
        good = (weights >= 0.0).all(axis=1)
        near = (weights[good] / depth[which[good]]).sum(axis=1)
        yield which[good], (line * size[0] + column)[good], near


def shares(corners: NDArray, points: NDArray) -> NDArray:
    """(count, 3) how much of each corner (count, 3, 2) a point (count, 2) has; below 0 outside, NaN without area."""
    arms = corners - points[:, None]
    areas = np.stack([cross(arms[:, (i + 1) % 3], arms[:, (i + 2) % 3]) for i in range(3)], axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return areas / areas.sum(axis=1, keepdims=True)


def cross(first: NDArray, second: NDArray) -> NDArray:
    """(count,) of vectors (count, 2)."""
    return first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]


def floor_sheet(floor: Floor, camera: Camera, size: tuple[int, int]) -> tuple[NDArray, NDArray, NDArray]:
    """Colours (dots, 3), nearness [1/m] and opacity (dots,) of the floor with its squares, where each dot looks at."""
    across, down = np.meshgrid(np.arange(size[0]) + 0.5 - 0.5 * size[0], np.arange(size[1]) + 0.5 - 0.5 * size[1])
    looks = np.stack([across, -down, np.full_like(across, focal_of(size))], axis=-1) / focal_of(size) @ axes_of(camera)
    turn = rotations(floor.turn)
    with np.errstate(divide="ignore", invalid="ignore"):
        depth = turn[:, 2] @ (floor.center - camera.position) / (looks @ turn[:, 2])
    ahead = np.isfinite(depth) & (depth > NEAREST)
    depth = np.where(ahead, depth, 1.0)
    half = 0.5 * np.array(floor.size)
    flat = (camera.position + depth[..., None] * looks - floor.center) @ turn[:, :2] + half
    seen = ahead & (floor.endless | ((flat >= 0.0) & (flat <= 2.0 * half)).all(axis=-1))
    square = np.floor(flat / floor.cell)
    edge = np.zeros(seen.shape, dtype=bool)
    edge[:, 1:] |= (square[:, 1:] != square[:, :-1]).any(axis=-1)
    edge[1:] |= (square[1:] != square[:-1]).any(axis=-1)
    lines = 1.0 if floor.opacity in (0.0, 1.0) else floor.opacity
    far = np.clip(depth / (HAZE * np.linalg.norm(camera.position - camera.target)), 0.0, 1.0)[..., None]
    opacity = np.where(seen, np.where(edge, lines, floor.opacity), 0.0)
    shades = np.where(edge[..., None], LINE + far * (np.array(floor.colour) - LINE), floor.colour)
    shades = shades + far**2 * (np.array(SKY) - shades)
    return shades.reshape(-1, 3), (1.0 / depth).ravel(), opacity.ravel()
