"""Small dense factors against numpy."""

import numpy as np
import pytest

from serpenoid.kernels.compile import kernel
from serpenoid.kernels.linear import append_row, factorise, solve


@kernel
def solved(matrix, vector):
    factorise(matrix, vector.size)
    solve(matrix, vector.size, vector)


@kernel
def appended(matrix, members, factor):
    count = 0
    for row in range(matrix.shape[0]):
        if append_row(matrix, row, members, count, factor):
            count += 1
    return count


@kernel
def solved_again(factor, count, vector):
    solve(factor, count, vector)


@pytest.mark.parametrize("size", [1, 2, 6, 11])
def test_rows_appended_one_by_one_make_the_same_factors(size):
    rng = np.random.default_rng(size)
    root = rng.normal(size=(size, size + 2))
    matrix, vector = root @ root.T, rng.normal(size=size)
    ours = vector.copy()
    solved(matrix.copy(), ours)
    np.testing.assert_allclose(ours, np.linalg.solve(matrix, vector), rtol=1e-9)
    members, factor = np.empty(size, np.int64), np.empty((size, size))
    assert appended(matrix, members, factor) == size
    again = vector.copy()
    solved_again(factor, size, again)
    np.testing.assert_allclose(again, ours, rtol=1e-9)


def test_a_row_that_depends_on_earlier_ones_is_left_out():
    root = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0], [1.0, 1.0, 3.0], [0.0, 0.0, 1.0]])
    members = np.empty(4, np.int64)
    assert appended(root @ root.T, members, np.empty((4, 4))) == 3
    np.testing.assert_array_equal(members[:3], [0, 1, 3])
