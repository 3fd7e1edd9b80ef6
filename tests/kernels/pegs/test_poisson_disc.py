"""Poisson-disc sampling: the same points as by comparing each dart with all points before it."""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.pegs.poisson_disc import land_darts


def landed(darts, size, spacing, wanted):
    """Return points by the kernel, in two calls that share the grid."""
    side = spacing / 2.0**0.5
    points, grid = np.zeros((wanted, 2)), np.full((int(size[1] / side) + 1, int(size[0] / side) + 1), -1)
    count = 0
    for part in np.array_split(darts, 2):
        count = land_darts(part, *size, spacing, points, count, grid)
    return points[:count]


def test_points_are_those_of_brute_force_and_keep_their_distance():
    rng = np.random.default_rng(0)
    for size, spacing, wanted in (((3.2, 2.0), 0.15, 10_000), ((1.0, 1.0), 0.3, 4), ((0.4, 2.5), 0.1, 10_000)):
        darts = rng.random((3000, 2))
        found, plain = landed(darts, size, spacing, wanted), []
        for x, y in darts * size:
            if len(plain) < wanted and all(np.hypot(x - a, y - b) >= spacing for a, b in plain):
                plain.append((x, y))
        np.testing.assert_allclose(found, plain, atol=1e-12)
        distances = np.linalg.norm(found[:, None] - found, axis=2) + 9.0 * np.eye(len(found))
        assert distances.min() >= spacing
        assert (
            len(found) == wanted or (np.linalg.norm(darts[:, None] * size - found, axis=2).min(axis=1) < spacing).all()
        )
