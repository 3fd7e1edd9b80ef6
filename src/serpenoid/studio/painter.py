"""Pictures of a scene without any graphics library: triangles painted from far to near. Slow, but always there."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.bodies import rotations
from serpenoid.studio.scene import FIELD_OF_VIEW, Camera, Scene
from serpenoid.studio.things import poses_at

SKY = (247, 249, 251)
LIGHT = np.array([0.3, -0.4, 0.87]) / np.linalg.norm([0.3, -0.4, 0.87])
NEAREST = 0.01  # what lies nearer to the camera is not drawn [m]
LINE = (196, 202, 208)


def painter_view(scene: Scene, size: tuple[int, int]) -> Any:
    """Something that paints a frame of the scene from a camera."""

    def view(frame: int, camera: Camera) -> NDArray:
        from PIL import Image, ImageDraw

        page = Image.new("RGB", size, SKY)
        draw = ImageDraw.Draw(page, "RGBA")
        paint_floor(draw, scene, camera, size)
        corners, colours = triangles(scene, frame)
        paint(draw, corners, colours, camera, size)
        return np.asarray(page)

    return view


def triangles(scene: Scene, frame: int) -> tuple[NDArray, NDArray]:
    """(count, 3, 3) corners of all triangles in world axes [m], and (count, 4) their colours with opacity."""
    turns = rotations(scene.quaternions[frame])
    pieces, colours = [], []
    for solid, colour in zip(scene.solids, scene.colours):
        vertices = scene.positions[frame, solid.body] + solid.vertices @ turns[solid.body].T
        pieces.append(vertices[solid.faces])
        colours.append(np.tile((*colour, 255), (len(solid.faces), 1)))
    for thing in scene.things:
        pose = poses_at(scene.times, thing.poses, scene.times[[frame]])[0] if len(thing.poses) > 1 else thing.poses[0]
        vertices = pose[:3] + thing.mesh.vertices @ rotations(pose[3:]).T
        pieces.append(vertices[thing.mesh.faces])
        colours.append(np.tile((*thing.colour, round(255 * thing.opacity)), (len(thing.mesh.faces), 1)))
    return np.concatenate(pieces), np.concatenate(colours)


def seen_from(camera: Camera, points: NDArray, size: tuple[int, int]) -> tuple[NDArray, NDArray]:
    """(..., 2) places in the picture [pixels] of points (..., 3) [m], and (...) their distance along the view [m]."""
    forward = (camera.target - camera.position) / np.linalg.norm(camera.target - camera.position)
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    relative = points - camera.position
    depth = relative @ forward
    focal = 0.5 * size[1] / np.tan(0.5 * FIELD_OF_VIEW) / np.maximum(depth, NEAREST)
    across, up = relative @ right, relative @ np.cross(right, forward)
    return np.stack([0.5 * size[0] + focal * across, 0.5 * size[1] - focal * up], axis=-1), depth


def paint(draw: Any, corners: NDArray, colours: NDArray, camera: Camera, size: tuple[int, int]) -> None:
    """Triangles from far to near, each as bright as it is turned to the light; what looks away is left out."""
    places, depth = seen_from(camera, corners, size)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    facing = np.einsum("ij,ij->i", normal, camera.position - corners.mean(axis=1)) > 0.0
    bright = 0.45 + 0.55 * np.clip(normal @ LIGHT, 0.0, 1.0)
    shades = np.column_stack([colours[:, :3] * bright[:, None], colours[:, 3]]).astype(int)
    shown = (facing | (colours[:, 3] < 255)) & (depth.min(axis=1) > NEAREST)
    for i in np.argsort(-depth.mean(axis=1)):
        if shown[i]:
            draw.polygon([tuple(point) for point in places[i]], fill=tuple(shades[i]))


def paint_floor(draw: Any, scene: Scene, camera: Camera, size: tuple[int, int]) -> None:
    """The floor as a sheet with its squares."""
    floor, turn = scene.floor, rotations(scene.floor.turn)
    half = 0.5 * np.array(floor.size)
    count = (np.array(floor.size) / floor.cell).round().astype(int)
    xs, ys = (np.linspace(-half[i], half[i], count[i] + 1) for i in range(2))
    flat = np.zeros((count[0] + 1, count[1] + 1, 3))
    flat[..., 0], flat[..., 1] = xs[:, None], ys[None]
    places, depth = seen_from(camera, floor.center + flat @ turn.T, size)
    ahead = depth > NEAREST
    whole = ahead[:-1, :-1] & ahead[1:, :-1] & ahead[1:, 1:] & ahead[:-1, 1:]
    fill = (*floor.colour, round(255 * floor.opacity)) if floor.opacity else None
    for i, j in np.argwhere(whole):
        square = [tuple(places[a, b]) for a, b in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))]
        draw.polygon(square, fill=fill, outline=LINE)
