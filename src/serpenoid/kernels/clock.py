"""Monotonic clock inside compiled code, for deadlines."""

from __future__ import annotations

import time

from llvmlite import ir
from numba import types
from numba.core import cgutils

from serpenoid.kernels.compile import inlined
from serpenoid.kernels.interpreted import intrinsic_or

_MONOTONIC = int(time.CLOCK_MONOTONIC)


def read_clock(place: int) -> None:
    """Ignore the call: with the JIT off, deadlines never expire."""


@intrinsic_or(read_clock)
def write_time(typing_context, place):
    """Write seconds and nanoseconds of the monotonic clock to an address.

    The C function is resolved by name when a kernel is loaded, so callers can be cached.
    """

    def generate(context, builder, signature, arguments):
        kind = ir.FunctionType(ir.IntType(32), [ir.IntType(32), ir.IntType(64)])
        function = cgutils.get_or_insert_function(builder.module, kind, "clock_gettime")
        builder.call(function, [ir.Constant(ir.IntType(32), _MONOTONIC), arguments[0]])
        return context.get_dummy_value()

    return types.void(types.int64), generate


@inlined
def now(buffer):
    """Return the seconds of the monotonic clock (that of `time.monotonic`); overwrites buffer (2,) int64."""
    write_time(buffer.ctypes.data)
    return buffer[0] + 1e-9 * buffer[1]
