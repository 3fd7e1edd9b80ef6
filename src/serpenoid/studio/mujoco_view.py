"""Rendering of a scene by MuJoCo: every solid is a mesh on a mocap body that is moved for each frame."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.studio.scene import FIELD_OF_VIEW, LIGHT, TRACK, Camera, FloorGrid, SceneData, shadow_colour, shadow_of

if TYPE_CHECKING:
    import mujoco

PATH_WIDTH = 0.007  # over the image height
MOST_PIECES = 200  # of the path in an image
THINNEST = 1e-4  # MuJoCo accepts no flat meshes: thickness of a sheet [m]


def mujoco_view(scene: SceneData, size: tuple[int, int], samples: int = 4) -> Any:
    """Return a function that draws a frame of the scene from a camera; raise without a graphics context."""
    import mujoco

    draw_without_a_screen()
    spec = model_of(scene, size)
    spec.visual.quality.offsamples = samples
    model = spec.compile()
    data = mujoco.MjData(model)
    renderer = mujoco.Renderer(model, size[1], size[0])
    eye = mujoco.MjvCamera()
    bodies = [solid.body for solid in scene.solids]
    casts = [True] * len(bodies) + [thing.casts and thing.opacity == 1.0 for thing in scene.things]
    shaded = [mesh for mesh, casting in enumerate(casts) if casting]

    def view(frame: int, camera: Camera) -> NDArray:
        for i, body in enumerate(bodies):
            data.mocap_pos[i], data.mocap_quat[i] = scene.positions[frame, body], scene.quaternions[frame, body]
        for i, thing in enumerate(scene.things, start=len(bodies)):
            pose = thing.pose_at(scene.times, float(scene.times[frame])) if len(thing.poses) > 1 else thing.poses[0]
            data.mocap_pos[i], data.mocap_quat[i] = pose[:3], pose[3:]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_camlight(model, data)
        aim(eye, camera)
        renderer.update_scene(data, eye)
        add_shadows(renderer.scene, scene.floor, shaded)
        add_path(renderer.scene, scene.track_until(scene.times[frame]), PATH_WIDTH * size[1])
        return renderer.render().copy()

    return view


def add_shadows(drawn: Any, floor: FloorGrid, meshes: list[int]) -> None:
    """Add the meshes again, projected onto the floor along the light: MuJoCo's own shadows take twice the time."""
    import mujoco

    shadow = shadow_of(floor)
    if shadow is None:
        return
    rgba = np.array([*(np.array(shadow_colour(floor)) / 255.0), 1.0], dtype=np.float32)
    casting = [
        geom for geom in drawn.geoms[: drawn.ngeom]
        if geom.type == mujoco.mjtGeom.mjGEOM_MESH and geom.dataid // 2 in meshes
    ]  # fmt: skip
    for geom in casting[: drawn.maxgeom - drawn.ngeom]:
        flat = drawn.geoms[drawn.ngeom]
        place, axes = shadow[:, :3] @ geom.pos + shadow[:, 3], shadow[:, :3] @ geom.mat
        mujoco.mjv_initGeom(flat, geom.type, geom.size.astype(float), place, axes.ravel(), rgba)
        flat.dataid, flat.specular = geom.dataid, 0.0
        drawn.ngeom += 1


def add_path(drawn: Any, points: NDArray, width: float) -> None:
    """Add a line through points (points, 3) [m] with a width in pixels."""
    import mujoco

    points = points[:: max(1, len(points) // MOST_PIECES)]
    rgba = np.array([*(np.array(TRACK) / 255.0), 1.0], dtype=np.float32)
    for start, end in zip(points[:-1], points[1 : 1 + drawn.maxgeom - drawn.ngeom]):
        piece = drawn.geoms[drawn.ngeom]
        mujoco.mjv_initGeom(piece, mujoco.mjtGeom.mjGEOM_LINE, np.zeros(3), np.zeros(3), np.eye(3).ravel(), rgba)
        mujoco.mjv_connector(piece, mujoco.mjtGeom.mjGEOM_LINE, width, start, end)
        piece.emission = 1.0
        drawn.ngeom += 1


def draw_without_a_screen() -> None:
    """Make MuJoCo render with EGL even if an engine imported it before.

    MuJoCo chooses its backend once. Without a display it chooses GLFW, whose second failure ends the process.
    """
    if sys.platform == "linux" and "MUJOCO_GL" not in os.environ:
        from mujoco.egl import GLContext
        from mujoco.rendering.classic import gl_context

        gl_context.GLContext = GLContext


def aim(eye: Any, camera: Camera) -> None:
    """Set MuJoCo's free camera: distance, azimuth and elevation from its target."""
    away = camera.target - camera.position
    eye.lookat[:] = camera.target
    eye.distance = float(np.linalg.norm(away))
    eye.azimuth = float(np.degrees(np.arctan2(away[1], away[0])))
    eye.elevation = float(np.degrees(np.arcsin(away[2] / eye.distance)))


def model_of(scene: SceneData, size: tuple[int, int]) -> Any:
    """Return a model that contains only visible geometry."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.visual.global_.fovy = np.degrees(FIELD_OF_VIEW)
    spec.visual.global_.offwidth, spec.visual.global_.offheight = size
    spec.visual.headlight.ambient, spec.visual.headlight.diffuse = [0.45] * 3, [0.15] * 3
    spec.visual.headlight.specular = [0.1] * 3
    extent = float(np.linalg.norm(scene.camera.position - scene.camera.target))
    spec.stat.extent, spec.stat.center = extent, scene.camera.target
    spec.visual.map.znear, spec.visual.map.zfar = 0.005, 20.0
    spec.worldbody.add_light(
        pos=[0.0, 0.0, 5.0 * extent], dir=-LIGHT, diffuse=[0.35] * 3,
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, castshadow=False,  # see add_shadows
    )  # fmt: skip
    add_sky_and_floor(spec, scene)
    shown = [(s.vertices, s.faces, colour, 1.0, s.smooth) for s, colour in zip(scene.solids, scene.colours)]
    shown += [(t.mesh.vertices, t.mesh.faces, t.colour, t.opacity, t.mesh.smooth) for t in scene.things]
    for i, (vertices, faces, colour, opacity, smooth) in enumerate(shown):
        points, corners = thicken(vertices, np.asarray(faces))
        spec.add_mesh(
            name=f"m{i}", uservert=points.ravel(), userface=corners.ravel().astype(int), smoothnormal=smooth,
            inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
        )  # fmt: skip
        body = spec.worldbody.add_body(name=f"b{i}", mocap=True)
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"m{i}", rgba=[*(np.array(colour) / 255.0), opacity], contype=0,
            conaffinity=0,
        )  # fmt: skip
    return spec


def thicken(vertices: NDArray, faces: NDArray) -> tuple[NDArray, NDArray]:
    """Return a mesh with some height: a planar mesh gets a second sheet below it."""
    if np.linalg.matrix_rank(vertices - vertices[0], tol=THINNEST) == 3:
        return vertices, faces
    normal = np.cross(vertices[faces[0, 1]] - vertices[faces[0, 0]], vertices[faces[0, 2]] - vertices[faces[0, 0]])
    below = vertices - THINNEST * normal / np.linalg.norm(normal)
    return np.concatenate([vertices, below]), np.concatenate([faces, faces[:, ::-1] + len(vertices)])


def add_sky_and_floor(spec: mujoco.MjSpec, scene: SceneData) -> None:
    """Add a pale sky, and the floor with its grid."""
    import mujoco

    floor = scene.floor
    kinds, builtin = mujoco.mjtTexture, mujoco.mjtBuiltin
    spec.add_texture(
        name="sky", type=kinds.mjTEXTURE_SKYBOX, builtin=builtin.mjBUILTIN_GRADIENT, rgb1=[0.97, 0.98, 1.0],
        rgb2=[0.86, 0.9, 0.94], width=128, height=128,
    )  # fmt: skip
    shade = np.array(floor.colour) / 255.0
    spec.add_texture(
        name="squares", type=kinds.mjTEXTURE_2D, builtin=builtin.mjBUILTIN_FLAT, rgb1=shade, rgb2=shade,
        mark=mujoco.mjtMark.mjMARK_EDGE, markrgb=0.82 * shade, width=64, height=64,
    )  # fmt: skip
    material = spec.add_material(name="floor", texuniform=True, texrepeat=[2.0 / floor.cell] * 2, specular=0.0)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "squares"
    material.rgba = [1.0, 1.0, 1.0, floor.opacity or 0.35]
    width, depth = (0.0, 0.0) if floor.endless else floor.size  # 0: to the horizon
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE, size=[width / 2, depth / 2, floor.cell], pos=floor.center, quat=floor.turn,
        material="floor", contype=0, conaffinity=0,
    )  # fmt: skip
