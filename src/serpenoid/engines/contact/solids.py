"""Solids of a world as MuJoCo geoms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import Unsupported
from serpenoid.robots.rotations import quaternions, rotations, turned_about
from serpenoid.worlds.contact import Solid
from serpenoid.worlds.convex import Ellipsoid, Hull
from serpenoid.worlds.geometry import Disc, Footprint, Ground, Wall, WaterLevel
from serpenoid.worlds.solids import Box, Capsule, Cylinder, Frustum, HeightField, Pipe

BELOW, TALL = -0.1, 0.5  # vertical extent of upright solids, which a planar world leaves open [m]
STAVES = 32  # staves of a pipe
STAVE = 0.02  # thickness of a stave [m]; links could tunnel through thinner ones
BURIED = 0.5  # depth of the ground below a height field [m]
GEOM = mujoco.mjtGeom

Add = Callable[..., Any]  # add_geom of the world body, with contact settings filled in


def add_solid(spec: mujoco.MjSpec, solid: Solid, add: Add) -> list[Any]:
    """Add the geoms of a solid; none for those without collisions."""
    for kind, build in BUILDERS.items():
        if isinstance(solid.shape, kind):
            return build(spec, solid.shape, add)
    raise Unsupported(f"the engine contact has no shape for {type(solid.shape).__name__}")


def ground(spec: mujoco.MjSpec, shape: Ground, add: Add) -> list[Any]:
    """Add an infinite plane."""
    surface = shape.plane()
    point = np.zeros(3) if surface.point is None else surface.point
    return [add(type=GEOM.mjGEOM_PLANE, size=(0.0, 0.0, 1.0), pos=point, quat=from_z(surface.normal))]


def upright(spec: mujoco.MjSpec, shape: Disc | Wall, add: Add) -> list[Any]:
    """Add a post or a wall.

    A post is a capsule with round ends out of reach of a robot on the ground. A wall is a box between two posts.
    """
    foot: Footprint = shape.standing()
    start, end = (np.array((*point, 0.0)) for point in (foot.start, foot.end))
    radius = max(foot.radius, 1e-3)
    ends = [start] if np.array_equal(start, end) else [start, end]
    posts = [
        add(type=GEOM.mjGEOM_CAPSULE, fromto=(*(p + (0, 0, BELOW)), *(p + (0, 0, TALL))), size=(radius, 0.0, 0.0))
        for p in ends
    ]
    if len(ends) == 2:
        half = 0.5 * float(np.linalg.norm(end - start))
        heading = np.arctan2(*(end - start)[1::-1])
        turn = (np.cos(heading / 2), 0.0, 0.0, np.sin(heading / 2))
        middle = 0.5 * (start + end) + (0, 0, 0.5 * (BELOW + TALL))
        posts.append(add(type=GEOM.mjGEOM_BOX, pos=middle, quat=turn, size=(half, radius, 0.5 * (TALL - BELOW))))
    return posts


def rod(spec: mujoco.MjSpec, shape: Cylinder | Capsule, add: Add) -> list[Any]:
    kind = GEOM.mjGEOM_CAPSULE if isinstance(shape, Capsule) else GEOM.mjGEOM_CYLINDER
    return [add(type=kind, fromto=(*shape.start, *shape.end), size=(shape.radius, 0.0, 0.0))]


def box(spec: mujoco.MjSpec, shape: Box, add: Add) -> list[Any]:
    return [add(type=GEOM.mjGEOM_BOX, pos=shape.center, quat=shape.turn, size=0.5 * np.array(shape.size))]


def ellipsoid(spec: mujoco.MjSpec, shape: Ellipsoid, add: Add) -> list[Any]:
    return [add(type=GEOM.mjGEOM_ELLIPSOID, pos=shape.center, quat=shape.turn, size=shape.radii)]


def convex(spec: mujoco.MjSpec, shape: Frustum | Hull, add: Add) -> list[Any]:
    """Add a convex shape as a mesh."""
    name = f"mesh_{len(spec.meshes)}"
    spec.add_mesh(name=name, uservert=shape.triangles().vertices.ravel())
    return [add(type=GEOM.mjGEOM_MESH, meshname=name)]


def pipe(spec: mujoco.MjSpec, shape: Pipe, add: Add) -> list[Any]:
    """Add a ring of staves whose inner faces touch the bore of the pipe."""
    start, end = np.array(shape.start), np.array(shape.end)
    along = (end - start) / np.linalg.norm(end - start)
    upright = rotations(from_z(along))
    thick = max(shape.thickness, STAVE)
    width = (shape.radius + thick) * np.tan(np.pi / STAVES)
    size = (0.5 * thick, width, 0.5 * float(np.linalg.norm(end - start)))
    staves = []
    for turn in turned_about(np.array((0.0, 0.0, 1.0)), 2.0 * np.pi * np.arange(STAVES) / STAVES):
        stave = upright @ turn
        place = 0.5 * (start + end) + stave[:, 0] * (shape.radius + 0.5 * thick)
        staves.append(add(type=GEOM.mjGEOM_BOX, pos=place, quat=quaternions(stave), size=size))
    return staves


def height_field(spec: mujoco.MjSpec, shape: HeightField, add: Add) -> list[Any]:
    """Add heights on a grid; MuJoCo scales them between 0 and 1 of the highest."""
    heights = np.array(shape.heights)
    low, span = float(heights.min()), max(float(np.ptp(heights)), 1e-6)
    half = 0.5 * np.array(shape.spacings) * (np.array(heights.shape[::-1]) - 1)
    name = f"heights_{len(spec.hfields)}"
    spec.add_hfield(
        name=name, size=(*half, span, BURIED), nrow=heights.shape[0], ncol=heights.shape[1],
        userdata=((heights - low) / span).ravel(),
    )  # fmt: skip
    center = (*(np.array(shape.corner) + half), low)
    return [add(type=GEOM.mjGEOM_HFIELD, hfieldname=name, pos=center)]


def nothing(spec: mujoco.MjSpec, shape: Any, add: Add) -> list[Any]:
    return []


def from_z(direction: NDArray) -> NDArray:
    """Return the quaternion w x y z that rotates z into a unit vector."""
    if direction[2] < -1.0 + 1e-12:
        return np.array((0.0, 1.0, 0.0, 0.0))
    quaternion = np.array((1.0 + direction[2], -direction[1], direction[0], 0.0))
    return quaternion / np.linalg.norm(quaternion)


BUILDERS: dict[type, Callable[[Any, Any, Add], list[Any]]] = {
    Ground: ground, Disc: upright, Wall: upright, Cylinder: rod, Capsule: rod, Box: box, Frustum: convex, Pipe: pipe,
    HeightField: height_field, Ellipsoid: ellipsoid, Hull: convex, WaterLevel: nothing,
}  # fmt: skip
