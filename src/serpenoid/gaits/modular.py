"""Named gaits of modular snakes: compound serpenoids with few parameters, for any robot with enough joints."""

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

LEAST_JOINTS = 3  # of one kind; a wave needs at least these
# Waves along the whole SEA snake of 18 joints, with phase 0 at its snout.
TWO_PI, FOUR_PI = ({name: k / 3.0 * value for name, value in SEA_WAVE.items()} for k in (2.0, 4.0))


class ModularGait(Gait):
    """Gait given by the compound serpenoid (3.1) of the SEA-snake thesis, multiplied by a taper along the body."""

    needs: ClassVar[tuple[bool, bool]] = (True, True)  # whether it bends lateral joints, and dorsal joints

    def __post_init__(self) -> None:
        check_fields(self)

    @abstractmethod
    def compound(self, robot: Robot) -> CompoundSerpenoid:
        """Return the two waves."""

    def taper_at(self, robot: Robot) -> NDArray:
        """Return the amplitude factor of each joint (joints,)."""
        return np.ones(robot.joints)

    def motion(self, robot: Robot) -> Motion:
        """Return (3.1) with tapered amplitudes."""
        check_joints(robot, type(self).__name__, self.needs)
        both = self.compound(robot).motion(robot)
        return both._replace(amplitude=self.taper_at(robot) * both.amplitude)


def check_joints(robot: Robot, name: str, needs: tuple[bool, bool]) -> None:
    """Raise if a robot has too few joints of a kind that a gait bends."""
    for kind, joints, needed in zip(("lateral", "dorsal"), (robot.yaw_joints, robot.pitch_joints), needs):
        found = len(joints)
        if needed and found < LEAST_JOINTS:
            raise Unsupported(f"{name} needs at least {LEAST_JOINTS} {kind} joints: {robot.called} has {found}")


@dataclass(frozen=True)
class LinearProgression(ModularGait):
    """Dorsal wave from tail to head, which moves the snake straight ahead like an inchworm."""

    needs: ClassVar[tuple[bool, bool]] = (False, True)

    amplitude: Annotated[float, usual(0.2, 0.8)] = 0.5
    """amplitude of the dorsal joints [rad]"""
    spatial_frequency: Annotated[float, usual(-6.0 * pi, 6.0 * pi)] = -FOUR_PI["spatial_frequency"]
    """phase along the joints [rad]; negative: the wave runs from tail to head and moves the snake head first"""
    frequency: Annotated[float, at_least(0.0, usual=(0.1, 2.0))] = 0.5
    """[Hz]"""
    phase: Annotated[float, usual(-pi, pi)] = -FOUR_PI["phase"]
    """initial phase of the wave [rad]"""
    offset: Annotated[float, usual(-0.15, 0.15)] = 0.0
    """mean angle of the lateral joints, for steering [rad]"""

    def compound(self, robot: Robot) -> CompoundSerpenoid:
        return CompoundSerpenoid(
            amplitude=0.0, dorsal_amplitude=self.amplitude, spatial_frequency=self.spatial_frequency,
            frequency=self.frequency, phase=self.phase, offset=self.offset,
        )  # fmt: skip


@dataclass(frozen=True)
class Slithering(ModularGait, ShapeFunction):
    """Lateral wave from head to tail, which pushes against obstacles beside the snake."""

    needs: ClassVar[tuple[bool, bool]] = (True, False)
    units = {"amplitude": "rad", "spatial_frequency": "rad/body", "phase": "rad", "offset": "rad"}
    optional = ("offset",)

    amplitude: Annotated[float, usual(0.3, 1.3)] = pi / 4.0
    """amplitude of the lateral joints [rad]"""
    spatial_frequency: Annotated[float, usual(2.0 * pi, 4.0 * pi)] = SEA_WAVE["spatial_frequency"]
    """phase along the joints [rad]; negative: tail first; the default is 3 pi along the whole SEA snake"""
    frequency: Annotated[float, usual(0.1, 1.0)] = 1.8 / (2.0 * pi)
    """[Hz]; negative: the wave runs from tail to head"""
    phase: Annotated[float, usual(-pi, pi)] = SEA_WAVE["phase"]
    """initial phase of the wave [rad]; the default is 0 at the snout of the SEA snake"""
    offset: Annotated[float, usual(-0.3, 0.3)] = 0.0
    """mean angle of the lateral joints, for steering [rad]"""

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
    """Lateral wave from head to tail, which pushes water backwards."""

    amplitude: Annotated[float, usual(0.1, 0.6)] = 0.35
    """amplitude of the lateral joints [rad]"""
    spatial_frequency: Annotated[float, usual(pi, 4.0 * pi)] = TWO_PI["spatial_frequency"]
    """phase along the joints [rad]; negative: tail first; the default is 2 pi along the whole SEA snake"""
    frequency: Annotated[float, usual(0.2, 1.5)] = 1.0
    """[Hz]; negative: the wave runs from tail to head"""
    phase: Annotated[float, usual(-pi, pi)] = TWO_PI["phase"]
    """initial phase of the wave [rad]; the default is 0 at the snout of the SEA snake"""


@dataclass(frozen=True)
class Sidewinding(ModularGait, ShapeFunction):
    """Lateral and dorsal waves that lift the body and set it down beside itself, moving it sideways."""

    units = {
        "amplitude": "rad", "spatial_frequency": "rad/body", "phase": "rad", "dorsal_amplitude": "rad",
        "dorsal_spatial_frequency": "rad/body", "reversal": "rad", "front_taper": "", "rear_taper": "",
    }  # fmt: skip
    optional = ("reversal", "front_taper", "rear_taper")

    amplitude: Annotated[float, usual(0.2, 0.8)] = 0.5
    """amplitude of the lateral joints [rad]"""
    dorsal_amplitude: Annotated[float, usual(0.1, 0.5)] = 0.25
    """amplitude of the dorsal joints [rad]"""
    spatial_frequency: Annotated[float, usual(2.0 * pi, 4.0 * pi)] = SEA_WAVE["spatial_frequency"]
    """phase of both waves along the joints [rad]; the default is 3 pi along the whole SEA snake"""
    frequency: Annotated[float, usual(0.1, 1.0)] = 0.5
    """[Hz]; negative: the waves run from tail to head"""
    phase: Annotated[float, usual(-pi, pi)] = SEA_WAVE["phase"]
    """initial phase of both waves [rad]; the default is 0 at the snout of the SEA snake"""
    phase_offset: Annotated[float, usual(-pi, pi)] = 0.75 * pi
    """delta, phase of the dorsal wave relative to the lateral one [rad]"""
    reversal: Annotated[float, usual(0.0, pi)] = 0.0
    """beta, added to delta [rad]; pi: motion to the other side"""
    taper: Annotated[float, between(-1.0, 1.0, usual=(-0.8, 0.8))] = 0.0
    """fraction of the amplitude lost at the tail tip, for steering [-]; negative: at the snout"""
    tapered: Literal["whole", "half"] = "whole"
    """range of the taper: from one end of the body to the other, or from the middle joint to the last (first) one"""

    def nominal(self, name: str) -> float:
        """Return a parameter; the dorsal wavelength equals the lateral one, and each taper acts on one half of the
        body.
        """
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
        """Return a lateral wave, and a dorsal wave that leads it by delta + beta: (4.20) with (4.26)."""
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
    """Sidewinding with waves that become smaller towards one end, so that the snake moves in a circle."""

    taper: Annotated[float, between(-1.0, 1.0, usual=(-0.8, 0.8))] = 0.6
    """fraction of the amplitude lost at the tail tip, for steering [-]; negative: at the snout"""


@dataclass(frozen=True)
class Rolling(ModularGait):
    """Body bent into an arc that rolls sideways, starting flat on the ground."""

    amplitude: Annotated[float, usual(0.1, 0.4)] = 0.25
    """amplitude of all joints [rad]"""
    frequency: Annotated[float, at_least(0.0, usual=(0.1, 1.0))] = 0.5
    """rotations of the body about its own centre line per second [Hz]"""
    phase: Annotated[float, usual(-pi, pi)] = -0.5 * pi
    """initial phase [rad]; at -pi/2 the lateral joints have their largest angles, and the arc is flat on the ground"""
    reversal: Annotated[float, usual(0.0, pi)] = 0.0
    """beta, added to the dorsal phase [rad]; pi: motion to the other side"""

    def compound(self, robot: Robot) -> CompoundSerpenoid:
        return CompoundSerpenoid(
            self.amplitude, self.amplitude, 0.0, 0.0, self.frequency, phase=self.phase,
            phase_offset=self.reversal - 0.5 * pi,
        )  # fmt: skip
