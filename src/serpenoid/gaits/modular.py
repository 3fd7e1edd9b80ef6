"""Gaits of modular snakes by name: each the compound serpenoid with few parameters, on any robot with enough joints."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from math import pi
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import at_least, between, check_fields, usual
from serpenoid.errors import Unsupported
from serpenoid.gaits.base import Gait
from serpenoid.gaits.waves import CompoundSerpenoid, body_positions
from serpenoid.kernels.records import Motion
from serpenoid.robots.base import Robot

LEAST_JOINTS = 3  # of one kind, below which there is no wave


class ModularGait(Gait):
    """A gait that is the compound serpenoid (3.1) of the SEA-snake thesis, times a taper along the body."""

    needs: ClassVar[tuple[bool, bool]] = (True, True)  # whether it bends lateral, and dorsal joints

    def __post_init__(self) -> None:
        check_fields(self)

    @abstractmethod
    def compound(self, robot: Robot) -> CompoundSerpenoid:
        """The two waves."""

    @property
    def start_phase(self) -> float:
        """By which both waves are ahead at the start [rad]."""
        return 0.0

    def taper_at(self, place: NDArray) -> NDArray:
        """Share of the amplitude at places along the body, 0 at the snout and 1 at the tail."""
        return np.ones_like(place)

    def motion(self, robot: Robot) -> Motion:
        """(3.1), its amplitudes tapered, its time begun at the start phase."""
        check_joints(robot, type(self).__name__, self.needs)
        waves = self.compound(robot).motion(robot)
        taper = self.taper_at(body_positions(robot) / robot.length)
        return waves._replace(amplitude=taper * waves.amplitude, lag=waves.lag - self.start_phase)


def check_joints(robot: Robot, name: str, needs: tuple[bool, bool]) -> None:
    """Refuse a robot that has too few joints of a kind that a gait bends."""
    for kind, joints, needed in zip(("lateral", "dorsal"), (robot.yaw_joints, robot.pitch_joints), needs):
        found = len(joints)
        if needed and found < LEAST_JOINTS:
            raise Unsupported(f"{name} needs at least {LEAST_JOINTS} {kind} joints: {robot.called} has {found}")


@dataclass(frozen=True)
class LinearProgression(ModularGait):
    """A wave in the upright plane from tail to head, which carries the snake straight on like an inchworm."""

    needs: ClassVar[tuple[bool, bool]] = (False, True)

    amplitude: Annotated[float, usual(0.2, 0.8)] = 0.5
    """of the dorsal joints [rad]"""
    spatial: Annotated[float, usual(2.0 * pi, 6.0 * pi)] = 4.0 * pi
    """phase along the whole body [rad]; negative: tail first"""
    frequency: Annotated[float, at_least(0.0, usual=(0.1, 2.0))] = 0.5
    """[Hz]"""
    turn: Annotated[float, usual(-0.15, 0.15)] = 0.0
    """mean angle of the lateral joints, which steers [rad]"""

    def compound(self, robot: Robot) -> CompoundSerpenoid:
        return CompoundSerpenoid(
            lateral_amplitude=0.0, dorsal_amplitude=self.amplitude, dorsal_spatial=-self.spatial,
            frequency=self.frequency, lateral_offset=self.turn,
        )  # fmt: skip


@dataclass(frozen=True)
class Slithering(ModularGait):
    """A wave in the level plane from head to tail, which pushes against what stands beside the snake."""

    needs: ClassVar[tuple[bool, bool]] = (True, False)

    amplitude: Annotated[float, usual(0.3, 1.3)] = pi / 4.0
    """of the lateral joints [rad]"""
    spatial: Annotated[float, usual(2.0 * pi, 4.0 * pi)] = 3.0 * pi
    """phase along the whole body [rad]; negative: tail first"""
    frequency: Annotated[float, at_least(0.0, usual=(0.1, 1.0))] = 1.8 / (2.0 * pi)
    """[Hz]"""
    turn: Annotated[float, usual(-0.3, 0.3)] = 0.0
    """mean angle of the lateral joints, which steers [rad]"""

    def compound(self, robot: Robot) -> CompoundSerpenoid:
        return CompoundSerpenoid(
            lateral_amplitude=self.amplitude, lateral_spatial=self.spatial, frequency=self.frequency,
            lateral_offset=self.turn,
        )  # fmt: skip


@dataclass(frozen=True)
class Swimming(Slithering):
    """A wave in the level plane from head to tail, which pushes water back."""

    amplitude: Annotated[float, usual(0.1, 0.6)] = 0.35
    """of the lateral joints [rad]"""
    spatial: Annotated[float, usual(pi, 4.0 * pi)] = 2.0 * pi
    """phase along the whole body [rad]; negative: tail first"""
    frequency: Annotated[float, at_least(0.0, usual=(0.2, 1.5))] = 1.0
    """[Hz]"""


@dataclass(frozen=True)
class Sidewinding(ModularGait):
    """Two waves, level and upright, that lay the body down beside itself and carry it sideways."""

    lateral_amplitude: Annotated[float, usual(0.2, 0.8)] = 0.5
    """[rad]"""
    dorsal_amplitude: Annotated[float, usual(0.1, 0.5)] = 0.25
    """[rad]"""
    spatial: Annotated[float, usual(2.0 * pi, 4.0 * pi)] = 3.0 * pi
    """phase of both waves along the whole body [rad]"""
    frequency: Annotated[float, at_least(0.0, usual=(0.1, 1.0))] = 0.5
    """[Hz]"""
    phase_offset: Annotated[float, usual(-pi, pi)] = 0.75 * pi
    """delta, phase of the dorsal wave against the lateral one [rad]"""
    reversal: Annotated[float, usual(0.0, pi)] = 0.0
    """beta, added to delta [rad]; pi: to the other side"""
    phase: Annotated[float, usual(-pi, pi)] = 0.0
    """of both waves at the start [rad]"""
    taper: Annotated[float, between(-1.0, 1.0, usual=(-0.8, 0.8))] = 0.0
    """share of the amplitude lost at the thin end, which steers [-]; the tail's end, if negative the head's"""
    tapered: Literal["whole", "half"] = "whole"
    """whether the waves grow smaller along the whole body, or only from its middle to the thin end"""

    @property
    def start_phase(self) -> float:
        return self.phase

    def compound(self, robot: Robot) -> CompoundSerpenoid:
        return CompoundSerpenoid(
            self.lateral_amplitude, self.dorsal_amplitude, self.spatial, self.spatial, self.frequency,
            phase_offset=self.phase_offset + self.reversal,
        )  # fmt: skip

    def taper_at(self, place: NDArray) -> NDArray:
        way = place if self.taper >= 0.0 else 1.0 - place
        share = way if self.tapered == "whole" else np.maximum(2.0 * way - 1.0, 0.0)
        return 1.0 - abs(self.taper) * share


@dataclass(frozen=True)
class ConicalSidewinding(Sidewinding):
    """Sidewinding whose waves grow smaller towards one end, so that the snake goes round in a circle."""

    taper: Annotated[float, between(-1.0, 1.0, usual=(-0.8, 0.8))] = 0.6
    """share of the amplitude lost at the thin end, which steers [-]; the tail's end, if negative the head's"""


@dataclass(frozen=True)
class Rolling(ModularGait):
    """The body bent into an arc that rolls sideways, starting flat on the ground."""

    amplitude: Annotated[float, usual(0.1, 0.4)] = 0.25
    """of all joints [rad]"""
    frequency: Annotated[float, at_least(0.0, usual=(0.1, 1.0))] = 0.5
    """turns of the body about its own middle line per second [Hz]"""
    reversal: Annotated[float, usual(0.0, pi)] = 0.0
    """beta, added to the dorsal phase [rad]; pi: to the other side"""

    @property
    def start_phase(self) -> float:
        """A quarter of a turn: the lateral joints are bent most, and the arc lies flat."""
        return 0.5 * pi

    def compound(self, robot: Robot) -> CompoundSerpenoid:
        return CompoundSerpenoid(
            self.amplitude, self.amplitude, 0.0, 0.0, self.frequency, phase_offset=self.reversal - 0.5 * pi
        )  # fmt: skip
