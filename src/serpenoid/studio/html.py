"""A run as one HTML file with play, pause and a time slider, that opens from disk in any browser."""

from __future__ import annotations

import contextlib
import html
import io
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from serpenoid.errors import FileProblem, InvalidValue
from serpenoid.studio.scene import FIELD_OF_VIEW, Scene, scene_of
from serpenoid.studio.things import GOAL
from serpenoid.trajectory import Trajectory

if TYPE_CHECKING:
    import viser


def export_html(run: Trajectory, path: str | os.PathLike[str], frames_per_second: float = 30.0) -> Path:
    """Write the animation of a run; time in the page is time of the run. Returns where it is."""
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InvalidValue("path", str(target), "a file name that ends in .html")
    page = page_of(scene_of(run, frames_per_second))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page, encoding="utf-8")
    except OSError as error:
        raise FileProblem(target, f"cannot be written ({error.strerror or error})") from None
    return target


def page_of(scene: Scene) -> str:
    """The scene as a page: viser records what is shown and puts it into its own client."""
    with recorder() as server:
        handles, others = furnish(server, scene), furnish_things(server, scene)
        tape = server.get_scene_serializer()
        for i, time in enumerate(scene.times):
            for solid, handle in zip(scene.solids, handles):
                handle.position = scene.positions[i, solid.body]
                handle.wxyz = scene.quaternions[i, solid.body]
            for thing, handle in zip(scene.things, others):
                if len(thing.poses) > 1:
                    handle.position, handle.wxyz = thing.poses[i, :3], thing.poses[i, 3:]
            if i + 1 < scene.times.size:
                tape.insert_sleep(float(scene.times[i + 1] - time))
        return tape.as_html().replace("<title>Viser</title>", f"<title>{html.escape(scene.title)}</title>", 1)


def furnish(server: viser.ViserServer, scene: Scene) -> list[viser.MeshHandle]:
    """Put everything into the scene; returns the handles of the solids, in their order."""
    server.initial_camera.position = scene.camera.position
    server.initial_camera.look_at = scene.camera.target
    server.initial_camera.fov = FIELD_OF_VIEW
    furnish_floor(server, scene)
    if len(scene.track) > 1:
        pieces = np.stack([scene.track[:-1], scene.track[1:]], axis=1)
        server.scene.add_line_segments("/track", pieces, (209, 73, 91), thickness=2.0, thickness_units="screen")
    return [
        server.scene.add_mesh_simple(
            f"/robot/{i}",
            solid.vertices,
            solid.faces,
            color=colour,
            flat_shading=not solid.smooth,
            position=scene.positions[0, solid.body],
            wxyz=scene.quaternions[0, solid.body],
        )  # fmt: skip
        for i, (solid, colour) in enumerate(zip(scene.solids, scene.colours))
    ]


def furnish_floor(server: viser.ViserServer, scene: Scene) -> None:
    """The grid, and a label that tells how large its squares are."""
    floor = scene.floor
    width, depth = floor.size
    server.scene.add_grid(
        "/floor", width=width, height=depth, position=floor.center, wxyz=floor.turn, cell_size=floor.cell,
        section_size=5.0 * floor.cell, cell_color=(205, 210, 215), section_color=(150, 158, 165),
        plane_color=floor.colour, plane_opacity=floor.opacity, shadow_opacity=0.2,
    )  # fmt: skip
    server.scene.add_label("/scale", f"squares {floor.cell:g} m", position=floor.label, anchor="bottom-center")


def furnish_things(server: viser.ViserServer, scene: Scene) -> list[viser.MeshHandle]:
    """Obstacles, objects and goals, and the line of a route just above the floor; returns the things' handles."""
    if len(scene.route):
        points = np.column_stack([scene.route, np.full(len(scene.route), scene.bottom + 0.01)])
        pieces = np.stack([points[:-1], points[1:]], axis=1)
        server.scene.add_line_segments("/route", pieces, GOAL, thickness=3.0, thickness_units="screen")
    return [
        server.scene.add_mesh_simple(
            f"/{thing.name}", thing.mesh.vertices, thing.mesh.faces, color=thing.colour,
            opacity=None if thing.opacity == 1.0 else thing.opacity, flat_shading=not thing.mesh.smooth,
            side="double", position=thing.poses[0, :3], wxyz=thing.poses[0, 3:],
        )
        for thing in scene.things
    ]  # fmt: skip


@contextlib.contextmanager
def recorder() -> Iterator[viser.ViserServer]:
    """A viser server that only records: on a free port of this machine alone, and without its messages."""
    import viser

    with contextlib.redirect_stdout(io.StringIO()):
        server = viser.ViserServer(host="127.0.0.1", port=free_port(), verbose=False)
    try:
        yield server
    finally:
        with contextlib.redirect_stdout(io.StringIO()):
            server.stop()


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
