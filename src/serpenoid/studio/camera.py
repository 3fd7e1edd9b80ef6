"""Cameras of the browsers: fixed views, and following the robot."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.studio.scene import ASPECT, Camera

if TYPE_CHECKING:
    import viser

# Directions from the target to the camera; the first two are those of the scene itself.
WHOLE, ROBOT = "whole", "robot"
VIEWS = {WHOLE: None, ROBOT: None, "top": (0.0, -0.02, 1.0), "side": (0.0, -1.0, 0.15), "front": (-1.0, 0.0, 0.25)}
SLACK = 1e-3  # smaller motions are not followed [m]
NEAR = 0.02  # tolerance between the reported and the commanded view, as a fraction
PATIENCE = 5.0  # time for which a browser's deviating report is ignored after a command [s]


@dataclass
class Sight:
    """Reported or commanded view of one browser."""

    away: NDArray  # (3,) from the target to the camera [m]
    target: NDArray  # (3,) target [m]
    aspect: float  # width over height of the view for which it was commanded
    sent: float | None  # time of the command [s of the clock]; None once the browser has confirmed it


class Cameras:
    """Cameras of all browsers."""

    def __init__(self, server: viser.ViserServer):
        self.server = server
        self.following = False
        self.home: Camera | None = None  # of a new page
        self.whole: Camera | None = None  # the whole scene
        self.robot: Camera | None = None  # the robot at its start
        self.far = 1000.0  # farther objects are not drawn [m]
        self.center: NDArray | None = None  # position of the robot when the cameras last moved
        self.sights: dict[int, Sight] = {}  # of each browser
        server.on_client_connect(self.welcome)
        server.on_client_disconnect(self.forget)

    def ready(self) -> list[viser.ClientHandle]:
        """Return the browsers that have reported their view."""
        return list(self.server.get_clients().values())

    def welcome(self, client: viser.ClientHandle) -> None:
        """Add a new browser."""
        client.camera.on_update(self.heard)
        if self.home is not None:
            self.turn(client, *self.home)

    def forget(self, client: viser.ClientHandle) -> None:
        """Remove a browser that has left."""
        self.sights.pop(client.client_id, None)

    def heard(self, camera: viser.CameraHandle) -> None:
        """Store the view reported by a browser; reports before it reached a commanded view are outdated."""
        offset, sight = camera.position - camera.look_at, self.sights.get(camera.client.client_id)
        if sight is None or not (np.isfinite(offset).all() and offset.any()):  # a forged message may contain anything
            return
        grown = farther(camera.aspect) / farther(sight.aspect)
        if abs(grown - 1.0) > NEAR:  # the width changed, e.g. a panel appeared: fit the same content
            self.send(camera.client, sight.target, grown * sight.away)
            return
        waiting = sight.sent is not None and monotonic() - sight.sent < PATIENCE
        if waiting and np.linalg.norm(offset - sight.away) > NEAR * np.linalg.norm(sight.away):
            return
        sight.away, sight.target, sight.sent = offset, camera.look_at, None

    def look(self, home: Camera, whole: Camera | None = None, robot: Camera | None = None, far: float = 1000.0) -> None:
        """Set the view of all browsers, including later ones; also store other views of the scene and the far plane
        [m]."""
        self.home, self.whole, self.robot, self.far, self.center = home, whole or home, robot or home, far, None
        for client in self.ready():
            self.turn(client, *home)

    def view(self, name: str) -> None:
        """Select a fixed view: the whole scene, or the robot at its current position."""
        direction = VIEWS.get(name)
        if self.home is None or self.whole is None or self.robot is None:
            return
        camera = {WHOLE: self.whole, ROBOT: self.robot}.get(name, self.home)
        position, target = camera.position, camera.target
        if name != WHOLE:
            away = position - target
            if direction is not None:
                away = float(np.linalg.norm(away)) * np.array(direction) / np.linalg.norm(direction)
            target = target if self.center is None else self.center
            position = target + away
        for client in self.ready():
            self.turn(client, position, target)

    def follow(self, center: NDArray) -> None:
        """Update the robot's position; following cameras move with it and keep their offset."""
        if not np.isfinite(center).all():
            return
        moved = self.center is None or float(np.linalg.norm(center - self.center)) >= SLACK
        if moved:
            self.center = center
        for client in self.ready() if moved and self.following else ():
            sight = self.sights.get(client.client_id)
            if sight is not None:
                sight.target = center
                place(client, center + sight.away, center)

    def turn(self, client: viser.ClientHandle, position: NDArray, target: NDArray) -> None:
        """Set the view of one browser, upright; a narrow view is placed farther away."""
        self.send(client, target, farther(client.camera.aspect) * (position - target))

    def send(self, client: viser.ClientHandle, target: NDArray, away: NDArray) -> None:
        """Command one browser to look at `target` from an offset `away`."""
        self.sights[client.client_id] = Sight(away, target, client.camera.aspect, monotonic())
        place(client, target + away, target, self.far)


def farther(aspect: float) -> float:
    """Return the factor by which a narrow view (width over height) must be farther away to show the same content."""
    return max(1.0, ASPECT / max(aspect, 0.1))


def place(client: viser.ClientHandle, position: NDArray, target: NDArray, far: float | None = None) -> None:
    """Move a browser's camera atomically; ignore a browser that leaves meanwhile."""
    connection: Any = client._websock_connection
    with connection.get_message_buffer().sanctioned_dead_writes(), client.atomic():
        if far is not None:
            client.camera.far = far
        client.camera.up_direction = (0.0, 0.0, 1.0)
        client.camera.position = position
        client.camera.look_at = target
