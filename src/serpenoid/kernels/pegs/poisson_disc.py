"""Poisson-disc sampling: darts are thrown one by one and kept if they keep their distance from all others."""

from __future__ import annotations

from serpenoid.kernels.compile import kernel


@kernel
def land_darts(darts, width, height, spacing, points, count, grid):
    """Add darts (throws, 2) in the unit square to `points` (wanted, 2) [m] of a board until full; return the new count.

    A dart is kept if its distance to all earlier ones is at least `spacing` [m]. grid (rows, columns) int64 has squares
    of side spacing / sqrt(2), each with the index of its point or -1. Each square fits one point.
    """
    side = spacing / 2.0**0.5
    for i in range(darts.shape[0]):
        if count == points.shape[0]:
            break
        x, y = width * darts[i, 0], height * darts[i, 1]
        row, column = int(y / side), int(x / side)
        clear = True
        for r in range(max(row - 2, 0), min(row + 3, grid.shape[0])):
            for c in range(max(column - 2, 0), min(column + 3, grid.shape[1])):
                other = grid[r, c]
                if other >= 0:
                    dx, dy = points[other, 0] - x, points[other, 1] - y
                    clear = clear and dx * dx + dy * dy >= spacing * spacing
        if clear:
            points[count, 0], points[count, 1] = x, y
            grid[row, column] = count
            count += 1
    return count
