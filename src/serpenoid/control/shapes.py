"""Shape functions: joint angles from a few shape parameters along the body."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from math import pi
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, check_fields, usual
from serpenoid.errors import Unsupported, finite, require
from serpenoid.kernels.laws.shape_records import Waves
from serpenoid.robots.base import Robot
from serpenoid.support.kernel_inputs import numbers, places

POINTERS = ("amplitude", "wave", "clock", "turn", "offset", "front_taper", "rear_taper")  # of Waves, to parameters


class Backbone(NamedTuple):
    """A robot's joints along its body."""

    place: NDArray  # (joints,) distance from the first joint, in the shape function's unit; NaN off the body
    spacing: float  # mean distance of neighbours, in that unit
    unit: float  # one of these units [m]
    first: float  # of the first joint, from the snout [m]
    lateral: tuple[int, ...]
    dorsal: tuple[int, ...]


class ShapeFunction(ABC):
    """A formula for joint angles with named parameters, and its slopes by them."""

    units: ClassVar[Mapping[str, str]] = {}  # unit of each parameter, by name
    optional: ClassVar[tuple[str, ...]] = ()  # parameters that may be left out
    metres: ClassVar[bool] = False  # whether lengths along the body are metres; else body lengths, joints x spacing

    @abstractmethod
    def moved(self, backbone: Backbone) -> tuple[int, ...]:
        """The joints that it moves; others along the body are held at zero."""

    @abstractmethod
    def record(self, backbone: Backbone, places: Mapping[str, int]) -> tuple[Waves, int, NDArray]:
        """What compiled code takes: waves, or the address of another function and its numbers.

        places: the number of each parameter that is given.
        """

    def check(self) -> None:  # noqa: B027
        """Refuse a function whose slopes are not those of its angles."""


class Plane(NamedTuple):
    """A wave in one plane, its parameters by name; empty where there is none."""

    joints: tuple[int, ...]
    amplitude: str
    wave: str
    clock: str = "phase"
    scale: float = 1.0
    lead: float = 0.0  # [rad]
    turn: str = ""
    offset: str = ""


def waves(backbone: Backbone, places: Mapping[str, int], planes: tuple[Plane, ...]) -> tuple[Waves, int, NDArray]:
    """The record of waves in some planes; tapers act on all of them where they are given."""
    row = np.zeros(backbone.place.size, dtype=np.int64)
    for number, plane in enumerate(planes):
        row[list(plane.joints)] = number

    def of(names: list[str]) -> NDArray:
        return np.array([places.get(name, -1) for name in names], dtype=np.int64)

    front, rear = (of([name] * len(planes)) for name in ("front_taper", "rear_taper"))
    record = Waves(
        row, of([p.amplitude for p in planes]), np.array([float(p.scale) for p in planes]),
        of([p.wave for p in planes]), of([p.clock for p in planes]), np.array([float(p.lead) for p in planes]),
        of([p.turn for p in planes]), of([p.offset for p in planes]), front, rear,
        0.5 * float(np.nanmax(backbone.place)),
    )  # fmt: skip
    return record, 0, np.zeros(1)


def shape_record(basis: ShapeFunction, backbone: Backbone, given: Mapping[str, int]) -> tuple[Waves, int, NDArray]:
    """The record of a shape function on a backbone; refused where it points beyond the joints or the parameters."""
    field, joints = f"{type(basis).__name__}.record()", backbone.place.size
    found = basis.record(backbone, given)
    good = isinstance(found, tuple) and len(found) == 3 and isinstance(found[0], Waves) and isinstance(found[1], int)
    require(good, field, found, "Waves, the address of a function or 0, and its numbers, as waves() makes them")
    shape, address, values = found
    rows = len(shape.amplitude)
    pointers = {name: places(f"{field}.{name}", getattr(shape, name), (rows,), -1, len(given)) for name in POINTERS}
    pointers["row"] = places(f"{field}.row", shape.row, (joints,), 0, max(rows, 1))
    constants = {name: numbers(f"{field}.{name}", getattr(shape, name), (rows,)) for name in ("scale", "lead")}
    middle = finite(f"{field}.middle", shape.middle)
    return Waves(**{**shape._asdict(), **pointers, **constants, "middle": middle}), address, numbers(field, values)


def needs_planes(shape: ShapeFunction, backbone: Backbone) -> None:
    """Refuse a robot that bends in one plane alone."""
    if not (backbone.lateral and backbone.dorsal):
        raise Unsupported(f"{type(shape).__name__} needs a robot with lateral and dorsal joints")


@dataclass(frozen=True)
class LateralWave(ShapeFunction):
    """The serpenoid wave of slithering on lateral joints: A sin(integral of omega_S ds - Omega), (4.6) corrected."""

    units = {"amplitude": "rad", "spatial_frequency": "rad/body", "phase": "rad", "offset": "rad"}
    optional = ("offset",)

    def moved(self, backbone: Backbone) -> tuple[int, ...]:
        return backbone.lateral

    def record(self, backbone: Backbone, places: Mapping[str, int]) -> tuple[Waves, int, NDArray]:
        plane = Plane(backbone.lateral, "amplitude", "spatial_frequency", offset="offset")
        return waves(backbone, places, (plane,))


@dataclass(frozen=True)
class RollingHelix(ShapeFunction):
    """The rolling helix: (R / k) cos(integral of R ds - Omega) lateral, sin dorsal, (4.17); R grows as it tightens."""

    units = {"winding": "rad/m", "phase": "rad"}
    metres = True

    ratio: Annotated[float, above(0.0, usual=(0.5, 3.0))] = 1.0
    """k = omega_S / A, spatial frequency by amplitude [1/m]"""

    def __post_init__(self) -> None:
        check_fields(self)

    def moved(self, backbone: Backbone) -> tuple[int, ...]:
        needs_planes(self, backbone)
        return (*backbone.lateral, *backbone.dorsal)

    def record(self, backbone: Backbone, places: Mapping[str, int]) -> tuple[Waves, int, NDArray]:
        lateral = Plane(backbone.lateral, "winding", "winding", scale=1.0 / self.ratio, lead=0.5 * pi)
        return waves(backbone, places, (lateral, lateral._replace(joints=backbone.dorsal, lead=0.0)))


@dataclass(frozen=True)
class CrossedWaves(ShapeFunction):
    """Sidewinding: a lateral wave and a dorsal one, delta + beta ahead of it, (4.20) with (4.26)."""

    units = {
        "amplitude": "rad", "spatial_frequency": "rad/body", "phase": "rad", "dorsal_amplitude": "rad",
        "dorsal_spatial_frequency": "rad/body", "reversal": "rad", "front_taper": "", "rear_taper": "",
    }  # fmt: skip
    optional = ("reversal", "front_taper", "rear_taper")

    phase_offset: Annotated[float, usual(-pi, pi)] = 0.75 * pi
    """delta, phase of the dorsal wave against the lateral one [rad]; the parameter reversal, beta, adds to it"""

    def __post_init__(self) -> None:
        check_fields(self)

    def moved(self, backbone: Backbone) -> tuple[int, ...]:
        needs_planes(self, backbone)
        return (*backbone.lateral, *backbone.dorsal)

    def record(self, backbone: Backbone, places: Mapping[str, int]) -> tuple[Waves, int, NDArray]:
        lateral = Plane(backbone.lateral, "amplitude", "spatial_frequency")
        dorsal = Plane(
            backbone.dorsal, "dorsal_amplitude", "dorsal_spatial_frequency", lead=self.phase_offset, turn="reversal"
        )
        return waves(backbone, places, (lateral, dorsal))


def backbone_of(robot: Robot, metres: bool) -> Backbone:
    """The joints of a robot along its body."""
    if robot.arc_positions is None:
        raise Unsupported(f"{robot.called} has no arc positions along a body: it has no shape to control")
    arc = np.asarray(robot.arc_positions, dtype=float)
    known = np.sort(arc[np.isfinite(arc)])
    if known.size < 2:
        raise Unsupported(f"{robot.called} has {known.size} joints along its body: a shape takes at least 2")
    spacing = float(known[-1] - known[0]) / (known.size - 1)
    unit = 1.0 if metres else spacing * known.size
    lateral, dorsal = tuple(robot.yaw_joints), tuple(robot.pitch_joints)
    return Backbone((arc - known[0]) / unit, spacing / unit, unit, float(known[0]), lateral, dorsal)
