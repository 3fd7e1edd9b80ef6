"""Sidewinding along a curved route, steered by the measured position."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, usual
from serpenoid.control.along_route import AlongRoute
from serpenoid.control.kernel_law import first_targets
from serpenoid.control.shape_compliance import ShapeCompliance
from serpenoid.engines.base import Initial
from serpenoid.gaits.base import cycle_ticks
from serpenoid.robots.base import Robot
from serpenoid.robots.sea_snake import SeaSnake
from serpenoid.scenarios.base import Parts, Quantity, Scenario
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import Floor
from serpenoid.worlds.contact import ContactWorld
from serpenoid.worlds.geometry import Point
from serpenoid.worlds.initial_pose import lying_pose

STATIONS = 60  # vertices of the route


def steer_along(
    law: ShapeCompliance, route: tuple[Point, ...], lookahead: float, gain: float
) -> AlongRoute | ShapeCompliance:
    """Wrap a shape law so that it follows a route; without a gain, or for another controller, return it unchanged."""
    return AlongRoute(law, route, lookahead, gain) if gain > 0.0 and isinstance(law, ShapeCompliance) else law


def distances(route: NDArray, places: NDArray) -> NDArray:
    """Return the distance (samples,) [m] of positions (samples, 2) from a polyline (corners, 2)."""
    start, way = route[:-1], np.diff(route, axis=0)
    share = ((places[:, None] - start) * way).sum(axis=-1) / (way**2).sum(axis=-1)
    nearest = start + np.clip(share, 0.0, 1.0)[..., None] * way
    return np.linalg.norm(places[:, None] - nearest, axis=-1).min(axis=1)


def off_route(route: tuple[Point, ...], trajectory: Trajectory, cycle: int) -> dict[str, Quantity]:
    """Return the distance of the body centre, averaged over a cycle of samples, from the route."""
    middle = trajectory["link_pose"][:, :, :2].mean(axis=1)
    count = min(cycle, len(middle))
    smooth = np.stack([np.convolve(middle[:, i], np.ones(count) / count, "valid") for i in range(2)], axis=1)
    away = distances(np.array(route), smooth if len(smooth) and len(middle) > count else middle)
    return {
        "route_distance": Quantity(float(away.mean()), "m"),
        "greatest_distance": Quantity(float(away.max()), "m"),
        "last_distance": Quantity(float(away[-1]), "m"),
    }


@dataclass(frozen=True)
class SidewindRoute(Scenario, duration=30.0, sample_period=0.05):
    """A snake sidewinds along a winding route on a floor, steering by tapering one half of its body."""

    robot: Robot = SeaSnake()
    """snake"""
    world: ContactWorld = Floor()
    """ground"""
    controller: ShapeCompliance = ShapeCompliance.presets()["sidewinding_steered"]()
    """controller of the joints; its parameters define the steering"""
    swing: Annotated[float, usual(-1.5, 1.5)] = 0.8
    """lateral extent of the route [m]"""
    wavelength: Annotated[float, above(0.0, usual=(2.0, 10.0))] = 6.0
    """wavelength of the route [m]"""
    lookahead: Annotated[float, above(0.0, usual=(0.1, 2.0))] = 0.5
    """distance of the target point ahead on the route [m]"""
    gain: Annotated[float, at_least(0.0, usual=(0.0, 5.0))] = 2.0
    """steering per radian of heading error [1/rad]; 0: no steering"""

    def route(self) -> tuple[Point, ...]:
        """Return the route: a cosine, starting sideways at the body centre."""
        way = np.linspace(0.0, self.wavelength, STATIONS)
        side = 0.5 * self.swing * (1.0 - np.cos(2.0 * pi * way / self.wavelength))
        return tuple(map(tuple, np.column_stack([side, way]).tolist()))

    def parts(self) -> Parts:
        return Parts(self.robot, self.world, steer_along(self.controller, self.route(), self.lookahead, self.gain))

    def usual_start(self) -> Initial:
        """Return the shape of the wave at its first tick."""
        shape = np.nan_to_num(first_targets(self.controller, self.robot, self.control_period))
        pose = lying_pose(self.robot, shape, self.world.ground_height)
        return Initial(joint_position=tuple(shape.tolist()), base_pose=pose)

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        cycle = cycle_ticks(self.controller.phase_rate(self.robot), self.sample_period)
        middle = trajectory["link_pose"][:, :, :2].mean(axis=1)
        speed = np.linalg.norm(np.diff(middle[::cycle], axis=0), axis=1).sum()
        return {
            **off_route(self.route(), trajectory, cycle),
            "path_speed": Quantity(float(speed / trajectory.times[-1]), "m/s"),
            "forward": Quantity(float(middle[-1, 1] - middle[0, 1]), "m"),
        }
