"""Records by reference: kernels read and write through them as through the records themselves."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from serpenoid.kernels.compile import bare_kernel
from serpenoid.kernels.reference import by_reference
from serpenoid.kernels.simd import vectors


class Inner(NamedTuple):
    matrix: Any
    gain: float
    on: bool
    axis: tuple[float, float]


class Outer(NamedTuple):
    inner: Inner
    count: int
    row: Any
    whole: Any


def record():
    return Outer(
        Inner(np.arange(12.0).reshape(3, 4), 2.5, True, (0.5, -1.0)), 7, np.arange(3.0), np.arange(4, dtype=np.int64)
    )


@bare_kernel
def changed(outer):
    """Read every kind of field, and write through arrays, in loops and by vectors."""
    total = outer.inner.gain + outer.count + outer.inner.axis[1]
    if outer.inner.on:
        total += 100.0
    for i in range(outer.row.size):
        for j in range(outer.inner.matrix.shape[1]):
            outer.row[i] += total * outer.inner.matrix[i, j]
    outer.whole[-1] += outer.whole[1]
    wide = vectors(outer.inner)
    wide.matrix[1] = 2.0 * wide.matrix[0]
    return total


def test_a_kernel_reads_and_writes_by_reference_as_by_value():
    by_value, referred = record(), record()
    assert changed(by_value) == changed(by_reference(referred))
    np.testing.assert_array_equal(by_value.row, referred.row)
    np.testing.assert_array_equal(by_value.whole, referred.whole)
    np.testing.assert_array_equal(by_value.inner.matrix, referred.inner.matrix)
    np.testing.assert_array_equal(referred.inner.matrix[1], 2.0 * referred.inner.matrix[0])
    assert referred.row[2] == 2.0 + 108.5 * (8.0 + 9.0 + 10.0 + 11.0)


def test_references_see_later_changes_of_contents():
    outer = record()
    referred = by_reference(outer)
    first = changed(referred)
    outer.row[:] = 0.0
    assert changed(referred) == first
    assert outer.row[0] == first * 6.0
