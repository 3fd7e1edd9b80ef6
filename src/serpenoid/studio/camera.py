"""Where the browsers look from: fixed views, and following the robot."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.studio.scene import ASPECT, Camera

if TYPE_CHECKING:
    import viser

# Directions from what is looked at to the camera; the first two are those of the scene itself.
WHOLE, ROBOT = "whole", "robot"
VIEWS = {WHOLE: None, ROBOT: None, "top": (0.0, -0.02, 1.0), "side": (0.0, -1.0, 0.15), "front": (-1.0, 0.0, 0.25)}
SLACK = 1e-3  # the camera does not follow less than this [m]
NEAR = 0.02  # share by which what a browser tells may differ from where it was sent
PATIENCE = 5.0  # for which a browser that was sent somewhere is not believed to be elsewhere [s]


@dataclass
class Sight:
    """Where one browser looks from, or was sent to look from."""

    away: NDArray  # (3,) from what it looks at to its camera [m]
    target: NDArray  # (3,) what it looks at [m]
    aspect: float  # width over height of its view, by which it was sent there
    sent: float | None  # when [s of the clock]; None once it has told that it is there


class Cameras:
    """The cameras of all browsers."""

    def __init__(self, server: viser.ViserServer):
        self.server = server
        self.following = False
        self.home: Camera | None = None  # of a page that opens
        self.whole: Camera | None = None  # all of the scene
        self.robot: Camera | None = None  # the robot where it starts
        self.far = 1000.0  # what is farther off is not drawn [m]
        self.center: NDArray | None = None  # where the robot was when they last moved
        self.sights: dict[int, Sight] = {}  # of each browser
        server.on_client_connect(self.welcome)
        server.on_client_disconnect(self.forget)

    def ready(self) -> list[viser.ClientHandle]:
        """Browsers that have told where they look from."""
        return list(self.server.get_clients().values())

    def welcome(self, client: viser.ClientHandle) -> None:
        """A browser opens."""
        client.camera.on_update(self.heard)
        if self.home is not None:
            self.turn(client, *self.home)

    def forget(self, client: viser.ClientHandle) -> None:
        """A browser has left."""
        self.sights.pop(client.client_id, None)

    def heard(self, camera: viser.CameraHandle) -> None:
        """A browser tells where it looks from; what it tells before it has got to where it was sent is out of date."""
        told, sight = camera.position - camera.look_at, self.sights.get(camera.client.client_id)
        if sight is None or not (np.isfinite(told).all() and told.any()):  # a hand-made message may tell anything
            return
        grown = farther(camera.aspect) / farther(sight.aspect)
        if abs(grown - 1.0) > NEAR:  # its view has another width by now, as panels appear: the same must fit into it
            self.send(camera.client, sight.target, grown * sight.away)
            return
        waiting = sight.sent is not None and monotonic() - sight.sent < PATIENCE
        if waiting and np.linalg.norm(told - sight.away) > NEAR * np.linalg.norm(sight.away):
            return
        sight.away, sight.target, sight.sent = told, camera.look_at, None

    def look(self, home: Camera, whole: Camera | None = None, robot: Camera | None = None, far: float = 1000.0) -> None:
        """All of them look from here, those that open later too; other views of the same scene, and how far [m]."""
        self.home, self.whole, self.robot, self.far, self.center = home, whole or home, robot or home, far, None
        for client in self.ready():
            self.turn(client, *home)

    def view(self, name: str) -> None:
        """One of the fixed views: all of the scene, or the robot where it is now."""
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
        """Tell where the robot is; where they follow, they move along with it, each with its own distance and side."""
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
        """One browser looks from a position to a target, upright; a narrow view from farther off."""
        self.send(client, target, farther(client.camera.aspect) * (position - target))

    def send(self, client: viser.ClientHandle, target: NDArray, away: NDArray) -> None:
        """One browser looks at a target from so far away."""
        self.sights[client.client_id] = Sight(away, target, client.camera.aspect, monotonic())
        place(client, target + away, target, self.far)


def farther(aspect: float) -> float:
    """How much farther off a view of some width over its height must be to hold what a usual one holds."""
    return max(1.0, ASPECT / max(aspect, 0.1))


def place(client: viser.ClientHandle, position: NDArray, target: NDArray, far: float | None = None) -> None:
    """Move a browser's camera, all at once, and without a word where the browser leaves meanwhile."""
    connection: Any = client._websock_connection
    with connection.get_message_buffer().sanctioned_dead_writes(), client.atomic():
        if far is not None:
            client.camera.far = far
        client.camera.up_direction = (0.0, 0.0, 1.0)
        client.camera.position = position
        client.camera.look_at = target
