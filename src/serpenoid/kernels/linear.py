"""Small dense linear algebra in place, without allocation."""

from __future__ import annotations

from serpenoid.kernels.compile import inner


@inner
def factorise(matrix, size):
    """L D L^T of a symmetric positive matrix's lower triangle, in place: L below the diagonal, 1 / D on it."""
    for j in range(size):
        inverse = 1.0 / matrix[j, j]
        matrix[j, j] = inverse
        for i in range(size - 1, j, -1):
            factor = matrix[i, j] * inverse
            for k in range(j + 1, i + 1):
                matrix[i, k] -= factor * matrix[k, j]
            matrix[i, j] = factor


@inner
def solve(matrix, size, vector):
    """Solve in place with the factors of `factorise`."""
    for i in range(1, size):
        total = vector[i]
        for k in range(i):
            total -= matrix[i, k] * vector[k]
        vector[i] = total
    for i in range(size - 1, -1, -1):
        total = vector[i] * matrix[i, i]
        for k in range(i + 1, size):
            total -= matrix[k, i] * vector[k]
        vector[i] = total


@inner
def factorise_lu(matrix, size):
    """A = L U without pivoting, in place: L below the diagonal (ones on it), U above, 1 / U_jj on the diagonal.

    For matrices whose symmetric part is positive, or nearly so: there no pivot vanishes.
    """
    for j in range(size):
        inverse = 1.0 / matrix[j, j]
        matrix[j, j] = inverse
        for i in range(j + 1, size):
            factor = matrix[i, j] * inverse
            matrix[i, j] = factor
            for k in range(j + 1, size):
                matrix[i, k] -= factor * matrix[j, k]


@inner
def solve_lu(matrix, size, columns, count):
    """Solve in place for `count` right-hand sides, columns (size, >= count), with the factors of `factorise_lu`."""
    for i in range(size):
        for k in range(i):
            factor = matrix[i, k]
            for c in range(count):
                columns[i, c] -= factor * columns[k, c]
    for i in range(size - 1, -1, -1):
        for k in range(i + 1, size):
            factor = matrix[i, k]
            for c in range(count):
                columns[i, c] -= factor * columns[k, c]
        for c in range(count):
            columns[i, c] *= matrix[i, i]


@inner
def solve_columns(matrix, size, columns):
    """Solve in place for every column (>= size, columns) with the factors of `factorise`."""
    count = columns.shape[1]
    for i in range(1, size):
        for k in range(i):
            factor = matrix[i, k]
            for c in range(count):
                columns[i, c] -= factor * columns[k, c]
    for i in range(size - 1, -1, -1):
        inverse = matrix[i, i]
        for c in range(count):
            columns[i, c] *= inverse
        for k in range(i + 1, size):
            factor = matrix[k, i]
            for c in range(count):
                columns[i, c] -= factor * columns[k, c]
