"""A planar snake that brings an object to a goal and leaves it there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import atan2, cos, dist, pi, sin
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from serpenoid import analysis
from serpenoid.configuration import at_least, usual
from serpenoid.engines.base import Initial
from serpenoid.errors import require
from serpenoid.planning.push_to import CUP, PushTo
from serpenoid.robots import PD, PlanarSnake
from serpenoid.scenarios.base import YES_OR_NO, Parts, Quantity, Scenario
from serpenoid.support.kernel_inputs import chain_of
from serpenoid.trajectory import Trajectory
from serpenoid.worlds.peg_board import segment_distance
from serpenoid.worlds.pushing import PushedObject, PushingFloor, Wheels

NEAR = 0.05  # distance from the goal at which the object counts as delivered [m]
AT_REST = 1e-3  # speed below which it counts as at rest [m/s]


@dataclass(frozen=True)
class PushToGoal(Scenario, duration=90.0, step=0.004, sample_period=0.04, control_period=0.02):
    """A planar snake pushes an object to a goal and leaves it there: approach, contact, push, release."""

    robot: PlanarSnake = PlanarSnake(
        links=10, link_length=0.07, link_mass=0.3, joint_damping=0.0, joint_armature=0.002,
        drive=PD(stiffness=1.5, damping=0.05, torque_limit=3.0),
    )  # fmt: skip
    """snake; its first two links have no wheels and hold the object, every second one behind them has"""
    object: PushedObject = PushedObject(mass=0.5, radius=0.05, friction=0.15)
    """pushed object; its friction with the ground must be above 0"""
    controller: PushTo = PushTo()
    """controller; its goal is that of the scenario"""
    goal: Annotated[tuple[float, float], usual(-2.0, 2.0)] = (1.5, 0.4)
    """goal of the object's centre [m]"""
    object_at: Annotated[tuple[float, float], usual(-2.0, 2.0)] = (0.6, 0.1)
    """position of the object's centre at the start [m]"""
    snake_at: Annotated[tuple[float, float], usual(-2.0, 2.0)] = (0.0, 0.0)
    """position of the front of the wheeled body at the start [m]"""
    heading: Annotated[float, usual(-pi, pi)] = 0.0
    """direction in which the snake moves at the start [rad]; 0: along x"""
    wheels: Literal["friction", "ideal"] = "friction"
    """friction: a wheel holds up to its limit, then slips; ideal: a wheel never slips"""
    wheel_friction: Annotated[float, at_least(0.0, usual=(0.2, 1.0), most=1e9)] = 0.8
    """lateral friction coefficient of a wheel if wheels is friction"""

    def __post_init__(self) -> None:
        super().__post_init__()
        own = self.controller.goal
        require(own in (None, self.goal), "controller.goal", own, "omitted: --goal is the goal of the scenario")
        friction = self.object.friction
        require(friction > 0.0, "object.friction", friction, "above 0: an object without friction never comes to rest")
        least = self.least_time()
        allowed = f"nearer, or duration longer: at controller.speed it takes {least:.3g} s or more"
        require(least <= self.duration, "goal", self.goal, allowed)
        depth = -self.free_space()
        clear = f"clear of the snake at the start: the object is {depth:.2g} m deep in it"
        require(depth <= 0.0, "object_at", self.object_at, clear)

    def least_time(self) -> float:
        """Return a lower bound of the time that a delivery takes [s]."""
        away = dist(self.object_at, self.goal)
        if away <= self.controller.tolerance:
            return 0.0
        reach = float(chain_of(self.robot).length[:CUP].sum()) + self.object.radius
        return (max(0.0, dist(self.snake_at, self.object_at) - reach) + away) / self.controller.speed

    def free_space(self) -> float:
        """Return the smallest distance between the body and the object at the start [m]."""
        start = self.usual_start()
        assert start.base_pose is not None and start.joint_position is not None
        turn = 2.0 * atan2(start.base_pose[6], start.base_pose[3])
        angles = turn + np.append(0.0, np.cumsum(start.joint_position))
        along, length = np.stack([np.cos(angles), np.sin(angles)], axis=1), chain_of(self.robot).length
        steps = along * length[:, None]
        front = np.array(start.base_pose[:2]) + np.cumsum(steps, axis=0) - steps
        away = segment_distance(np.array([self.object_at]), front, along, length)
        return float(away.min()) - self.object.radius

    def floor(self) -> PushingFloor:
        """Return the world of this run."""
        on = tuple(range(CUP, self.robot.links, 2))
        return PushingFloor(self.object, Wheels(self.wheels, self.wheel_friction, on), object_at=self.object_at)

    def parts(self) -> Parts:
        return Parts(self.robot, self.floor(), replace(self.controller, goal=self.goal))

    def usual_start(self) -> Initial:
        """Return the shape of the wave at its first tick."""
        shape = self.controller.shape(chain_of(self.robot).length)
        turn = self.heading + pi - float(shape[:CUP].sum())
        x, y = self.head(turn, shape)
        pose = (x, y, 0.0, cos(0.5 * turn), 0.0, 0.0, sin(0.5 * turn))
        return Initial(joint_position=tuple(shape.tolist()), base_pose=pose)

    def head(self, turn: float, shape: NDArray) -> tuple[float, float]:
        """Return the position of the head such that the wheeled body begins at its place."""
        angles = turn + np.append(0.0, np.cumsum(shape[: CUP - 1]))
        lengths = chain_of(self.robot).length[:CUP]
        x, y = self.snake_at
        return float(x - lengths @ np.cos(angles)), float(y - lengths @ np.sin(angles))

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        place, speed = trajectory["object_position"][:, :2], np.linalg.norm(trajectory["object_velocity"][-1])
        away = np.linalg.norm(place - np.array(self.goal), axis=1)
        moved = np.linalg.norm(np.diff(place, axis=0), axis=1).sum()
        force, gap = trajectory["contact_force"], trajectory["gap"]
        phase = trajectory["push_phase"]
        done = np.flatnonzero(phase == 3.0)
        return {
            "delivered": Quantity(float(away[-1] <= NEAR and speed <= AT_REST), YES_OR_NO),
            "goal_distance": Quantity(float(away[-1]), "m"),
            "object_speed": Quantity(float(speed), "m/s"),
            "object_path": Quantity(float(moved), "m"),
            "done_at": Quantity(float(trajectory.ticks[done[0]]) if done.size else float("nan"), "s", absent="never"),
            "attempts": Quantity(float(trajectory["push_attempts"][-1])),
            "greatest_contact_force": Quantity(float(force.max()), "N"),
            "least_contact_force": Quantity(float(force.min()), "N"),
            "least_gap": Quantity(float(gap.min()), "m"),
            "greatest_wheel_slip": Quantity(float(np.nanmax(np.abs(trajectory["wheel_slip"]))), "m/s"),
            "events": Quantity(float(trajectory["events"][-1])),
            "work": Quantity(float(trajectory["work_absolute"][-1].sum()), "J"),
            "energy_residual": Quantity(analysis.energy_residual(trajectory)),
        }
