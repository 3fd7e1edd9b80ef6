"""User-defined shape functions: a small dataclass whose formulas are compiled and work with all controllers."""

from __future__ import annotations

import dataclasses
import re
from collections import namedtuple
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue, finite, require
from serpenoid.gaits.arc import Backbone
from serpenoid.gaits.shapes import ShapeFunction, waves
from serpenoid.kernels.compile import FASTMATH
from serpenoid.kernels.laws.shape_records import Waves

POINTER = types.CPointer(types.float64)
SIGNATURE = types.float64(POINTER, types.float64, types.int64, POINTER, POINTER, POINTER, POINTER)
STEP, TOLERANCE = 1e-5, 1e-6  # step and tolerance of the finite differences that check slopes
WRAPPER = """
def shape(numbers, s, lateral, value, integral, by_value, by_integral):
    fields = carray(numbers, ({numbers},))
    own = Record({fields})
    at, along = carray(value, ({count},)), carray(integral, ({count},))
    slopes(own, s, lateral, at, along, carray(by_value, ({count},)), carray(by_integral, ({count},)))
    return angle(own, s, lateral, at, along)
"""


class OwnShape(ShapeFunction):
    """Base class of a user's shape function: a frozen dataclass with numeric fields and two methods.

    Each parameter in `units` is also a field that holds its nominal value. Both methods are compiled. `self` gives
    the fields, `s` is the arc coordinate of a joint, and `lateral` is 1 or 0 by its plane. `value` and `integral` are
    the parameters at s and integrated from s = 0, in the order of `units`.

        @dataclass(frozen=True)
        class Arc(OwnShape):
            units = {"bend": "rad"}
            bend: float = 0.2
            growth: float = 1.0

            def angle(self, s, lateral, value, integral):
                return value[0] * (1.0 + self.growth * s) * lateral

            def slopes(self, s, lateral, value, integral, by_value, by_integral):
                by_value[0] = (1.0 + self.growth * s) * lateral
    """

    planes: ClassVar[tuple[str, ...]] = ("lateral", "dorsal")  # planes of the joints that it moves

    def moved(self, backbone: Backbone) -> tuple[int, ...]:
        return tuple(joint for plane in self.planes for joint in getattr(backbone, plane))

    def record(self, backbone: Backbone, places: Mapping[str, int]) -> tuple[Waves, int, NDArray]:
        empty, _, _ = waves(backbone, {}, ())
        return empty, compiled(type(self)).address, self.numbers()

    def numbers(self) -> NDArray:
        """Return the fields as an array for compiled code; a single zero without fields."""
        named = dataclasses.fields(self)  # type: ignore[arg-type]
        return np.array([finite(field.name, getattr(self, field.name)) for field in named] or [0.0])

    def check(self) -> None:
        """Check units and planes, and compare slopes with central differences at random points."""
        name = type(self).__name__
        require(len(self.units) > 0, f"{name}.units", dict(self.units), "a unit for each parameter, by its name")
        for parameter in self.units:
            require(hasattr(self, parameter), f"{name}.{parameter}", None, "a field: the parameter's nominal value")
        known = isinstance(self.planes, tuple) and set(self.planes) <= {"lateral", "dorsal"} and len(self.planes) > 0
        require(known, f"{name}.planes", self.planes, "a tuple of lateral and dorsal, or of one of them")
        rng, count = np.random.default_rng(0), len(self.units)
        for _ in range(20):
            s, lateral = rng.uniform(0.0, 1.0), int(rng.integers(2))
            here = rng.standard_normal((2, count))  # value, integral
            slopes = np.zeros((2, count))
            self.formula("slopes", s, lateral, *here, *slopes)
            for place in np.ndindex(2, count):
                sides = []
                for way in (STEP, -STEP):
                    there = here.copy()
                    there[place] += way
                    sides.append(self.formula("angle", s, lateral, *there))
                found = (sides[0] - sides[1]) / (2.0 * STEP)
                if not abs(slopes[place] - found) <= TOLERANCE * (1.0 + abs(found)):
                    kind, name = ("value", "integral")[place[0]], list(self.units)[place[1]]
                    allowed = f"the slope of angle(), {found:.6g} at s = {s:.3g}"
                    raise InvalidValue(f"{type(self).__name__}.slopes by {kind} {name}", float(slopes[place]), allowed)

    def formula(self, name: str, *arguments: Any) -> float:
        """Evaluate one of the two formulas; 0 for slopes, which return nothing. Any exception becomes one line."""
        try:
            found = getattr(self, name)(*arguments)
            return float(found) if name == "angle" else 0.0
        except Exception as error:  # a user's formula may raise anything
            more = ", by_value, by_integral" if name == "slopes" else ""
            allowed = f"a shape function with {name}(s, lateral, value, integral{more}) ({in_a_line(error)})"
            raise InvalidValue("gait", type(self).__name__, allowed) from None


def in_a_line(error: Exception) -> str:
    """Return the type of an error and the first line of its message, without numba's headings and colours."""
    message = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()
    lines = [line.strip() for line in message if line.strip() and not line.startswith("Failed in ")]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"


@cache
def compiled(cls: type[OwnShape]) -> Any:
    """Return the compiled C function of a class's formulas, cached permanently because records keep its address."""
    try:
        return compile_formulas(cls)
    except Exception as error:  # raised by numba, or by names that it rejects
        allowed = f"a shape function whose formulas numba can compile ({in_a_line(error)})"
        raise InvalidValue("gait", cls.__name__, allowed) from None


def compile_formulas(cls: type[OwnShape]) -> Any:
    """Compile a class's formulas into a C function."""
    names = [field.name for field in dataclasses.fields(cls)]  # type: ignore[arg-type]
    # Bounds checks on: an index beyond `value` must raise an error, not read other memory.
    options: dict[str, Any] = {"fastmath": set(FASTMATH), "error_model": "numpy", "boundscheck": True}
    own: Any = cls
    scope = {
        "carray": numba.carray, "Record": namedtuple(cls.__name__, names),  # type: ignore[misc]
        "angle": numba.njit(**options)(own.angle), "slopes": numba.njit(**options)(own.slopes),
    }  # fmt: skip
    fields = ", ".join(f"fields[{i}]" for i in range(len(names)))
    exec(WRAPPER.format(numbers=max(1, len(names)), fields=fields, count=len(cls.units)), scope)
    return numba.cfunc(SIGNATURE, **options)(scope["shape"])
