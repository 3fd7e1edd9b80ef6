"""A controller of your own: the snake steers itself to a goal by bending its wave."""

from dataclasses import dataclass

import numpy as np

import serpenoid as sp
from serpenoid.control import Command, Controller, Observation
from serpenoid.plotting.style import write


@dataclass(frozen=True)
class Homing(Controller):
    """A serpenoid wave whose offset turns the head towards a goal."""

    goal: tuple[float, float]
    """where to go [m]"""
    amplitude: float = 0.6
    """of the wave [rad]"""
    frequency: float = 1.0
    """[Hz]"""
    phase_shift: float = 1.6 * np.pi
    """from joint to joint [rad]"""
    steering: float = 0.25
    """joint offset per radian that the body points beside the goal"""
    largest_offset: float = 0.2
    """[rad]"""

    near: float = 0.15
    """distance from the goal at which the snake stops [m]"""

    def reset(self) -> None: ...

    def command(self, observation: Observation) -> Command:
        """The wave of this moment, with an offset that closes the angle to the goal."""
        if np.hypot(*(observation.base_pose[:2] - self.goal)) < self.near:
            return Command.empty(observation.joint_position.size)._replace(position=observation.joint_position)
        number = np.arange(observation.joint_position.size)
        phase = 2.0 * np.pi * self.frequency * observation.time + self.phase_shift * number
        # A body that is bent to the left from head to tail swims to the right.
        offset = -np.clip(self.steering * self.angle_to_goal(observation), -self.largest_offset, self.largest_offset)
        command = Command.empty(number.size)
        return command._replace(
            position=self.amplitude * np.sin(phase) + offset,
            velocity=2.0 * np.pi * self.frequency * self.amplitude * np.cos(phase),
        )

    def angle_to_goal(self, observation: Observation) -> float:
        """By how much the body must turn; x of a link runs from head to tail, so forwards is against it."""
        x, y, _, w, _, _, z = observation.base_pose
        head = 2.0 * np.arctan2(z, w)
        # The heading of the middle of the body, which sways less than the head.
        body = head + float(observation.joint_position[: observation.joint_position.size // 2].sum())
        wanted = np.arctan2(self.goal[1] - y, self.goal[0] - x)
        return float((wanted - body) % (2.0 * np.pi) - np.pi)


goal = (-1.5, 2.0)
run = sp.simulate(sp.robots.PlanarSnake(links=8), sp.worlds.Plane(), Homing(goal), duration=10.0)
distance = np.linalg.norm(run["base_pose"][:, :2] - goal, axis=1)
print(f"distance to the goal: {distance[0]:.2f} m at first, {distance.min():.2f} m at best")

axes = sp.plotting.path(run)
axes.plot(*goal, "*", markersize=14, color="#edae49", label="goal")
axes.legend(fontsize=8, frameon=False)
print("picture:", write(axes.figure, "homing.png"))
