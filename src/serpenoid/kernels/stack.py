"""Arrays on the stack: the compiler knows that they do not overlap, so it can vectorise loops over them."""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from serpenoid.kernels import interpreted
from serpenoid.kernels.arrays import build_array, read_array
from serpenoid.kernels.interpreted import intrinsic_or
from serpenoid.kernels.simd import WIDE_VECTOR, Vector


@intrinsic_or(np.empty)
def stack_array(typing_context, size):
    """Return an uninitialised array (size,) of float64 that lives until the calling function returns.

    Call it in the kernel that uses the array, never in a helper: the memory is invalid after the helper returns.
    """

    def generate(context, builder, signature, arguments):
        data = builder.alloca(ir.DoubleType(), size=arguments[0])
        data.align = 64
        return build_array(context, builder, signature.return_type, data, [arguments[0]])

    return types.Array(types.float64, 1, "C")(types.intp), generate


@intrinsic
def stack_vectors(typing_context, shape):
    """Return an uninitialised array of wide vectors with the shape of a tuple; it lives as long as a `stack_array`."""

    def generate(context, builder, signature, arguments):
        lengths, count = cgutils.unpack_tuple(builder, arguments[0]), context.get_constant(types.intp, 1)
        for length in lengths:
            count = builder.mul(count, length)
        data = builder.alloca(WIDE_VECTOR.register, size=count)
        return build_array(context, builder, signature.return_type, data, lengths)

    return types.Array(WIDE_VECTOR, len(shape), "C")(types.UniTuple(types.intp, len(shape))), generate


@intrinsic_or(interpreted.slots)
def slots(typing_context, array):
    """Return the floats of an array of vectors, with slots as the last axis (of length one for an array of floats)."""
    width = array.dtype.width if isinstance(array.dtype, Vector) else 1

    def generate(context, builder, signature, arguments):
        source = read_array(context, builder, array, arguments[0])
        shape = [*cgutils.unpack_tuple(builder, source.shape), context.get_constant(types.intp, width)]
        data = builder.bitcast(source.data, ir.DoubleType().as_pointer())
        return build_array(context, builder, signature.return_type, data, shape)

    return types.Array(types.float64, array.ndim + 1, "C")(array), generate


@intrinsic_or(interpreted.elements)
def elements(typing_context, array):
    """Return the bare memory of an array of float64, without length and without negative indices."""

    def generate(context, builder, signature, arguments):
        return read_array(context, builder, signature.args[0], arguments[0]).data

    return types.CPointer(types.float64)(array), generate


@intrinsic_or(interpreted.address)
def address(typing_context, whole):
    """Return the start address of bare memory."""

    def generate(context, builder, signature, arguments):
        return builder.ptrtoint(arguments[0], ir.IntType(64))

    return types.int64(whole), generate
