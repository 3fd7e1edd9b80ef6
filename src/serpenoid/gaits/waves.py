"""Gaits that are travelling waves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import at_least, check_fields, usual
from serpenoid.errors import Unsupported
from serpenoid.gaits.base import Gait, wave
from serpenoid.kernels.records import Motion
from serpenoid.robots.base import Robot


@dataclass(frozen=True)
class Serpenoid(Gait):
    """Every joint the same sine, each a fixed phase ahead of the one before: (19) of the MPC paper.

    q_i = amplitude sin(2 pi frequency t + i phase_shift) + offset, i = 0 next to the head.
    """

    amplitude: Annotated[float, usual(0.1, 1.2)] = 0.5
    """of every joint [rad]"""
    frequency: Annotated[float, at_least(0.0, usual=(0.1, 3.0))] = 1.0
    """[Hz]"""
    phase_shift: Annotated[float, usual(0.0, 2.0 * np.pi)] = 1.6 * np.pi
    """phase of each joint less that of the one before [rad]; from pi to 2 pi the snake moves head first"""
    offset: Annotated[float, usual(-0.3, 0.3)] = 0.0
    """mean angle of every joint, which turns the snake [rad]"""

    def __post_init__(self) -> None:
        check_fields(self)

    def motion(self, robot: Robot) -> Motion:
        lag = self.phase_shift * np.arange(robot.joints)
        return wave(robot.joints, self.frequency, self.amplitude, lag, self.offset)


@dataclass(frozen=True)
class Undulation(Gait):
    """A wave of yaw that grows from snout to tail: (18) of the NATRIX paper.

    q_j = offset + amplitude exp(growth s_j) sin(2 pi (waves s_j / L - frequency t)) on the yaw joints at arc positions
    s_j; the offset is ours.
    """

    amplitude: Annotated[float, usual(0.05, 0.6)] = 0.25
    """bending amplitude at the snout [rad]"""
    frequency: Annotated[float, at_least(0.0, usual=(0.1, 3.0))] = 1.0
    """[Hz]"""
    waves: Annotated[float, usual(0.5, 3.0)] = 1.5
    """waves on the body [-]"""
    growth: Annotated[float, usual(0.0, 1.0)] = 0.1
    """growth of the amplitude along the body [1/m]"""
    offset: Annotated[float, usual(-0.3, 0.3)] = 0.0
    """mean angle of the yaw joints, which turns the snake [rad]"""

    def __post_init__(self) -> None:
        check_fields(self)

    def motion(self, robot: Robot) -> Motion:
        position = body_positions(robot)
        yaw = yaw_mask(robot)
        envelope = np.where(yaw, self.amplitude * np.exp(self.growth * position), 0.0)
        # sin(lag - phase) = -sin(phase - lag)
        lag = np.where(yaw, 2.0 * np.pi * self.waves * position / robot.length, 0.0)
        return wave(robot.joints, self.frequency, -envelope, -lag, np.where(yaw, self.offset, 0.0))


@dataclass(frozen=True)
class CompoundSerpenoid(Gait):
    """Two waves, one in the lateral and one in the dorsal plane: (3.1) of the SEA-snake thesis.

    lateral: theta = offset + amplitude sin(spatial s - 2 pi frequency t), dorsal likewise with + phase_offset; s is the
    joint's distance from the snout in body lengths.
    """

    lateral_amplitude: Annotated[float, usual(0.0, 1.2)] = 0.5
    """[rad]"""
    dorsal_amplitude: Annotated[float, usual(0.0, 1.2)] = 0.0
    """[rad]"""
    lateral_spatial: Annotated[float, usual(0.0, 6.0 * np.pi)] = 3.0 * np.pi
    """phase of the lateral wave along the whole body [rad]"""
    dorsal_spatial: Annotated[float, usual(0.0, 6.0 * np.pi)] = 3.0 * np.pi
    """phase of the dorsal wave along the whole body [rad]"""
    frequency: Annotated[float, at_least(0.0, usual=(0.1, 3.0))] = 0.5
    """of the lateral wave [Hz]"""
    dorsal_frequency: Annotated[float | None, at_least(0.0, usual=(0.1, 3.0))] = None
    """of the dorsal wave [Hz]; none: the lateral one's"""
    phase_offset: Annotated[float, usual(-np.pi, np.pi)] = 0.0
    """phase of the dorsal wave against the lateral one [rad]"""
    lateral_offset: Annotated[float, usual(-0.3, 0.3)] = 0.0
    """mean angle of the lateral joints [rad]"""
    dorsal_offset: Annotated[float, usual(-0.3, 0.3)] = 0.0
    """mean angle of the dorsal joints [rad]"""

    def __post_init__(self) -> None:
        check_fields(self)

    def motion(self, robot: Robot) -> Motion:
        lateral = mask(robot.joints, robot.yaw_joints)
        dorsal = mask(robot.joints, robot.pitch_joints)
        s = body_positions(robot) / robot.length
        frequency = self.frequency if self.dorsal_frequency is None else self.dorsal_frequency
        amplitude = np.select([lateral, dorsal], [self.lateral_amplitude, self.dorsal_amplitude], 0.0)
        lag = np.select([lateral, dorsal], [self.lateral_spatial * s, self.dorsal_spatial * s + self.phase_offset], 0.0)
        offset = np.select([lateral, dorsal], [self.lateral_offset, self.dorsal_offset], 0.0)
        return wave(robot.joints, np.where(dorsal, frequency, self.frequency), -amplitude, -lag, offset)


def yaw_mask(robot: Robot) -> NDArray:
    """True for the joints that bend the body to its sides; a robot that has none is refused."""
    if not robot.yaw_joints:
        raise Unsupported(f"{robot.called} has no joint that bends it sideways: this gait cannot run on it")
    return mask(robot.joints, robot.yaw_joints)


def mask(joints: int, chosen: tuple[int, ...]) -> NDArray:
    """True for the chosen joints."""
    out = np.zeros(joints, dtype=bool)
    out[list(chosen)] = True
    return out


def body_positions(robot: Robot) -> NDArray:
    """Arc positions of the joints [m], 0 where a joint does not bend the body."""
    if robot.arc_positions is None:
        raise Unsupported(f"{robot.called} has no arc positions along a body: this gait cannot run on it")
    return np.nan_to_num(np.asarray(robot.arc_positions, dtype=float))
