"""Arrays on the stack: the compiler knows that they do not overlap, so loops over them become vector instructions."""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types

from serpenoid.kernels import interpreted
from serpenoid.kernels.arrays import build_array, read_array
from serpenoid.kernels.interpreted import intrinsic_or


@intrinsic_or(np.empty)
def stack_array(typing_context, size):
    """An uninitialised array (size,) of float64 that lives until the function that calls this returns.

    Call it in the kernel that uses the array, never in a helper: what a helper put there is gone when it returns.
    """

    def generate(context, builder, signature, arguments):
        data = builder.alloca(ir.DoubleType(), size=arguments[0])
        data.align = 64
        stride = context.get_constant(types.intp, 8)
        return build_array(context, builder, signature.return_type, data, [arguments[0]], [stride])

    return types.Array(types.float64, 1, "C")(types.intp), generate


@intrinsic_or(np.empty)
def memory(typing_context, size):
    """As `stack_array`, but bare memory: no length, and no index that counts from the end."""

    def generate(context, builder, signature, arguments):
        data = builder.alloca(ir.DoubleType(), size=arguments[0])
        data.align = 64
        return data

    return types.CPointer(types.float64)(types.intp), generate


@intrinsic_or(interpreted.part)
def part(typing_context, whole, start):
    """The memory from an element on.

    In a loop `part(m, k)[lane]` plainly is one element after the other, which vector instructions can read.
    """

    def generate(context, builder, signature, arguments):
        return builder.gep(arguments[0], [arguments[1]], inbounds=True)

    return types.CPointer(types.float64)(types.CPointer(types.float64), types.intp), generate


@intrinsic_or(interpreted.elements)
def elements(typing_context, array):
    """The bare memory of an array of float64, as `memory`."""

    def generate(context, builder, signature, arguments):
        return read_array(context, builder, signature.args[0], arguments[0]).data

    return types.CPointer(types.float64)(array), generate


@intrinsic_or(interpreted.address)
def address(typing_context, whole):
    """Where bare memory begins, as a number."""

    def generate(context, builder, signature, arguments):
        return builder.ptrtoint(arguments[0], ir.IntType(64))

    return types.int64(whole), generate
