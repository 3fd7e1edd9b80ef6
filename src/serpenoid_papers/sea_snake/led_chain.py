"""Control law without an engine: it ticks, the body follows its targets, forces act on that shape.

The chain of lateral joints takes the commanded angles. The sensed torques follow from the forces on that shape by
virtual work: tau_i = sum over everything behind joint i of (p - p_i) x F. The inertia of the body, spread evenly along
it, balances any net force.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.kernel_law import KernelController
from serpenoid.control.shape_compliance import ShapeCompliance
from serpenoid.gaits.arc import backbone_of
from serpenoid_papers.sea_snake.ticked import PERIOD, ROBOT, Ticked

Pushing = Callable[[float, "LateralChain", "ChainLaw"], NDArray]


class LateralChain(NamedTuple):
    """A shape of the lateral joints in the plane."""

    joints: NDArray  # (n, 2) positions of the joints [m]
    ends: NDArray  # (2, 2) snout and tail end [m]
    pieces: NDArray  # (n + 1, 2) middles of the rigid pieces between them [m]
    lengths: NDArray  # (n + 1,) lengths of the pieces [m]

    @classmethod
    def of(cls, angles: NDArray, places: NDArray, length: float) -> LateralChain:
        """Build from joint angles (n,) [rad], the joints' distances from the snout (n,) and the body length [m]."""
        lengths = np.diff(np.concatenate([[0.0], places, [length]]))
        heading = np.concatenate([[0.0], np.cumsum(angles)])
        steps = lengths[:, None] * np.stack([np.cos(heading), np.sin(heading)], axis=1)
        nodes = np.vstack([np.zeros(2), np.cumsum(steps, axis=0)])
        return cls(nodes[1:-1], nodes[[0, -1]], 0.5 * (nodes[1:] + nodes[:-1]), lengths)

    def torques(self, points: NDArray, forces: NDArray, behind: NDArray) -> NDArray:
        """Return the external torque (n,) on each joint [N m]; `behind` (points,) is the number of joints ahead of each
        point.
        """
        arms = points[None] - self.joints[:, None]
        moments = arms[..., 0] * forces[:, 1] - arms[..., 1] * forces[:, 0]
        return np.where(behind[None] > np.arange(len(self.joints))[:, None], moments, 0.0).sum(axis=1)

    def pressed(self, force: float) -> NDArray:
        """Return torques for head and tail pressed together with a force [N]; a negative force pulls them apart."""
        along = self.ends[1] - self.ends[0]
        push = force * along / np.linalg.norm(along)
        return self.torques(self.ends, np.stack([push, -push]), np.array([0, len(self.joints)]))

    def pushed_sideways(self, piece: int, force: float) -> NDArray:
        """Return torques for one piece pushed laterally with a force [N] against the body's inertia."""
        nodes = np.vstack([self.ends[:1], self.joints, self.ends[1:]])
        along = nodes[piece + 1] - nodes[piece]
        push = force * np.array([-along[1], along[0]]) / np.linalg.norm(along)
        share = self.lengths / self.lengths.sum()
        arms = self.pieces - share @ self.pieces
        spin = share @ (arms**2).sum(axis=1) + (share @ self.lengths**2) / 12.0
        twist = (arms[piece, 0] * push[1] - arms[piece, 1] * push[0]) / spin
        held = -share[:, None] * (push + twist * np.stack([-arms[:, 1], arms[:, 0]], axis=1))
        held[piece] += push
        return self.torques(self.pieces, held, np.arange(len(self.pieces)))


class ChainLaw(Ticked):
    """A law that is advanced in time, with angles and torques of its lateral joints."""

    def __init__(self, controller: KernelController):
        """Start at the first tick, without sensed torques."""
        super().__init__(controller)
        self.angles = self.yielded(np.zeros(len(ROBOT.yaw_joints)))
        self.rates = np.zeros_like(self.angles)

    def yielded(self, torques: NDArray) -> NDArray:
        """Return the angles after a tick with external torques (n,) on the lateral joints."""
        felt, lateral = np.zeros(ROBOT.joints), list(ROBOT.yaw_joints)
        felt[lateral] = -torques  # a spring's torque opposes the external one
        return self.tick(felt)[lateral]

    def through(self, duration: float, pushing: Pushing) -> dict[str, NDArray]:
        """Return signals of the law at every tick, with the lateral torques and angles."""
        backbone = backbone_of(ROBOT, metres=False)
        places = backbone.place[list(ROBOT.yaw_joints)] * backbone.unit + backbone.first
        rows: dict[str, list[Any]] = {"time": [], "angles": [], "torques": [], "memory": []}
        for number in range(1, round(duration / PERIOD) + 1):
            chain = LateralChain.of(self.angles, places, ROBOT.length)
            torques = pushing(number * PERIOD, chain, self)
            angles = self.yielded(torques)
            self.angles, self.rates = angles, (angles - self.angles) / PERIOD
            for kept, value in zip(rows.values(), (number * PERIOD, angles, torques, self.memory.copy())):
                kept.append(value)
        logs = {name: np.array(values) for name, values in rows.items()}
        signals = self.controller.memory_signals(ROBOT, PERIOD, logs.pop("memory"))
        return logs | {name: np.asarray(signal.value) for name, signal in signals.items()}

    def central(self, name: str) -> float:
        """Return the value of a shape law's parameter that acts on the whole body."""
        assert isinstance(self.controller, ShapeCompliance)
        number = [parameter.name for parameter in self.controller.in_order].index(name)
        drift, state = self.at.drift + number, self.at.state + number * self.law.windows.slots
        return float(self.law.admittance.nominal[number] + self.memory[drift] + self.memory[state])
