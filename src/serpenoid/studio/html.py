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
from serpenoid.studio.scene import Scene, scene_of
from serpenoid.studio.stage import Stage, aim
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
        aim(server, scene)
        stage = Stage(server, scene)
        stage.furnish()
        tape = server.get_scene_serializer()
        for i, time in enumerate(scene.times):
            stage.show(np.concatenate([scene.positions[i], scene.quaternions[i]], axis=-1), float(time))
            if i + 1 < scene.times.size:
                tape.insert_sleep(float(scene.times[i + 1] - time))
        return tape.as_html().replace("<title>Viser</title>", f"<title>{html.escape(scene.title)}</title>", 1)


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
