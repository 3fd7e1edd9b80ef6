"""A studio on a free port for tests, and a websocket client that is not a browser."""

from __future__ import annotations

import contextlib
import sys
from time import monotonic, sleep
from types import SimpleNamespace

import msgspec

from serpenoid.studio.page import Studio
from serpenoid.studio.server import free_port


@contextlib.contextmanager
def open_studio(folder):
    studio = Studio(str(folder), port=free_port())
    try:
        yield studio
    finally:
        studio.close()


def until(condition, seconds=60.0):
    """Wait until a condition holds; return whether it did."""
    end = monotonic() + seconds
    while not (held := condition()) and monotonic() < end:
        sleep(0.02)
    return bool(held)


@contextlib.contextmanager
def raw_client(studio):
    """Open a websocket to the studio, as any local program can."""
    import viser
    from websockets.sync.client import connect

    address = studio.address.replace("http", "ws")
    with connect(address, subprotocols=[f"viser-v{viser.__version__}"], max_size=None, max_queue=None) as client:
        before = len(studio.server.get_clients())
        tell_camera(client, (0.0, -1.0, 1.0), (0.0, 0.0, 0.0))
        assert until(lambda: len(studio.server.get_clients()) > before)
        yield client


def send(client, kind, **fields):
    client.send(msgspec.msgpack.encode({"type": kind, **fields}))


def pretend_notebook(monkeypatch):
    """Emulate a notebook kernel whose cells show plain text."""
    shell = SimpleNamespace(has_trait=lambda name: name == "kernel")
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(HTML=str))


def tell_camera(client, position, target, width=800):
    """Send the message of a page whose camera moves."""
    place, center = (tuple(map(float, point)) for point in (position, target))
    send(
        client, "ViewerCameraMessage", wxyz=(1.0, 0.0, 0.0, 0.0), position=place, fov=0.7, near=0.01, far=100.0,
        image_height=600, image_width=width, look_at=center, up_direction=(0.0, 0.0, 1.0),
    )  # fmt: skip


def update(client, handle, value, **others):
    """Send the message of a page whose control is moved."""
    send(client, "GuiUpdateMessage", uuid=handle._impl.uuid, updates={"value": value, **others})


def settled(studio):
    """Wait until the studio has executed all requests and finished loading."""
    done = []
    studio.post(done.append, True)
    if not until(lambda: done):
        return False
    if studio.files.reader is not None:
        studio.files.reader.join()
    studio.post(done.append, True)
    return until(lambda: len(done) == 2)
