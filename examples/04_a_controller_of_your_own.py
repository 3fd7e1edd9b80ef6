"""A controller of your own: the snake steers itself to a goal by bending its wave, and looks about while it is lost."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import serpenoid as sp
from serpenoid.control import Command, Controller, Signal
from serpenoid.plotting.style import write


@dataclass(frozen=True)
class Homing(Controller):
    """A serpenoid wave whose offset turns the body towards a goal. The class holds the configuration only."""

    needs_truth: ClassVar[bool] = True  # it reads where the head is, which a simulation knows and a robot does not
    goal: tuple[float, float]
    """where to go [m]"""
    amplitude: float = 0.6
    """of the wave [rad]"""
    frequency: float = 1.0
    """[Hz]"""
    steering: float = 0.25
    """joint offset per radian that the body points beside the goal"""
    wander: float = 0.02
    """standard deviation of a random change of the offset [rad]"""

    def start(self, robot, period, rng):
        return HomingLaw(self, robot, period, rng)


class HomingLaw:
    """Homing at work: an object with a memory (the offset, smoothed), random numbers and signals for the recording."""

    def __init__(self, controller, robot, period, rng):
        self.controller, self.joints, self.period, self.rng = controller, robot.joints, period, rng
        self.offset = 0.0

    def __call__(self, observation):
        wave = self.controller
        wanted = -np.clip(wave.steering * self.angle_to_goal(observation), -0.2, 0.2)
        wanted += wave.wander * self.rng.standard_normal()
        self.offset += self.period / 0.2 * (wanted - self.offset)
        phase = 2 * np.pi * wave.frequency * observation.time + 1.6 * np.pi * np.arange(self.joints)
        position = wave.amplitude * np.sin(phase) + self.offset
        velocity = 2 * np.pi * wave.frequency * wave.amplitude * np.cos(phase)
        return Command.empty(self.joints)._replace(position=position, velocity=velocity)

    def signals(self):
        return {"offset": Signal(self.offset, "rad", "offset of all joints, which turns the snake")}

    def angle_to_goal(self, observation):
        """By how much the body must turn; x of a link runs from head to tail, so forwards is against it."""
        x, y, _, w, _, _, z = observation.truth.base_pose
        # The heading of the middle of the body, which sways less than the head.
        body = 2.0 * np.arctan2(z, w) + float(observation.joint_position[: self.joints // 2].sum())
        wanted = np.arctan2(self.controller.goal[1] - y, self.controller.goal[0] - x)
        return float((wanted - body) % (2.0 * np.pi) - np.pi)


goal = (-1.5, 2.0)
run = sp.simulate(sp.robots.PlanarSnake(links=8), sp.worlds.Plane(), Homing(goal), duration=10.0, seed=3)
distance = np.linalg.norm(run["base_pose"][:, :2] - goal, axis=1)
print(f"distance to the goal: {distance[0]:.2f} m at first, {distance.min():.2f} m at best")
print(f"largest offset: {np.abs(run['offset']).max():.2f} rad, recorded at {run.ticks.size} ticks")

axes = sp.plotting.path(run)
axes.plot(*goal, "*", markersize=14, color="#edae49", label="goal")
axes.legend(fontsize=8, frameon=False)
print("picture:", write(axes.figure, "homing.png"))
