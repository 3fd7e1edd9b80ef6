"""Numbers read and written at addresses, and functions called by address, against ctypes."""

from __future__ import annotations

import ctypes

import numba
import numpy as np

from serpenoid.kernels.contact.memory import call_numbered, read_double, read_int, read_long, write_int


@numba.njit
def through_addresses(address, function, out):
    """Read four numbers, write the second, and call a function with them."""
    numbers = read_int(address), read_int(address + 4), read_long(address + 8), read_double(address + 16)
    write_int(address + 4, numbers[1] - 1)
    call_numbered(function, address, numbers[2], numbers[0], out.ctypes.data)
    return numbers


def test_numbers_go_through_addresses():
    """Negative 32-bit numbers keep their sign; an argument of MuJoCo's type `int` is passed as one."""
    raw = np.zeros(24, dtype=np.uint8)
    raw[:8].view(np.int32)[:] = -7, 2**31 - 1
    raw[8:16].view(np.int64)[:] = -(2**40)
    raw[16:].view(np.float64)[:] = -0.125
    seen, out = [], np.zeros(3)

    @ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_int, ctypes.POINTER(ctypes.c_double))
    def record(model, data, number, place):
        seen.append((model, data, number))
        place[1] = 2.5

    address = raw.ctypes.data
    found = through_addresses(address, ctypes.cast(record, ctypes.c_void_p).value, out)
    assert found == (-7, 2**31 - 1, -(2**40), -0.125)
    assert raw[4:8].view(np.int32)[0] == 2**31 - 2 and raw[:4].view(np.int32)[0] == -7
    assert seen == [(address, -(2**40), -7)] and out.tolist() == [0.0, 2.5, 0.0]
