"""The monotonic clock inside compiled code, for deadlines."""

from __future__ import annotations

import time

from numba.core import types

from serpenoid.kernels.compile import inlined

# Found by its name when a kernel is loaded, so that callers can be cached (a ctypes pointer could not).
_clock_gettime = types.ExternalFunction("clock_gettime", types.int32(types.int32, types.uintp))
_MONOTONIC = int(time.CLOCK_MONOTONIC)


@inlined
def now(buffer):
    """Seconds of the monotonic clock (that of time.monotonic); buffer (2,) int64 is written."""
    _clock_gettime(_MONOTONIC, buffer.ctypes.data)
    return buffer[0] + 1e-9 * buffer[1]
