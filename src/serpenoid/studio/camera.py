"""Where the browsers look from: fixed views, and following the robot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.studio.scene import ASPECT

if TYPE_CHECKING:
    import viser

# Directions from what is looked at to the camera; the first is that of the scene itself.
VIEWS = {"whole": None, "top": (0.0, -0.02, 1.0), "side": (0.0, -1.0, 0.15), "front": (-1.0, 0.0, 0.25)}
SLACK = 1e-3  # the camera does not follow less than this [m]


class Cameras:
    """The cameras of all browsers."""

    def __init__(self, server: viser.ViserServer):
        self.server = server
        self.following = False
        self.home: tuple[NDArray, NDArray] | None = None  # position and target of the whole view
        self.center: NDArray | None = None  # where the robot was when they last moved
        server.on_client_connect(self.welcome)

    def ready(self) -> list[viser.ClientHandle]:
        """Browsers that have told where they look from."""
        return list(self.server.get_clients().values())

    def welcome(self, client: viser.ClientHandle) -> None:
        """A browser that opens looks at the whole."""
        if self.home is not None:
            turn(client, *self.home)

    def look(self, position: NDArray, target: NDArray) -> None:
        """All of them look from here to there, those that open later too."""
        self.home, self.center = (np.asarray(position), np.asarray(target)), None
        for client in self.ready():
            turn(client, self.home[0], self.home[1])

    def view(self, name: str) -> None:
        """One of the fixed views, of the robot where it is now."""
        direction = VIEWS.get(name)
        if self.home is None:
            return
        position, target = self.home
        if direction is not None:
            distance = float(np.linalg.norm(position - target))
            target = target if self.center is None else self.center
            position = target + distance * np.array(direction) / np.linalg.norm(direction)
        for client in self.ready():
            turn(client, position, target)

    def follow(self, center: NDArray) -> None:
        """Tell where the robot is; where they follow, they move along with it."""
        if not np.isfinite(center).all():
            return
        moved = self.center is None or float(np.linalg.norm(center - self.center)) >= SLACK
        if moved:
            self.center = center
        for client in self.ready() if moved and self.following else ():
            away = client.camera.position - client.camera.look_at  # all that is its own: what it tells is late
            if np.isfinite(away).all():  # a hand-made message may tell anything
                with led(client):
                    client.camera.position = center + away
                    client.camera.look_at = center


@contextmanager
def led(client: viser.ClientHandle) -> Iterator[None]:
    """While a browser's camera is moved: all at once, and without a word where the browser leaves meanwhile."""
    connection: Any = client._websock_connection
    with connection.get_message_buffer().sanctioned_dead_writes(), client.atomic():
        yield


def turn(client: viser.ClientHandle, position: NDArray, target: NDArray) -> None:
    """One browser looks from a position to a target, upright."""
    away = (position - target) * max(1.0, ASPECT / max(client.camera.aspect, 0.1))  # a narrow view: from farther off
    with led(client):
        client.camera.up_direction = (0.0, 0.0, 1.0)
        client.camera.position = target + away
        client.camera.look_at = target
