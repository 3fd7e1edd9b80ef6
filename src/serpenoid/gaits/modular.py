"""Gaits of modular snakes by name: each the compound serpenoid with few parameters, on any robot with enough joints."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from math import pi
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import at_least, between, check_fields, usual
from serpenoid.errors import Unsupported, require
from serpenoid.gaits.arc import Backbone, arc_coordinates, body_positions
from serpenoid.gaits.base import Gait
from serpenoid.gaits.shapes import Plane, ShapeFunction, needs_planes, waves
from serpenoid.gaits.waves import SEA_WAVE, CompoundSerpenoid
from serpenoid.kernels.laws.shape_records import Waves
from serpenoid.kernels.records import Motion
from serpenoid.robots.base import Robot

LEAST_JOINTS = 3  # of one kind, below which there is no wave
# Waves along the whole SEA snake of 18 joints, 0 at its snout.
TWO_PI, FOUR_PI = ({name: k / 3.0 * value for name, value in SEA_WAVE.items()} for k in (2.0, 4.0))


class ModularGait(Gait):
    """A gait that is the compound serpenoid (3.1) of the SEA-snake thesis, times a taper along the body."""

    needs: ClassVar[tuple[bool, bool]] = (True, True)  # whether it bends lateral, and dorsal joints

    def __post_init__(self) -> None:
        check_fields(self)

    @abstractmethod
    def compound(self, robot: Robot) -> CompoundSerpenoid:
        """Return the two waves."""

    def taper_at(self, robot: Robot) -> NDArray:
        """Return the share of the amplitude that each joint keeps (joints,)."""
        return np.ones(robot.joints)

    def motion(self, robot: Robot) -> Motion:
        """Return (3.1), its amplitudes tapered."""
        check_joints(robot, type(self).__name__, self.needs)
        both = self.compound(robot).motion(robot)
        return both._replace(amplitude=self.taper_at(robot) * both.amplitude)


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
    spatial_frequency: Annotated[float, usual(-6.0 * pi, 6.0 * pi)] = -FOUR_PI["spatial_frequency"]
    """phase along the joints [rad]; negative: the wave runs from tail to head and carries the snake head first"""
    frequency: Annotated[float, at_least(0.0, usual=(0.1, 2.0))] = 0.5
    """[Hz]"""
    phase: Annotated[float, usual(-pi, pi)] = -FOUR_PI["phase"]
    """of the wave at the start [rad]"""
    offset: Annotated[float, usual(-0.15, 0.15)] = 0.0
    """mean angle of the lateral joints, which steers [rad]"""

    def compound(self, robot: Robot) -> CompoundSerpenoid:
        return CompoundSerpenoid(
            amplitude=0.0, dorsal_amplitude=self.amplitude, spatial_frequency=self.spatial_frequency,
            frequency=self.frequency, phase=self.phase, offset=self.offset,
        )  # fmt: skip


@dataclass(frozen=True)
class Slithering(ModularGait, ShapeFunction):
    """A wave in the level plane from head to tail, which pushes against what stands beside the snake."""

    needs: ClassVar[tuple[bool, bool]] = (True, False)
    units = {"amplitude": "rad", "spatial_frequency": "rad/body", "phase": "rad", "offset": "rad"}
    optional = ("offset",)

    amplitude: Annotated[float, usual(0.3, 1.3)] = pi / 4.0
    """of the lateral joints [rad]"""
    spatial_frequency: Annotated[float, usual(2.0 * pi, 4.0 * pi)] = SEA_WAVE["spatial_frequency"]
    """phase along the joints [rad]; negative: tail first; the default is 3 pi along the whole SEA snake"""
    frequency: Annotated[float, usual(0.1, 1.0)] = 1.8 / (2.0 * pi)
    """[Hz]; negative: the wave runs from tail to head"""
    phase: Annotated[float, usual(-pi, pi)] = SEA_WAVE["phase"]
    """of the wave at the start [rad]; the default is 0 at the snout of the SEA snake"""
    offset: Annotated[float, usual(-0.3, 0.3)] = 0.0
    """mean angle of the lateral joints, which steers [rad]"""

    def compound(self, robot: Robot) -> CompoundSerpenoid:
        return CompoundSerpenoid(
            self.amplitude, spatial_frequency=self.spatial_frequency, frequency=self.frequency, phase=self.phase,
            offset=self.offset,
        )  # fmt: skip

    def moved(self, backbone: Backbone) -> tuple[int, ...]:
        return backbone.lateral

    def record(self, backbone: Backbone, places: Mapping[str, int]) -> tuple[Waves, int, NDArray]:
        """Return A sin(integral of omega_S ds - Omega), (4.6) corrected."""
        plane = Plane(backbone.lateral, "amplitude", "spatial_frequency", offset="offset")
        return waves(backbone, places, (plane,))


@dataclass(frozen=True)
class Swimming(Slithering):
    """A wave in the level plane from head to tail, which pushes water back."""

    amplitude: Annotated[float, usual(0.1, 0.6)] = 0.35
    """of the lateral joints [rad]"""
    spatial_frequency: Annotated[float, usual(pi, 4.0 * pi)] = TWO_PI["spatial_frequency"]
    """phase along the joints [rad]; negative: tail first; the default is 2 pi along the whole SEA snake"""
    frequency: Annotated[float, usual(0.2, 1.5)] = 1.0
    """[Hz]; negative: the wave runs from tail to head"""
    phase: Annotated[float, usual(-pi, pi)] = TWO_PI["phase"]
    """of the wave at the start [rad]; the default is 0 at the snout of the SEA snake"""


@dataclass(frozen=True)
class Sidewinding(ModularGait, ShapeFunction):
    """Two waves, level and upright, that lay the body down beside itself and carry it sideways."""

    units = {
        "amplitude": "rad", "spatial_frequency": "rad/body", "phase": "rad", "dorsal_amplitude": "rad",
        "dorsal_spatial_frequency": "rad/body", "reversal": "rad", "front_taper": "", "rear_taper": "",
    }  # fmt: skip
    optional = ("reversal", "front_taper", "rear_taper")

    amplitude: Annotated[float, usual(0.2, 0.8)] = 0.5
    """of the lateral joints [rad]"""
    dorsal_amplitude: Annotated[float, usual(0.1, 0.5)] = 0.25
    """of the dorsal joints [rad]"""
    spatial_frequency: Annotated[float, usual(2.0 * pi, 4.0 * pi)] = SEA_WAVE["spatial_frequency"]
    """phase of both waves along the joints [rad]; the default is 3 pi along the whole SEA snake"""
    frequency: Annotated[float, usual(0.1, 1.0)] = 0.5
    """[Hz]; negative: the waves run from tail to head"""
    phase: Annotated[float, usual(-pi, pi)] = SEA_WAVE["phase"]
    """of both waves at the start [rad]; the default is 0 at the snout of the SEA snake"""
    phase_offset: Annotated[float, usual(-pi, pi)] = 0.75 * pi
    """delta, phase of the dorsal wave against the lateral one [rad]"""
    reversal: Annotated[float, usual(0.0, pi)] = 0.0
    """beta, added to delta [rad]; pi: to the other side"""
    taper: Annotated[float, between(-1.0, 1.0, usual=(-0.8, 0.8))] = 0.0
    """share of the amplitude lost at the thin end, which steers [-]; the tail's end, if negative the head's"""
    tapered: Literal["whole", "half"] = "whole"
    """whether the waves grow smaller from one end of the body to the other, or from the middle joint to the last (the
    first) one"""

    def nominal(self, name: str) -> float:
        """Return a parameter: the dorsal wave is as long as the lateral one, and tapers are those of one half."""
        if name == "dorsal_spatial_frequency":
            return float(self.spatial_frequency)
        ends = {"front_taper": -self.taper, "rear_taper": self.taper}
        return max(0.0, ends[name]) if name in ends else super().nominal(name)

    def compound(self, robot: Robot) -> CompoundSerpenoid:
        return CompoundSerpenoid(
            self.amplitude, self.dorsal_amplitude, self.spatial_frequency, frequency=self.frequency, phase=self.phase,
            phase_offset=self.phase_offset + self.reversal,
        )  # fmt: skip

    def taper_at(self, robot: Robot) -> NDArray:
        if self.tapered == "half":
            s = arc_coordinates(robot)
            return 1.0 - np.maximum(self.taper * (2.0 * s / s.max() - 1.0), 0.0)
        place = body_positions(robot) / robot.length
        return 1.0 - abs(self.taper) * (place if self.taper >= 0.0 else 1.0 - place)

    def moved(self, backbone: Backbone) -> tuple[int, ...]:
        needs_planes(self, backbone)
        return (*backbone.lateral, *backbone.dorsal)

    def record(self, backbone: Backbone, places: Mapping[str, int]) -> tuple[Waves, int, NDArray]:
        """Return a lateral wave and a dorsal one, delta + beta ahead of it: (4.20) with (4.26)."""
        lateral = Plane(backbone.lateral, "amplitude", "spatial_frequency")
        dorsal = Plane(
            backbone.dorsal, "dorsal_amplitude", "dorsal_spatial_frequency", lead=self.phase_offset, turn="reversal"
        )
        return waves(backbone, places, (lateral, dorsal))

    def check(self) -> None:
        straight = self.taper == 0.0 or self.tapered == "half"
        require(straight, "gait.tapered", self.tapered, "half: a shape law tapers one half of the body")


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
    phase: Annotated[float, usual(-pi, pi)] = -0.5 * pi
    """at the start [rad]; at -pi/2 the lateral joints are bent most, and the arc lies flat"""
    reversal: Annotated[float, usual(0.0, pi)] = 0.0
    """beta, added to the dorsal phase [rad]; pi: to the other side"""

    def compound(self, robot: Robot) -> CompoundSerpenoid:
        return CompoundSerpenoid(
            self.amplitude, self.amplitude, 0.0, 0.0, self.frequency, phase=self.phase,
            phase_offset=self.reversal - 0.5 * pi,
        )  # fmt: skip
