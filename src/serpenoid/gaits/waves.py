"""Travelling waves: offset + amplitude sin(spatial_frequency s - 2 pi frequency t - phase) at arc coordinate s."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import at_least, check_fields, usual
from serpenoid.errors import Unsupported
from serpenoid.gaits.arc import arc_coordinates, body_positions
from serpenoid.gaits.base import Gait, wave
from serpenoid.kernels.records import Motion
from serpenoid.robots.base import Robot


@dataclass(frozen=True)
class Serpenoid(Gait):
    """Same wave on every joint, regardless of its axis: (19) of the MPC paper.

    Joint i of n is at s = i / n. The paper's phase shift beta from joint to joint is -spatial_frequency / n.
    """

    amplitude: Annotated[float, usual(0.1, 1.2)] = 0.5
    """amplitude of every joint [rad]"""
    frequency: Annotated[float, at_least(0.0, usual=(0.1, 3.0))] = 1.0
    """[Hz]"""
    spatial_frequency: Annotated[float, usual(-4.0 * np.pi, 4.0 * np.pi)] = 1.6 * np.pi
    """phase along the joints [rad]; between 0 and pi times the number of joints the snake moves head first"""
    phase: Annotated[float, usual(-np.pi, np.pi)] = np.pi
    """initial phase of the wave [rad]"""
    offset: Annotated[float, usual(-0.3, 0.3)] = 0.0
    """mean angle of every joint, for steering [rad]"""

    def __post_init__(self) -> None:
        check_fields(self)

    def motion(self, robot: Robot) -> Motion:
        lag = self.phase - self.spatial_frequency / robot.joints * np.arange(robot.joints)
        return wave(robot.joints, self.frequency, -self.amplitude, lag, self.offset)


NATRIX_WAVE = {"spatial_frequency": 8.710318986323957, "phase": -0.8740721495874828}  # 3 pi along the whole NATRIX


@dataclass(frozen=True)
class Undulation(Gait):
    """Yaw wave that grows from snout to tail: (18) of the NATRIX paper, with an offset.

    The amplitude at a distance x from the snout [m] is amplitude exp(growth x).
    """

    amplitude: Annotated[float, usual(0.05, 0.6)] = 0.25
    """bending amplitude at the snout [rad]"""
    frequency: Annotated[float, at_least(0.0, usual=(0.1, 3.0))] = 1.0
    """[Hz]"""
    spatial_frequency: Annotated[float, usual(np.pi, 6.0 * np.pi)] = NATRIX_WAVE["spatial_frequency"]
    """phase along the joints [rad]; the default is 1.5 waves on the whole NATRIX"""
    phase: Annotated[float, usual(-np.pi, np.pi)] = NATRIX_WAVE["phase"]
    """initial phase of the wave [rad]; the default is 0 at the snout of NATRIX"""
    growth: Annotated[float, usual(0.0, 1.0)] = 0.1
    """growth rate of the amplitude along the body [1/m]"""
    offset: Annotated[float, usual(-0.3, 0.3)] = 0.0
    """mean angle of the yaw joints, for steering [rad]"""

    def __post_init__(self) -> None:
        check_fields(self)

    def motion(self, robot: Robot) -> Motion:
        yaw = yaw_mask(robot)
        envelope = np.where(yaw, self.amplitude * np.exp(self.growth * body_positions(robot)), 0.0)
        lag = np.where(yaw, self.phase - self.spatial_frequency * arc_coordinates(robot), 0.0)
        return wave(robot.joints, self.frequency, -envelope, lag, np.where(yaw, self.offset, 0.0))


SEA_WAVE = {"spatial_frequency": 8.338974048238345, "phase": -0.7745401242721379}  # 3 pi along the whole SEA snake


@dataclass(frozen=True)
class CompoundSerpenoid(Gait):
    """Two waves, one in the lateral and one in the dorsal plane: (3.1) of the SEA-snake thesis.

    The lateral angle is theta = offset + amplitude sin(spatial_frequency s - 2 pi frequency t - phase). The dorsal
    angle has the same form, with + phase_offset inside the sine.
    """

    amplitude: Annotated[float, usual(0.0, 1.2)] = 0.5
    """amplitude of the lateral joints [rad]"""
    dorsal_amplitude: Annotated[float, usual(0.0, 1.2)] = 0.0
    """amplitude of the dorsal joints [rad]"""
    spatial_frequency: Annotated[float, usual(0.0, 6.0 * np.pi)] = SEA_WAVE["spatial_frequency"]
    """phase of the lateral wave along the joints [rad]"""
    dorsal_spatial_frequency: Annotated[float | None, usual(0.0, 6.0 * np.pi)] = None
    """phase of the dorsal wave along the joints [rad]; none: same as the lateral wave"""
    frequency: Annotated[float, at_least(0.0, usual=(0.1, 3.0))] = 0.5
    """frequency of the lateral wave [Hz]"""
    dorsal_frequency: Annotated[float | None, at_least(0.0, usual=(0.1, 3.0))] = None
    """frequency of the dorsal wave [Hz]; none: same as the lateral wave"""
    phase: Annotated[float, usual(-np.pi, np.pi)] = SEA_WAVE["phase"]
    """initial phase of both waves [rad]"""
    phase_offset: Annotated[float, usual(-np.pi, np.pi)] = 0.0
    """phase of the dorsal wave relative to the lateral one [rad]"""
    offset: Annotated[float, usual(-0.3, 0.3)] = 0.0
    """mean angle of the lateral joints [rad]"""
    dorsal_offset: Annotated[float, usual(-0.3, 0.3)] = 0.0
    """mean angle of the dorsal joints [rad]"""

    def __post_init__(self) -> None:
        check_fields(self)

    def motion(self, robot: Robot) -> Motion:
        lateral = mask(robot.joints, robot.yaw_joints)
        dorsal = mask(robot.joints, robot.pitch_joints)
        s = arc_coordinates(robot)
        dorsal_wave = either(self.dorsal_spatial_frequency, self.spatial_frequency)
        amplitude = np.select([lateral, dorsal], [self.amplitude, self.dorsal_amplitude], 0.0)
        lag = np.select([lateral, dorsal], [self.spatial_frequency * s, dorsal_wave * s + self.phase_offset], 0.0)
        offset = np.select([lateral, dorsal], [self.offset, self.dorsal_offset], 0.0)
        frequency = np.where(dorsal, either(self.dorsal_frequency, self.frequency), self.frequency)
        return wave(robot.joints, frequency, -amplitude, self.phase - lag, offset)


def either(value: float | None, other: float) -> float:
    """Return `value`, or `other` if `value` is None."""
    return other if value is None else value


def yaw_mask(robot: Robot) -> NDArray:
    """Return a mask of the joints that bend the body sideways; raise if there are none."""
    if not robot.yaw_joints:
        raise Unsupported(f"{robot.called} has no joint that bends it sideways: this gait cannot run on it")
    return mask(robot.joints, robot.yaw_joints)


def mask(joints: int, chosen: tuple[int, ...]) -> NDArray:
    """Return a mask that is True for the chosen joints."""
    out = np.zeros(joints, dtype=bool)
    out[list(chosen)] = True
    return out
