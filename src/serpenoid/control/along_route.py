"""Route following with shape laws: the course over ground moves the set points of shape parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import atan2, pi, remainder
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, check_fields, usual
from serpenoid.control.base import Command, Controller, Observation, Signal
from serpenoid.control.kernel_law import KernelLaw
from serpenoid.control.landmarks import GoalPoint, Landmarks
from serpenoid.control.shape_compliance import ShapeCompliance
from serpenoid.control.shape_parameters import Parameter
from serpenoid.errors import require
from serpenoid.gaits.base import cycle_ticks
from serpenoid.kernels.laws.shape import shape_places
from serpenoid.robots.base import Robot
from serpenoid.worlds.geometry import Point

LEAST_WAY = 0.01  # least travel in a cycle that defines a course [m]
AHEAD = 1.5  # range along the route, beyond the last nearest point, that is searched for the next one [m]


@dataclass(frozen=True)
class AlongRoute(Controller):
    """Steer a shape law along a route by pure pursuit, for any gait whose parameters define `steer`.

    The course is the displacement of the body's centre over the last cycle. It is therefore valid for gaits that move
    head first or sideways. The course error to a point ahead on the route yields a steering command in [-1, 1],
    positive to the left. Each parameter's set point moves by `steer` times this command, within its limits. The
    position of the body must be measured externally.
    """

    needs_truth: ClassVar[bool] = True

    law: ShapeCompliance = ShapeCompliance.presets()["sidewinding_steered"]()
    """shape law to steer"""
    route: Annotated[tuple[Point, ...], usual(-5.0, 5.0)] = ((0.0, 0.0), (0.0, 4.0))
    """corners of the route [m]"""
    lookahead: Annotated[float, above(0.0, usual=(0.1, 2.0))] = 0.5
    """distance along the route to the pursued point [m]"""
    gain: Annotated[float, above(0.0, usual=(0.3, 5.0))] = 2.0
    """steering command per radian of course error [1/rad]"""

    def __post_init__(self) -> None:
        check_fields(self)
        require(len(self.route) >= 2, "route", self.route, "at least two points")
        steered = [p.name for p in self.law.parameters if p.steer]
        require(bool(steered), "law", self.law.gait, "a shape law with at least one parameter whose `steer` is not 0")
        central = all(not p.windows for p in self.law.parameters if p.steer)
        require(central, "law", steered, "parameters that act on the whole body, without windows, to steer")
        require(self.law.turning is None, "law", self.law.turning, "without `turning`: only one of the two can steer")

    def landmarks(self) -> Landmarks:
        return Landmarks(goals=(GoalPoint(self.route[-1]),), route=self.route)

    def start(self, robot: Robot, period: float, rng: np.random.Generator) -> RouteLaw:
        cycle = self.cycle(robot, period)
        return RouteLaw(self, KernelLaw(self.law, robot, period), Route(np.array(self.route)), cycle)

    def cycle(self, robot: Robot, period: float) -> int:
        """Return the number of ticks in a cycle of the steered gait."""
        rate = abs(self.law.phase_rate(robot))
        require(rate > 0.0, "law", rate, "a gait whose phase advances: rad/s above 0")
        return cycle_ticks(rate, period)


@dataclass
class Route:
    """A polyline with the arc length of the nearest point found so far."""

    corners: NDArray
    along: float = 0.0  # arc length of the nearest point so far [m]
    lengths: NDArray = field(init=False)  # arc length of each corner [m]

    def __post_init__(self) -> None:
        self.lengths = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(self.corners, axis=0), axis=1)))

    def at(self, along: NDArray | float) -> NDArray:
        """Return the points (..., 2) at arc lengths `along` [m]; the last segment is extended beyond its end."""
        place = np.stack([np.interp(along, self.lengths, self.corners[:, i]) for i in range(2)], axis=-1)
        last = (self.corners[-1] - self.corners[-2]) / (self.lengths[-1] - self.lengths[-2])
        return place + np.maximum(np.asarray(along) - self.lengths[-1], 0.0)[..., None] * last

    def go_on(self, place: NDArray) -> float:
        """Return the signed distance of a position from the route [m], positive to its left, and store the arc
        length.
        """
        nearest = self.along
        for step in (0.05 * AHEAD, 0.002 * AHEAD):  # coarse, then fine
            stations = np.maximum(nearest + step * np.arange(-20.0, 21.0), 0.0)
            nearest = float(stations[np.linalg.norm(self.at(stations) - place, axis=1).argmin()])
        self.along = max(nearest, self.along)
        here, ahead = self.at(np.array([nearest, nearest + 1e-3]))
        (tx, ty), (dx, dy) = (ahead - here) / 1e-3, place - here
        return float(np.copysign(np.hypot(dx, dy), tx * dy - ty * dx))


class RouteLaw:
    """The steered law, the route, and the positions of the last cycle."""

    def __init__(self, controller: AlongRoute, law: KernelLaw, route: Route, cycle: int):
        self.controller, self.law, self.route = controller, law, route
        self.places: list[NDArray] = []
        self.cycle, self.steering, self.distance = cycle, 0.0, 0.0

    @property
    def steered(self) -> list[tuple[int, Parameter]]:
        """Return the parameters that steer, with the indices of their set points in the law's memory."""
        slots, at = self.law.record.windows.slots, shape_places(self.law.record)
        return [(at.shift + i * slots, p) for i, p in enumerate(self.controller.law.in_order) if p.steer]

    def __call__(self, observation: Observation) -> Command:
        assert observation.truth is not None
        self.steer(observation.truth.link_pose[:, :2].mean(axis=0))
        for place, parameter in self.steered:
            nominal = self.controller.law.gait.nominal(parameter.name)
            moved = np.clip(nominal + parameter.steer * self.steering, parameter.low, parameter.high)
            self.law.memory[place] = moved - nominal
        return self.law(observation)

    def steer(self, place: NDArray) -> None:
        """Update the steering command from the position of the body's centre; keep it while the body makes no
        progress.
        """
        self.distance = self.route.go_on(place)
        self.places.append(place)
        if len(self.places) <= self.cycle:
            return
        way = place - self.places.pop(0)
        if np.hypot(*way) < LEAST_WAY:
            return
        target = self.route.at(self.route.along + self.controller.lookahead) - place
        error = remainder(atan2(target[1], target[0]) - atan2(way[1], way[0]), 2.0 * pi)
        self.steering = min(max(self.controller.gain * error, -1.0), 1.0)

    def changed(self, controller: AlongRoute) -> None:
        """Use another law of the same kind, another route or another gain from the next tick."""
        cycle = controller.cycle(self.law.robot, self.law.period)
        self.law.changed(controller.law)
        if controller.route != self.controller.route:
            self.route = Route(np.array(controller.route))
        self.controller, self.cycle = controller, cycle
        del self.places[: -self.cycle]

    def signals(self) -> dict[str, Signal]:
        return self.law.signals() | {
            "route_distance": Signal(self.distance, "m", "distance of the body from the route, positive to its left"),
            "route_progress": Signal(self.route.along, "m", "arc length of the nearest point of the route"),
            "steering": Signal(self.steering, "", "steering command: 1 full left, -1 full right"),
        }
