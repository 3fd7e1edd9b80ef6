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
from serpenoid.studio.landmarks import GOAL, upright
from serpenoid.studio.scene import FIELD_OF_VIEW, Scene, scene_of
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
        handles = furnish(server, scene)
        tape = server.get_scene_serializer()
        for i, time in enumerate(scene.times):
            for solid, handle in zip(scene.solids, handles):
                handle.position = scene.positions[i, solid.body]
                handle.wxyz = scene.quaternions[i, solid.body]
            if i + 1 < scene.times.size:
                tape.insert_sleep(float(scene.times[i + 1] - time))
        return tape.as_html().replace("<title>Viser</title>", f"<title>{html.escape(scene.title)}</title>", 1)


def furnish(server: viser.ViserServer, scene: Scene) -> list[viser.MeshHandle]:
    """Put everything into the scene; returns the handles of the solids, in their order."""
    server.initial_camera.position = scene.camera.position
    server.initial_camera.look_at = scene.camera.target
    server.initial_camera.fov = FIELD_OF_VIEW
    furnish_floor(server, scene)
    furnish_landmarks(server, scene)
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
        "/floor", width=width, height=depth, position=floor.center, cell_size=floor.cell, section_size=5.0 * floor.cell,
        cell_color=(205, 210, 215), section_color=(150, 158, 165), plane_color=floor.colour,
        plane_opacity=floor.opacity, shadow_opacity=0.2,
    )  # fmt: skip
    server.scene.add_label("/scale", f"squares {floor.cell:g} m", position=floor.label, anchor="bottom-center")


def furnish_landmarks(server: viser.ViserServer, scene: Scene) -> None:
    """What stands still: obstacles and goals on the floor, and the line of a path just above it."""
    floor = float(scene.floor.center[2])
    for i, landmark in enumerate(scene.landmarks.standing):
        vertices, faces = upright(landmark, floor, scene.height)
        server.scene.add_mesh_simple(f"/landmark/{i}", vertices, faces, color=landmark.colour, flat_shading=True)
    route = scene.landmarks.route
    if len(route):
        points = np.column_stack([route, np.full(len(route), floor + 0.05 * scene.height)])
        pieces = np.stack([points[:-1], points[1:]], axis=1)
        server.scene.add_line_segments("/route", pieces, GOAL, thickness=3.0, thickness_units="screen")


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
