"""Record and memory of a law, ticked without a robot, for measuring identities of the laws."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.kernel_law import NO_IMU, KernelController
from serpenoid.kernels.laws.shape import pass_joints, shape_places
from serpenoid.kernels.laws.tick import Sensed, law_numbers, law_start, law_tick
from serpenoid.robots import SeaSnake

ROBOT, PERIOD = SeaSnake(), 0.01


class Ticked:
    """A law whose only input is torques."""

    def __init__(self, controller: KernelController, period: float = PERIOD):
        self.controller = controller
        self.law: Any = controller.kernel(ROBOT, period)
        self.memory, self.target = np.zeros(law_numbers(self.law)), np.zeros(ROBOT.joints)
        self.begin()

    @cached_property
    def at(self) -> Any:
        """Offsets of the parts of a shape law's memory."""
        return shape_places(self.law)

    def begin(self) -> None:
        """Reset to the start."""
        self.memory[:] = 0.0
        law_start(self.law, self.memory)

    def tick(self, torque: NDArray) -> NDArray:
        """Return targets (joints,) [rad] after a tick under torques of the drives (joints,) [N m]."""
        still = np.zeros(ROBOT.joints)
        law_tick(self.law, self.memory, Sensed(0.0, still, still, torque, NO_IMU, NO_IMU), self.target)
        return self.target.copy()

    def look_at(self, place: float) -> None:
        """Compute weights of all windows, and values and integrals of all parameters, at one position."""
        there = self.law._replace(place=np.full_like(self.law.place, place))
        pass_joints(there, self.memory, self.at, self.law.place, False)

    def wander(self, rng: np.random.Generator) -> None:
        """Make some ticks under random torques."""
        for _ in range(rng.integers(1, 40)):
            self.tick(3.0 * rng.standard_normal(ROBOT.joints))

    def put_an_edge_on_a_joint(self, rng: np.random.Generator) -> None:
        """Move the windows of the last set along the body until the middle one starts at a joint."""
        sets, group = self.law.windows, self.law.windows.span.size - 1
        here = self.at.edges + group * sets.slots
        edges = self.memory[here : here + int(self.memory[self.at.count + group])]
        joint = rng.choice(self.law.place[self.law.moved == 1])
        edges += joint - edges[np.argmin(np.abs(edges - 0.5 * self.law.last))]
        head = self.at.head + group * sets.slots  # integrals of the steps at the edges, up to the first joint
        self.memory[head : head + edges.size] = np.logaddexp(0.0, -sets.slope[group] * edges) / sets.slope[group]

    def slopes(self, rng: np.random.Generator) -> tuple[float, float]:
        """Return the relative difference of J^T tau from finite differences of the shape, and of F sigma' from tau
        theta'.
        """
        at, clear = self.at, self.law._replace(dead_band=0.0, torque_limit=100.0, angle_limit=100.0, feels=1)
        tau, rates = rng.standard_normal(ROBOT.joints), rng.standard_normal(at.pressed - at.ordered)
        pass_joints(clear, self.memory, at, -tau, True)
        force = self.memory[at.pressed : at.value].copy()
        places = slice(at.ordered, at.pressed)
        here, sides = self.memory[places].copy(), []
        for way in (1.0, -1.0):
            self.memory[places] = here + way * 1e-6 * rates
            pass_joints(clear, self.memory, at, tau, False)
            sides.append(self.memory[at.target : at.turning].copy())
        self.memory[places] = here
        slope = (sides[0] - sides[1]) / 2e-6
        power = float(force @ rates)
        return abs(float(slope @ tau) - power) / (1.0 + abs(power)), self.own_power(clear, tau, rates, force)

    def own_power(self, clear: Any, tau: NDArray, rates: NDArray, force: NDArray) -> float:
        """Return |F sigma' - tau theta'|, theta' = J sigma' from the law's own Jacobian, joint by joint."""
        moved = 0.0
        for joint in range(ROBOT.joints):
            one = np.zeros(ROBOT.joints)
            one[joint] = -1.0
            pass_joints(clear, self.memory, self.at, one, True)
            moved += tau[joint] * float(self.memory[self.at.pressed : self.at.value] @ rates)
        return abs(float(force @ rates) - moved) / (1.0 + abs(moved))
