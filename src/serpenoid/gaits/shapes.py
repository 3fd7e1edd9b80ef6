"""Shape functions: joint angles from a few named parameters along the body, which a shape law may adapt."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import Part
from serpenoid.errors import Unsupported, finite, require
from serpenoid.gaits.arc import Backbone
from serpenoid.kernels.laws.shape_records import Waves
from serpenoid.support.kernel_inputs import numbers, places

POINTERS = (
    "amplitude",
    "wave",
    "clock",
    "turn",
    "offset",
    "front_taper",
    "rear_taper",
)  # indices of parameters


class ShapeFunction(Part, ABC):
    """Joint angles as a function of named parameters, with their derivatives: a gait or a user's own formula.

    The fields of the same names hold the nominal parameter values. The phase advances at 2 pi `frequency`.
    """

    frequency: float = 0.0  # [Hz]
    units: ClassVar[Mapping[str, str]] = {}  # unit of each parameter, by name
    optional: ClassVar[tuple[str, ...]] = ()  # parameters omitted if they are 0 and not compliant
    metres: ClassVar[bool] = False  # whether lengths along the body are in metres instead of arc coordinates

    def nominal(self, name: str) -> float:
        """Return the nominal initial value of a parameter."""
        return float(getattr(self, name))

    @abstractmethod
    def moved(self, backbone: Backbone) -> tuple[int, ...]:
        """Return the joints that it moves; other joints along the body stay at zero."""

    @abstractmethod
    def record(self, backbone: Backbone, places: Mapping[str, int]) -> tuple[Waves, int, NDArray]:
        """Return the record for compiled code: waves, or the address of another function and its numbers.

        `places` gives the index of each parameter present.
        """

    def check(self) -> None:  # noqa: B027
        """Raise if a shape law cannot use this function, e.g. because its derivatives do not match its angles."""


class Plane(NamedTuple):
    """Wave in one plane, given by the names of its parameters; an empty name means absent."""

    joints: tuple[int, ...]
    amplitude: str
    wave: str
    clock: str = "phase"
    scale: float = 1.0
    lead: float = 0.0  # [rad]
    turn: str = ""
    offset: str = ""


def waves(backbone: Backbone, places: Mapping[str, int], planes: tuple[Plane, ...]) -> tuple[Waves, int, NDArray]:
    """Return the record of waves in the given planes; tapers, if present, act on all of them."""
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
    """Return the record of a shape function on a backbone; raise if it refers to missing joints or parameters."""
    field, joints = f"{type(basis).__name__}.record()", backbone.place.size
    found = basis.record(backbone, given)
    good = isinstance(found, tuple) and len(found) == 3 and isinstance(found[0], Waves) and isinstance(found[1], int)
    require(good, field, found, "Waves, the address of a function or 0, and its numbers, as waves() returns them")
    shape, address, values = found
    rows = len(shape.amplitude)
    pointers = {name: places(f"{field}.{name}", getattr(shape, name), (rows,), -1, len(given)) for name in POINTERS}
    pointers["row"] = places(f"{field}.row", shape.row, (joints,), 0, max(rows, 1))
    constants = {name: numbers(f"{field}.{name}", getattr(shape, name), (rows,)) for name in ("scale", "lead")}
    middle = finite(f"{field}.middle", shape.middle)
    return Waves(**{**shape._asdict(), **pointers, **constants, "middle": middle}), address, numbers(field, values)


def needs_planes(shape: ShapeFunction, backbone: Backbone) -> None:
    """Raise if a robot bends in one plane only."""
    if not (backbone.lateral and backbone.dorsal):
        raise Unsupported(f"{type(shape).__name__} needs a robot with lateral and dorsal joints")
