"""Pushing an object to a place: approach, contact, push along a line, release, and again if it is not there.

The first two links form a cup that holds the object by contact alone. The links behind it have wheels and follow the
path of the first of them (trail.py), with a wave that drives the snake.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import cos, pi
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between, check_fields, usual
from serpenoid.control.base import Command, Controller, Observation, Signal
from serpenoid.control.landmarks import GoalPoint, Landmarks
from serpenoid.errors import Unsupported, require
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.planning.approach import Cup, Line, approach, line_to
from serpenoid.planning.dubins import Pose
from serpenoid.planning.trail import Trail, Wave, turned
from serpenoid.robots.base import Robot
from serpenoid.support.kernel_inputs import chain_of

APPROACH, PUSH, RETREAT, DONE = range(4)
CUP = 2  # links of the cup
PATH = 15  # intervals of the recorded plan
REST = 1.0  # time between the end of the way back and that of the run [s]


@dataclass(frozen=True)
class PushTo(Controller):
    """Push an object to a goal and leave it there, with the true poses of snake and object."""

    needs_truth: ClassVar[bool] = True

    goal: Annotated[tuple[float, float] | None, usual(-2.0, 2.0)] = None
    """goal of the object's centre [m]; none: that of the scenario"""
    tolerance: Annotated[float, above(0.0, usual=(0.01, 0.05), most=10.0)] = 0.03
    """distance from the goal at which the object counts as delivered [m]"""
    speed: Annotated[float, above(0.0, usual=(0.05, 0.5), most=10.0)] = 0.25
    """speed of the links along their path [m/s]"""
    slowest: Annotated[float, above(0.0, usual=(0.02, 0.1), most=10.0)] = 0.06
    """speed of a push at the goal [m/s]"""
    braking: Annotated[float, above(0.0, usual=(0.1, 1.0), most=100.0)] = 0.5
    """greatest change of the speed [m/s^2]"""
    amplitude: Annotated[float, between(0.05, 1.2, usual=(0.3, 0.7))] = 0.5
    """amplitude of the wave's heading [rad]"""
    wavelength: Annotated[float, between(0.2, 2.0, usual=(0.4, 1.0))] = 0.8
    """length of the wave along the body in wheeled body lengths [-]"""
    turn: Annotated[float, above(0.0, usual=(0.2, 1.0), most=100.0)] = 0.3
    """radius of planned turns [m]"""
    lookahead: Annotated[float, above(0.0, usual=(0.1, 0.5), most=10.0)] = 0.15
    """distance along which an error of position or heading is corrected [m]"""
    cup_angle: Annotated[float, between(0.1, 1.0, usual=(0.3, 0.6))] = 0.45
    """angle of the two links of the cup from the line across [rad]"""
    clearance: Annotated[float, at_least(0.0, usual=(0.1, 0.3), most=10.0)] = 0.2
    """distance between the path of the approach and the object's centre, besides its radius [m]"""
    retreat: Annotated[float, above(0.0, usual=(0.1, 0.5), most=10.0)] = 0.25
    """distance of the way back after a release [m]"""

    def __post_init__(self) -> None:
        check_fields(self)

    def landmarks(self) -> Landmarks:
        """Return the goal, if there is one."""
        return Landmarks(() if self.goal is None else (GoalPoint(self.goal, of="object_position"),))

    def start(self, robot: Robot, period: float, rng: np.random.Generator) -> PushLaw:
        require(robot.joints >= 5, "robot.links", robot.joints + 1, "6 or more: two form the cup, the others push")
        require(self.goal is not None, "goal", self.goal, "x y of the place to which the object is pushed [m]")
        return PushLaw(self, robot, period)

    def wave(self, lengths: NDArray) -> Wave:
        """Return the wave along a body of these links (links,) [m]."""
        return Wave(self.amplitude, self.wavelength * float(lengths[CUP:].sum()))

    def cup(self, lengths: NDArray, radius: float) -> Cup:
        """Return the cup of a body for an object of a radius [m]."""
        return Cup(float(lengths[:CUP].min()), self.cup_angle, radius)

    def shape(self, lengths: NDArray) -> NDArray:
        """Return the joint angles at the start (joints,) [rad]."""
        trail = Trail(self.wave(lengths), 0.0)
        body = trail.bends(places_behind(lengths))
        return np.append(self.cup(lengths, 0.0).bends(0.0, float(trail.wave.heading(0.0))), body)


def places_behind(lengths: NDArray) -> NDArray:
    """Return the distances of the middles of the wheeled links behind that of the first one [m]."""
    wheeled = lengths[CUP:]
    middles = np.cumsum(wheeled) - 0.5 * wheeled
    return middles - middles[0]


class PushLaw:
    """Running law: its trail, phase and plan."""

    def __init__(self, controller: PushTo, robot: Robot, period: float):
        self.controller, self.robot, self.period = controller, robot, period
        self.lengths = chain_of(robot).length
        self.behind = places_behind(self.lengths)
        self.goal = np.array(controller.goal)
        self.phase, self.attempts, self.speed, self.back = APPROACH, 0, 0.0, 0.0
        self.rested = 0.0  # time at the goal [s]
        self.passed: deque[tuple[float, float, float]] = deque(maxlen=1000)  # arc length and place of the front
        self.trail: Trail | None = None
        self.path = np.zeros((0, 4))
        self.place = 0  # index of the nearest point of the path
        self.center, self.drift = np.zeros(2), np.zeros(2)

    def __call__(self, observation: Observation) -> Command:
        self.observe(observation)
        assert self.trail is not None
        before = self.trail.bends(self.behind)
        wanted, curvature = (self.draw_near, self.push, self.go_back, self.wait)[self.phase]()
        step = self.controller.braking * self.period
        self.speed += float(np.clip(wanted - self.speed, -step, step))
        tightest = 1.0 / self.controller.turn * 1.3
        self.trail.advance(self.speed * self.period, float(np.clip(curvature, -tightest, tightest)))
        bends = self.trail.bends(self.behind)
        folds = self.cup.bends(self.cup_heading(), self.facing)
        rates = np.append(np.zeros(CUP), (bends - before) / self.period)
        return Command.empty(self.robot.joints)._replace(position=np.append(folds, bends), velocity=rates)

    def observe(self, observation: Observation) -> None:
        """Read the poses of the front and of the object; at the first tick, begin the trail and a plan."""
        truth = observation.truth
        assert truth is not None  # guaranteed by needs_truth
        pose = truth.link_pose[CUP]
        self.facing = float(2.0 * np.arctan2(pose[6], pose[3])) + pi
        if self.trail is None:
            self.begin(truth.model)
        self.center, self.drift = truth.needed("object_position")[:2], truth.needed("object_velocity")[:2]
        assert self.trail is not None
        self.facing = near(self.facing, self.trail.front)
        self.heading = self.facing - float(self.trail.wave.heading(self.trail.s))
        self.front = pose[:2] - np.array(turned(0.0, self.swing(self.trail.s), self.heading))
        self.passed.append((self.trail.s, *self.front))
        if len(self.path) == 0:
            self.plan()

    def begin(self, model: Any) -> None:
        """Begin the trail, and read the object's radius and friction from the world."""
        thing = getattr(model.world, "object", None)
        if thing is None:
            raise Unsupported("push_to needs a world with an object, such as pushing_floor")
        self.cup = self.controller.cup(self.lengths, thing.radius)
        self.grip = thing.friction * STANDARD_GRAVITY
        self.trail = Trail(self.controller.wave(self.lengths), self.facing)

    def plan(self) -> None:
        """Plan the approach to the present place of the object."""
        delivered = np.linalg.norm(self.goal - self.center) <= self.controller.tolerance
        if not delivered or self.attempts == 0:  # the cup keeps its heading when the object is at its goal
            self.line = line_to(self.goal, self.center)
        clear = self.controller.clearance + self.cup.radius
        pose = Pose(float(self.front[0]), float(self.front[1]), self.heading)
        self.path = approach(pose, self.center, self.line, self.cup, self.controller.turn, clear)
        self.place, self.phase = 0, DONE
        if not delivered:
            self.phase, self.attempts = APPROACH, self.attempts + 1

    def cup_heading(self) -> float:
        """Return the heading of the cup: that of the line, as far as the front may turn to it."""
        return self.heading + float(np.clip(near(self.line.heading, self.heading) - self.heading, -0.5, 0.5))

    def steer(self, aside: float, error: float, curvature: float = 0.0) -> float:
        """Return the curvature that corrects a distance to the left [m] and an error of the heading [rad]."""
        ahead = self.controller.lookahead
        return curvature - float(np.clip(aside / ahead, -1.0, 1.0)) / ahead - 2.0 * error / ahead

    def draw_near(self) -> tuple[float, float]:
        """Return speed and curvature along the path of the approach."""
        ahead = self.path[self.place : self.place + 30, :2]
        self.place += int(np.argmin(np.linalg.norm(ahead - self.front, axis=1)))
        x, y, heading, curvature = self.path[self.place]
        if self.place >= len(self.path) - 2:
            self.phase = PUSH
            return self.push()
        _, aside = Line(x, y, heading).relative(self.front)
        return self.controller.speed, self.steer(aside, self.heading - near(heading, self.heading), curvature)

    def push(self) -> tuple[float, float]:
        """Return speed and curvature of the push along the line."""
        assert self.trail is not None
        pocket = self.front + np.array(turned(*self.cup.pocket, self.heading))
        left, aside = self.line.relative(self.rest())
        gap, beside = self.line.relative(pocket)
        here, _ = self.line.relative(self.center)
        holds = abs(gap - here) < 0.03
        if left <= 0.0 or gap < here - 0.06 or abs(self.line.relative(self.center)[1] - beside) > self.cup.side:
            self.phase, self.back = RETREAT, self.trail.s - self.controller.retreat
            return self.go_back()
        target = -self.swing(self.trail.s + max(0.0, gap) / self.progress())
        aside = (aside - self.swing(self.trail.s) if holds else beside) - target
        speed = min(self.controller.speed, self.controller.slowest + 1.0 * left)
        return speed, self.steer(aside, self.heading - near(self.line.heading, self.heading))

    def swing(self, s: float) -> float:
        """Return the distance of the front joint to the left of its centreline when the first wheels are at s [m]."""
        assert self.trail is not None
        return self.trail.wave.offset(s + 0.5 * float(self.lengths[CUP]))

    def progress(self) -> float:
        """Return the distance travelled per distance along the path, over the last wave."""
        s, x, y = self.passed[-1]
        wave = self.controller.wave(self.lengths)
        for before, x0, y0 in reversed(self.passed):
            if s - before >= wave.length:
                return max(0.5, float(np.hypot(x - x0, y - y0)) / (s - before))
        return cos(wave.amplitude)

    def rest(self) -> NDArray:
        """Return the place at which the object would come to rest if the snake stopped now [m]."""
        speed = float(np.linalg.norm(self.drift))
        where: NDArray = self.center + self.drift * speed / (2.0 * min(self.grip, self.controller.braking))
        return where

    def go_back(self) -> tuple[float, float]:
        """Return speed and curvature of the way back; at its end, plan again unless the object is at its goal."""
        assert self.trail is not None
        if self.trail.s > self.back:
            return -self.controller.speed, 0.0
        if np.linalg.norm(self.drift) > 1e-6:
            return 0.0, 0.0
        if self.speed > -0.02:
            self.path = np.zeros((0, 4))
            self.plan()
        return 0.0, 0.0

    def wait(self) -> tuple[float, float]:
        """Return a speed of zero: the object is at its goal."""
        self.rested += self.period
        return 0.0, 0.0

    def finished(self) -> bool:
        """Return whether the object has rested at its goal for a second."""
        return self.rested >= REST

    def signals(self) -> dict[str, Signal]:
        """Return phase, attempts, distance to the goal and the planned path of the object's pusher."""
        points = np.vstack([self.path[self.place :, :2], self.goal]) if self.phase == APPROACH else self.goal[None]
        chosen = points[np.linspace(0, len(points) - 1, PATH + 1).round().astype(int)]
        path = np.column_stack([chosen, np.zeros(PATH + 1)])
        meaning = "phase of the push: 0 approach, 1 push, 2 way back, 3 done"
        return {
            "push_phase": Signal(float(self.phase), "", meaning),
            "push_attempts": Signal(float(self.attempts), "", "approaches planned so far"),
            "goal_distance": Signal(float(np.linalg.norm(self.goal - self.center)), "m", "from the object to its goal"),
            "plan_path": Signal(path, "m", "path to the object and its goal", ("horizon", "axis")),
        }


def near(angle: float, other: float) -> float:
    """Return an angle plus the multiple of a turn that brings it nearest to another [rad]."""
    return other + (angle - other + pi) % (2.0 * pi) - pi
