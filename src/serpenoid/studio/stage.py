"""Scene on a viser server: created once, then each frame sends only moved objects."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.studio.scene import FIELD_OF_VIEW, TRACK, SceneData
from serpenoid.studio.world_objects import GOAL, Thing
from serpenoid.worlds.geometry import Colour

if TYPE_CHECKING:
    import viser

STAGES = count()
NAMES = 64  # distinct stage names before one is reused: pages must have processed its removal


class Stage:
    """One run's robot and surroundings in a page; a ghost is a second, transparent stage under another root.

    Each link is a node with its solids, so that a frame sends one pose per moved link. Every stage has its own name. A
    page that simultaneously receives the removal of a mesh and a larger mesh of its name draws neither.
    """

    def __init__(self, server: viser.ViserServer, scene: SceneData, root: str = "", opacity: float | None = None):
        self.server, self.scene = server, scene
        self.root = f"{root}/stage{next(STAGES) % NAMES}"
        bodies = sorted({solid.body for solid in scene.solids})
        self.links = {body: server.scene.add_frame(f"{self.root}/robot/{body}", show_axes=False) for body in bodies}
        self.solids = [
            server.scene.add_mesh_simple(
                f"{self.root}/robot/{solid.body}/{i}", solid.vertices, solid.faces, color=colour, opacity=opacity,
                flat_shading=not solid.smooth, cast_shadow=opacity is None,
            )
            for i, (solid, colour) in enumerate(zip(scene.solids, scene.colours))
        ]  # fmt: skip
        self.moving: list[tuple[Thing, viser.MeshHandle]] = []
        self.others: list[viser.SceneNodeHandle] = []
        self.painted = np.array(scene.colours, dtype=np.uint8)
        self.poses = np.full((len(scene.positions[0]), 7), np.nan)  # of the links as shown
        self.show(np.concatenate([scene.positions[0], scene.quaternions[0]], axis=-1))

    def furnish(self, track: bool = True) -> None:
        """Add the floor and everything besides the robot to the scene, and optionally the path of its centre of
        mass."""
        scene, add = self.scene, self.server.scene
        self.others += furnish_floor(self.server, scene, self.root)
        if track and len(scene.track) > 1:
            self.others.append(line(self.server, f"{self.root}/track", scene.track, TRACK, 2.0))
        if len(scene.route):
            points = np.column_stack([scene.route, np.full(len(scene.route), scene.bottom + 0.01)])
            self.others.append(line(self.server, f"{self.root}/route", points, GOAL, 3.0))
        still, moving = [[t for t in scene.things if t.moves == moves] for moves in (False, True)]
        for thing in (*merge_static(still), *moving):
            handle = add.add_mesh_simple(
                f"{self.root}/{thing.name}", thing.mesh.vertices, thing.mesh.faces, color=thing.colour,
                opacity=None if thing.opacity == 1.0 else thing.opacity, flat_shading=not thing.mesh.smooth,
                side="double", cast_shadow=thing.casts,
            )  # fmt: skip
            place(handle, thing.poses[0].tolist(), True, True)
            self.others.append(handle)
            if thing.moves:
                self.moving.append((thing, handle))

    def show(self, poses: NDArray, time: float | None = None) -> None:
        """Move links to poses (links, 7), and moving objects to their poses at a time of the scene [s]."""
        moved, turned = (poses[:, :3] != self.poses[:, :3]).any(axis=1), (poses[:, 3:] != self.poses[:, 3:]).any(axis=1)
        rows = poses.tolist()
        for body, handle in self.links.items():
            place(handle, rows[body], bool(moved[body]), bool(turned[body]))
        self.poses = poses
        if time is not None:
            for thing, mesh in self.moving:
                pose = thing.pose_at(self.scene.times, time)
                mesh.position, mesh.wxyz = pose[:3] + self.waves_offset(thing), pose[3:]

    def waves_offset(self, thing: Thing) -> NDArray:
        """Return the displacement (3,) of waves that follow the floor; zero for other objects [m]."""
        if thing.drift is None or self.grid is None:
            return np.zeros(3)
        return np.array([*thing.drift.towards((self.grid.position - self.scene.floor.center)[:2]), 0.0])

    @property
    def grid(self) -> viser.SceneNodeHandle | None:
        """The floor in the page; None before furnish()."""
        return next((node for node in self.others if node.name == f"{self.root}/floor"), None)

    def carry(self, variables: Mapping[str, Any], time: float) -> None:
        """Move objects to their poses in the variables of one sample, and waves to a time of the run [s]."""
        for thing, handle in self.moving:
            if thing.drift is not None:
                pose = thing.pose_at(self.scene.times, time - thing.drift.start)
                handle.position = pose[:3] + self.waves_offset(thing)
            if thing.variable in variables:
                values = variables[thing.variable][1][0]
                handle.position = values[:3]
                if len(values) == 7:
                    handle.wxyz = values[3:]

    def keep_floor_under(self, center: NDArray) -> None:
        """Move a level floor by whole squares, so that a live run does not leave it."""
        floor, grid = self.scene.floor, self.grid
        section = 5.0 * floor.cell
        if grid is None or floor.turn[0] != 1.0 or not np.isfinite(center).all():
            return
        away = center[:2] - grid.position[:2]
        if np.abs(away).max() > 0.25 * min(floor.size):
            grid.position = np.array([*(grid.position[:2] + section * np.round(away / section)), floor.center[2]])

    def paint(self, colours: NDArray | None) -> None:
        """Set the colours of the solids (links, 3), or None for the default; only changes are sent."""
        own = np.array(self.scene.colours, dtype=np.uint8)
        wanted = own if colours is None else colours[[solid.body for solid in self.scene.solids]].astype(np.uint8)
        if np.array_equal(wanted, self.painted):
            return
        for handle, before, colour in zip(self.solids, self.painted, wanted):
            if not np.array_equal(before, colour):
                handle.color = (int(colour[0]), int(colour[1]), int(colour[2]))
        self.painted = wanted

    def link_of(self, handle: viser.SceneNodeHandle) -> int | None:
        """Return the link of a solid; None for other nodes."""
        return next((solid.body for solid, own in zip(self.scene.solids, self.solids) if own is handle), None)

    def remove(self) -> None:
        """Remove the stage from the page."""
        for handle in (*self.solids, *self.links.values(), *self.others):
            handle.remove()
        self.links, self.solids, self.others, self.moving = {}, [], [], []


def place(handle: Any, pose: list[float], moved: bool, turned: bool) -> None:
    """Set the pose (7,) of a node.

    viser's setters compare by numpy.allclose, half of the frame time of a long snake. They also do not send a new
    node's pose at the origin, so it would appear at the pose of an earlier namesake.
    """
    from viser._messages import SetOrientationMessage, SetPositionMessage

    node = handle._impl
    if moved:
        node.position[:] = pose[:3]
        node.api._queue_scene_message(SetPositionMessage(node.name, (pose[0], pose[1], pose[2])))
    if turned:
        node.wxyz[:] = pose[3:]
        node.api._queue_scene_message(SetOrientationMessage(node.name, (pose[3], pose[4], pose[5], pose[6])))


def merge_static(things: list[Thing]) -> list[Thing]:
    """Merge static objects of equal appearance: three hundred pegs are one mesh."""
    groups: dict[tuple[Colour, float, bool, bool], list[Thing]] = {}
    for thing in things:
        groups.setdefault((thing.colour, thing.opacity, thing.mesh.smooth, thing.casts), []).append(thing)
    found = []
    for i, same in enumerate(groups.values()):
        starts = np.cumsum([0, *(len(thing.mesh.vertices) for thing in same)])
        vertices = np.concatenate([thing.mesh.vertices + thing.poses[0, :3] for thing in same])
        faces = np.concatenate([np.asarray(thing.mesh.faces) + start for thing, start in zip(same, starts)])
        poses = np.array([[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
        mesh = same[0].mesh._replace(vertices=vertices, faces=faces)
        found.append(same[0]._replace(name=f"things/{i}", mesh=mesh, poses=poses))
    return found


def line(server: viser.ViserServer, name: str, points: NDArray, colour: Colour, width: float) -> viser.SceneNodeHandle:
    """Add a line through points (count, 3)."""
    pieces = np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)
    return server.scene.add_line_segments(name, pieces, colour, thickness=width, thickness_units="screen")


def furnish_floor(server: viser.ViserServer, scene: SceneData, root: str) -> list[viser.SceneNodeHandle]:
    """Add the grid, and a label with the size of its squares."""
    floor = scene.floor
    width, depth = floor.size
    grid = server.scene.add_grid(
        f"{root}/floor", width=width, height=depth, cell_size=floor.cell, section_size=5.0 * floor.cell,
        cell_color=(205, 210, 215), section_color=(150, 158, 165), plane_color=floor.colour,
        plane_opacity=floor.opacity, shadow_opacity=0.2,
    )  # fmt: skip
    place(grid, [*floor.center.tolist(), *floor.turn.tolist()], True, True)
    sign = f"grid squares: {floor.cell:g} m"
    return [grid, server.scene.add_label(f"{root}/scale", sign, position=floor.label, anchor="bottom-center")]


def aim(server: viser.ViserServer, scene: SceneData, far: float) -> None:
    """Set the initial view of new pages, and the far plane [m]."""
    server.initial_camera.far = far
    server.initial_camera.position = scene.camera.position
    server.initial_camera.look_at = scene.camera.target
    server.initial_camera.fov = FIELD_OF_VIEW
