"""Gait interface: joint angles as a function of phase, passed to compiled code as one Motion record."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import Part
from serpenoid.kernels.records import Motion

if TYPE_CHECKING:
    from serpenoid.robots.base import Robot

STILL = 1e-11  # [rad] least advance of a phase in a period; a slower wave has the cycle of this one


class Leader(Part):
    """Source of joint commands: a gait or a controller. Fields of this type also accept user-defined classes."""

    plugs_in: ClassVar[tuple[str, ...]] = ("gaits", "controllers")

    frequency: float = 0.0  # [Hz] rate of the phase; 0 for a movement that depends on time alone

    def phase_rate(self, robot: Robot) -> float:
        """Return the nominal phase rate of the wave [rad/s]; 0 without a wave."""
        return 2.0 * np.pi * self.frequency

    def from_phase(self, phase: float) -> Self:
        """Return a copy with another initial phase [rad], if the phase can be set."""
        return self


class Gait(Leader, ABC):
    """Joint angles of a robot over time. Subclasses are frozen dataclasses that validate themselves."""

    carries_phase: ClassVar[bool] = True  # whether it continues from the phase of the previous gait (else from 0)

    @abstractmethod
    def motion(self, robot: Robot) -> Motion:
        """Return the gait on the joints of this robot as the record for compiled code."""


def cycle_ticks(rate: float, period: float) -> int:
    """Return the number of periods [s] in a cycle of a wave with this phase rate [rad/s]; 1 without a wave."""
    return max(1, round(2.0 * np.pi / max(abs(rate) * period, STILL))) if rate else 1


def wave(robot_joints: int, frequency: Any, amplitude: Any, lag: Any, offset: Any = 0.0) -> Motion:
    """Return a Motion that consists of a wave only; scalars are broadcast over the joints."""
    parts = np.empty((4, robot_joints))
    parts[0], parts[1], parts[2], parts[3] = 2.0 * np.pi * frequency, offset, amplitude, lag
    rate, mean, swing, lags = parts
    return Motion(0.0, 0.0, rate, mean, swing, lags, np.zeros(2), np.zeros((1, 1, robot_joints)))


def polynomial(knots: NDArray, coefficients: NDArray) -> Motion:
    """Return a Motion that consists of a piecewise polynomial only; coefficients are (segments, degree + 1, joints)."""
    joints = coefficients.shape[2]
    still = np.zeros(joints)
    return Motion(
        0.0, 0.0, still, still.copy(), still.copy(), still.copy(),
        np.ascontiguousarray(knots, dtype=float), np.ascontiguousarray(coefficients, dtype=float),
    )  # fmt: skip


def shift_polynomial(coefficients: NDArray, by: float) -> NDArray:
    """Return the coefficients (degree + 1, ...) of p(t + by)."""
    size = len(coefficients)
    return np.array([
        sum(comb(m, k) * by ** (m - k) * coefficients[m] for m in range(k, size)) for k in range(size)
    ])  # fmt: skip
