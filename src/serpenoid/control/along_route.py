"""A shape law that is steered along a route: the course over the ground moves the set points of its shape."""

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
from serpenoid.kernels.laws.shape import shape_places
from serpenoid.robots.base import Robot
from serpenoid.worlds.geometry import Point

LEAST_WAY = 0.01  # a snake that went less far in a cycle has no course [m]
AHEAD = 1.5  # how far along the route, from the last one on, the nearest point is looked for [m]


@dataclass(frozen=True)
class AlongRoute(Controller):
    """Leads a shape law along a route by pure pursuit; works for every gait whose parameters say how they `steer`.

    The course is the way of the body's middle in the last cycle, so that it does not matter whether a gait goes head
    first or sideways. The error to a point ahead on the route gives a steering from -1 to 1, positive to the left; each
    parameter's set point moves by `steer` times that, within its limits. Where the body is has to be told from outside.
    """

    needs_truth: ClassVar[bool] = True

    law: ShapeCompliance = ShapeCompliance.presets()["sidewinding_steered"]()
    """the law that is led"""
    route: Annotated[tuple[Point, ...], usual(-5.0, 5.0)] = ((0.0, 0.0), (0.0, 4.0))
    """corners of the way to follow [m]"""
    lookahead: Annotated[float, above(0.0, usual=(0.1, 2.0))] = 0.5
    """how far ahead on the route the point lies that it makes for [m]"""
    gain: Annotated[float, above(0.0, usual=(0.3, 5.0))] = 2.0
    """steering for an error of the course of one radian [1/rad]"""

    def __post_init__(self) -> None:
        check_fields(self)
        require(len(self.route) >= 2, "route", self.route, "at least two points")
        steered = [p.name for p in self.law.parameters if p.steer]
        require(bool(steered), "law", self.law.gait, "a shape law of which a parameter has a `steer`")
        central = all(not p.windows for p in self.law.parameters if p.steer)
        require(central, "law", steered, "parameters that steer the whole body, without windows")
        require(self.law.turning is None, "law", self.law.turning, "without `turning`: one of both steers")

    def landmarks(self) -> Landmarks:
        return Landmarks(goals=(GoalPoint(self.route[-1]),), route=self.route)

    def start(self, robot: Robot, period: float, rng: np.random.Generator) -> RouteLaw:
        cycle = self.cycle(robot, period)
        return RouteLaw(self, KernelLaw(self.law, robot, period), Route(np.array(self.route)), cycle)

    def cycle(self, robot: Robot, period: float) -> int:
        """Ticks in a cycle of the gait that is led."""
        rate = abs(self.law.phase_rate(robot))
        require(rate > 0.0, "law", rate, "a gait that moves on: rad/s of its phase above 0")
        return max(1, round(2.0 * pi / rate / period))


@dataclass
class Route:
    """A line of straight pieces, and how far along it somebody has come."""

    corners: NDArray
    along: float = 0.0  # of the nearest point so far [m]
    lengths: NDArray = field(init=False)  # of the way to each corner [m]

    def __post_init__(self) -> None:
        self.lengths = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(self.corners, axis=0), axis=1)))

    def at(self, along: NDArray | float) -> NDArray:
        """(..., 2) points so far along the route [m]; beyond its end straight on."""
        place = np.stack([np.interp(along, self.lengths, self.corners[:, i]) for i in range(2)], axis=-1)
        last = (self.corners[-1] - self.corners[-2]) / (self.lengths[-1] - self.lengths[-2])
        return place + np.maximum(np.asarray(along) - self.lengths[-1], 0.0)[..., None] * last

    def go_on(self, place: NDArray) -> float:
        """Distance of a place from the route [m], positive to its left; notes how far along that is."""
        nearest = self.along
        for step in (0.05 * AHEAD, 0.002 * AHEAD):  # coarse, then fine
            stations = np.maximum(nearest + step * np.arange(-20.0, 21.0), 0.0)
            nearest = float(stations[np.linalg.norm(self.at(stations) - place, axis=1).argmin()])
        self.along = max(nearest, self.along)
        here, ahead = self.at(np.array([nearest, nearest + 1e-3]))
        (tx, ty), (dx, dy) = (ahead - here) / 1e-3, place - here
        return float(np.copysign(np.hypot(dx, dy), tx * dy - ty * dx))


class RouteLaw:
    """The law that is led, the route, and the places of the last cycle."""

    def __init__(self, controller: AlongRoute, law: KernelLaw, route: Route, cycle: int):
        self.controller, self.law, self.route = controller, law, route
        self.places: list[NDArray] = []
        self.cycle, self.steering, self.distance = cycle, 0.0, 0.0

    @property
    def steered(self) -> list[tuple[int, Parameter]]:
        """The parameters that steer, and where the law remembers their set points."""
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
        """The steering from where the body's middle is; the last one while the body does not get on."""
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
        """Another law of the same kind, another route or gain from the next tick on."""
        cycle = controller.cycle(self.law.robot, self.law.period)
        self.law.changed(controller.law)
        if controller.route != self.controller.route:
            self.route = Route(np.array(controller.route))
        self.controller, self.cycle = controller, cycle
        del self.places[: -self.cycle]

    def signals(self) -> dict[str, Signal]:
        return self.law.signals() | {
            "route_distance": Signal(self.distance, "m", "of the body's middle from the route, positive to its left"),
            "route_progress": Signal(self.route.along, "m", "how far along the route"),
            "steering": Signal(self.steering, "", "1 hard to the left, -1 hard to the right"),
        }
