"""Records that are read field by field, and values with one name: compiled code does what the same Python does."""

from __future__ import annotations

from types import FunctionType
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from serpenoid.kernels.compile import bare_kernel, glue, inlined, kernel


class Inner(NamedTuple):
    gain: float
    row: NDArray
    on: bool


class Outer(NamedTuple):
    first: Inner
    second: Inner
    count: int


def records():
    return Outer(Inner(0.5, np.arange(4.0), True), Inner(2.0, np.arange(4.0) ** 2 + 1.0, False), 3)


@glue
def raised(inner, value):
    row, lifted = inner.row, value
    for i in range(row.size):
        lifted += inner.gain * row[i]
    return lifted


@glue
def swapped(a, b):
    return b, a


@inlined
def shorter(outer):
    return Outer(outer.second, outer.first, outer.count - 1)


@bare_kernel
def carried(outer):
    """Values that are handed on from turn to turn, each read after its successor is known."""
    old, older, total = 1.0, 0.0, 0.0
    for turn in range(7):
        new = raised(outer.first, old) if turn % 2 else raised(outer.second, older)
        total += old - 0.25 * older
        older, old = swapped(new, old)
        kept = older
        if total > 50.0:
            total -= kept
    return total, old, older


@bare_kernel
def chosen(outer):
    """Records that are chosen by the way that was taken, and replaced while their parts are in hand."""
    total, part = 0.0, outer.first
    while outer.count > 0:
        before = outer.second
        part = before if part.on else outer.first
        outer = shorter(outer)
        total = 2.0 * total + part.gain * part.row[outer.count] + before.row[1]
    return total, part.gain


@kernel
def made(outer):
    """Records whose arrays are counted."""
    whole = Outer(Inner(1.0, outer.first.row + 1.0, True), outer.second, 2)
    for turn in range(3):
        if turn != 1:
            whole = Outer(whole.second, Inner(0.5, whole.first.row * 2.0, False), turn)
    return whole.first.row + whole.second.row, whole.count


@bare_kernel
def followed(outer):
    """A value that is read after its successor is known, and before that takes its place."""
    value, total = 1.0, 0.0
    for i in range(outer.first.row.size):
        new = outer.first.gain * value + outer.first.row[i]
        total += value * new
        value = new
    return total, value


@kernel
def left_early(outer):
    """The last of two phases counts where a loop is left."""
    phase = 0.0
    while True:
        before = phase
        phase = phase + outer.first.gain
        if phase > 2.0:
            break
    return before, phase


@pytest.mark.parametrize("function", [carried, chosen, followed, left_early, made], ids=lambda f: f.__name__)
def test_compiled_is_as_written(function):
    for ours, written in zip(function(records()), in_python(function.py_func)(records())):
        np.testing.assert_allclose(ours, written, rtol=1e-14)


def in_python(function):
    """The same function, whose helpers are Python too."""
    names = function.__globals__
    plain = {name: getattr(value, "py_func", value) for name, value in names.items()}
    return FunctionType(function.__code__, plain)
