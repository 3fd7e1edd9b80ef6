"""Small dense linear algebra in place, without allocation."""

from __future__ import annotations

from serpenoid.kernels.compile import inner

# A row counts as dependent on others if the new part of its squared length is below this fraction (1e-6 of its length).
DEPENDENT = 1e-12


@inner
def copy(source, first, out, start, count):
    """Copy source[first + k] to out[start + k]. Assigning slices would allocate and take a second to compile."""
    for k in range(count):
        out[start + k] = source[first + k]


@inner
def factorise(matrix, size):
    """Factorise the lower triangle of a symmetric positive matrix in place as L D L^T.

    L is stored below the diagonal, 1 / D on it.
    """
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
def append_row(matrix, row, members, count, factor):
    """Extend the L D L^T of `matrix` over members[:count] by one row; return True if the row is independent of them.

    factor[:count, :count] holds the result of `factorise` and is extended in place; members[count] is set to the row.
    """
    rest = matrix[row, row]
    for a in range(count):
        value = matrix[row, members[a]]
        for b in range(a):
            value -= factor[a, b] * factor[count, b]
        factor[count, a] = value
    for a in range(count):
        value = factor[count, a]
        factor[count, a] = value * factor[a, a]
        rest -= value * factor[count, a]
    if not rest > DEPENDENT * matrix[row, row]:
        return False
    factor[count, count] = 1.0 / rest
    members[count] = row
    return True


@inner
def factorise_lu(matrix, size):
    """Factorise A = L U without pivoting, in place.

    L is below the diagonal (with a unit diagonal), U above it, and 1 / U_jj on it. Use it for matrices whose symmetric
    part is positive, or nearly so: their pivots do not vanish.
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
