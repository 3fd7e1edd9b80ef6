"""Periodic gait with a Fourier series of its own for every joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import at_least, check_fields, usual
from serpenoid.errors import InvalidValue, require
from serpenoid.gaits.base import Gait, wave
from serpenoid.kernels.records import Motion
from serpenoid.robots.base import Robot

Table = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Fourier(Gait):
    """Fourier series per joint: offset + sum_m sine_m sin(2 pi m frequency t) + cosine_m cos(2 pi m frequency t)."""

    frequency: Annotated[float, at_least(0.0, usual=(0.1, 10.0))] = 1.0
    """[Hz]"""
    offset: Annotated[tuple[float, ...], usual(-0.3, 0.3)] = ()
    """mean angle of each joint [rad]; an empty list means straight"""
    sine: Annotated[Table, usual(-1.2, 1.2)] = ((),)
    """sine coefficients, one list of joints for the frequency and each of its multiples [rad]"""
    cosine: Annotated[Table, usual(-1.2, 1.2)] = ((),)
    """cosine coefficients, likewise [rad]"""

    def __post_init__(self) -> None:
        check_fields(self)
        same = len(self.sine) == len(self.cosine) >= 1
        require(same, "cosine", self.cosine, f"as many lists as sine, {len(self.sine)}, and at least one")

    @classmethod
    def of(cls, frequency: float, offset: NDArray, sine: NDArray, cosine: NDArray) -> Self:
        """Return the gait of arrays: offset (joints,), sine and cosine (harmonics, joints)."""
        rows = (tuple(map(tuple, np.asarray(part).tolist())) for part in (sine, cosine))
        return cls(float(frequency), tuple(np.asarray(offset).tolist()), *rows)

    def series(self, joints: int) -> tuple[NDArray, NDArray, NDArray]:
        """Return offset (joints,), sine and cosine (harmonics, joints) for a robot; empty lists are zeros."""
        offset = row_of("offset", self.offset, joints)
        sine, cosine = (
            np.array([row_of(name, row, joints) for row in getattr(self, name)]) for name in ("sine", "cosine")
        )
        return offset, sine, cosine

    def motion(self, robot: Robot) -> Motion:
        offset, sine, cosine = self.series(robot.joints)
        lag = np.arctan2(cosine[0], sine[0])
        first = wave(robot.joints, self.frequency, np.hypot(sine[0], cosine[0]), lag, offset)
        if len(sine) == 1:
            return first
        turn = lag * np.arange(2, len(sine) + 1)[:, None]  # of the multiples of the phase, which includes the lag
        c, s = np.cos(turn), np.sin(turn)
        higher = np.stack([sine[1:] * c + cosine[1:] * s, cosine[1:] * c - sine[1:] * s], axis=1)
        return first._replace(harmonics=np.ascontiguousarray(higher))


def row_of(field: str, row: tuple[float, ...], joints: int) -> NDArray:
    """Return coefficients of all joints; raise if their number does not match the robot."""
    if len(row) not in (0, joints):
        raise InvalidValue(field, row, f"{joints} numbers each, one per joint, or none")
    return np.array(row, dtype=float) if row else np.zeros(joints)
