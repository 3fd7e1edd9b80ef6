"""Views of flat arrays as vectors of four numbers: one loop processes four neighbours by vector instructions."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from serpenoid.kernels import interpreted
from serpenoid.kernels.arrays import build_array, read_array
from serpenoid.kernels.interpreted import intrinsic_or
from serpenoid.kernels.simd import REGISTER, VECTOR, WIDTH


def packed_type(kind: Any) -> Any:
    """Return the type of a record whose float arrays are viewed as vectors of four numbers."""
    if isinstance(kind, types.Array) and kind.dtype is types.float64:
        return types.Array(VECTOR, 1, "C", aligned=False)
    return types.BaseTuple.from_types([packed_type(part) for part in kind], kind.instance_class)


def pack(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return a record of flat arrays as a record of arrays of vectors over the same memory."""
    if isinstance(kind, types.BaseTuple):
        parts = [pack(context, builder, part, builder.extract_value(value, i)) for i, part in enumerate(kind)]
        return context.make_tuple(builder, packed_type(kind), parts)
    source = read_array(context, builder, kind, value)
    count = builder.udiv(builder.extract_value(source.shape, 0), context.get_constant(types.intp, WIDTH))
    data = builder.bitcast(source.data, REGISTER.as_pointer())
    return build_array(context, builder, packed_type(kind), data, [count])


@intrinsic_or(interpreted.view_packed)
def view_packed(typing_context, record):
    """View a record of flat float arrays (4 count,) as arrays of vectors (count,)."""

    def generate(context, builder, sig, args):
        return pack(context, builder, sig.args[0], args[0])

    return packed_type(record)(record), generate


def make_reduction(join: Any, python: Any) -> Any:
    """Return a function that reduces the four numbers of a vector with a rule that joins two of them."""

    def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        slots = [builder.extract_element(args[0], ir.Constant(ir.IntType(32), slot)) for slot in range(WIDTH)]
        return join(builder, join(builder, slots[0], slots[1]), join(builder, slots[2], slots[3]))

    return intrinsic_or(python)(lambda typing_context, vector: (types.float64(VECTOR), build))


largest = make_reduction(lambda builder, a, b: builder.select(builder.fcmp_ordered(">", a, b), a, b), np.max)
summed = make_reduction(lambda builder, a, b: builder.fadd(a, b), np.sum)
