"""Python replacements of the intrinsics, for kernels with the JIT switched off (NUMBA_DISABLE_JIT=1).

A vector is an array of four numbers; bare memory is an array.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import config
from numba.extending import intrinsic
from numpy.typing import NDArray

WIDTH = 4


def intrinsic_or(python: Callable[..., Any]) -> Callable[[Any], Any]:
    """Return a decorator for the typing function of an intrinsic; `python` replaces it if the JIT is off."""
    return (lambda typed: python) if config.DISABLE_JIT else intrinsic


def elements(array: NDArray) -> NDArray:
    """Return the memory of an array."""
    return array.reshape(-1)


def address(whole: NDArray) -> int:
    """Return the start address of memory."""
    return whole.ctypes.data


def slots(array: NDArray) -> NDArray:
    """Return an array of floats with a last axis of one."""
    return array[..., np.newaxis]


class Rows(np.ndarray):
    """Array of vectors whose `size` counts vectors."""

    @property
    def size(self) -> int:  # type: ignore[override]
        return self.shape[0]


def view_packed(record: Any) -> Any:
    """Return a view of a record of flat arrays as vectors of four numbers."""
    return (
        type(record)(*map(view_packed, record)) if isinstance(record, tuple) else record.reshape(-1, WIDTH).view(Rows)
    )


def call(function: int, model: int, data: int) -> None:
    """Call `void f(model*, data*)` at an address."""
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2)(int(function))(int(model), int(data))


def call_numbered(function: int, model: int, data: int, number: int, out: int) -> None:
    """Call `void f(model*, data*, int number, double* out)` at an address."""
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
    kind(int(function))(int(model), int(data), int(number), int(out))


def call_shape(function: int, numbers: int, s: float, *places: int) -> float:
    """Call a user's shape function at an address."""
    kind = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64, ctypes.c_double, *[ctypes.c_int64] * 5)
    return kind(int(function))(int(numbers), s, *map(int, places))


def write_int(place: int, value: int) -> None:
    """Write a 32-bit integer at an address."""
    ctypes.c_int.from_address(int(place)).value = int(value)


def reader(kind: Any) -> Callable[[int], Any]:
    """Return a function that reads one number at an address."""
    return lambda place: kind.from_address(int(place)).value
