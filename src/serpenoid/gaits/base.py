"""What a gait is: joint angles as a function of phase, ready for compiled code as one Motion record."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import Part
from serpenoid.kernels.records import Motion

if TYPE_CHECKING:
    from serpenoid.robots.base import Robot


class Leader(Part):
    """What leads the joints: a gait or a controller. One of a user's own may stand wherever a field names one."""

    plugs_in: ClassVar[tuple[str, ...]] = ("gaits", "controllers")

    frequency: float = 0.0  # [Hz]; how fast the phase runs; 0 for a movement that is a function of time alone

    def phase_rate(self, robot: Robot) -> float:
        """How fast the nominal phase of its wave runs [rad/s]; 0 where it has none."""
        return 2.0 * np.pi * self.frequency

    def from_phase(self, phase: float) -> Self:
        """The same with another phase at the start [rad], where it has one that can be set."""
        return self


class Gait(Leader, ABC):
    """Joint angles for a robot over time. Subclasses are frozen dataclasses that validate themselves."""

    carries_phase: ClassVar[bool] = True  # whether it goes on from the phase of a gait before it, or begins anew

    @abstractmethod
    def motion(self, robot: Robot) -> Motion:
        """The gait on this robot's joints as the record that compiled code takes."""


def wave(robot_joints: int, frequency: Any, amplitude: Any, lag: Any, offset: Any = 0.0) -> Motion:
    """A Motion that is a wave alone, its scalars spread over the joints."""
    parts = np.empty((4, robot_joints))
    parts[0], parts[1], parts[2], parts[3] = 2.0 * np.pi * frequency, offset, amplitude, lag
    rate, mean, swing, lags = parts
    return Motion(0.0, 0.0, rate, mean, swing, lags, np.zeros(2), np.zeros((1, 1, robot_joints)))


def polynomial(knots: NDArray, coefficients: NDArray) -> Motion:
    """A Motion that is a piecewise polynomial alone; coefficients are (segments, degree + 1, joints)."""
    joints = coefficients.shape[2]
    still = np.zeros(joints)
    return Motion(
        0.0, 0.0, still, still.copy(), still.copy(), still.copy(),
        np.ascontiguousarray(knots, dtype=float), np.ascontiguousarray(coefficients, dtype=float),
    )  # fmt: skip
