"""Peg layouts of a board: random with a minimum spacing, regular rows, or from a list or file."""

from __future__ import annotations

import csv
from math import hypot, sqrt

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import FileProblem, InvalidValue, short
from serpenoid.support.reading import decimal, read_text

THROWS = 20_000  # random points drawn at a time
FARTHEST = 1e4  # from the middle of the board [m], as for the field `places`
LEAST_GAIN = 1e-4  # fraction of random points that must fit, or the board counts as full


def poisson_pegs(density: float, size: tuple[float, float], spacing: float, seed: int) -> NDArray:
    """Draw pegs (n, 2) of a density from a seed, no two nearer than `spacing` [m]."""
    from serpenoid.kernels.pegs.poisson_disc import land_darts

    width, height = size
    points = np.empty((round(density * width * height), 2))
    side = spacing / sqrt(2.0)
    grid = np.full((int(height / side) + 1, int(width / side) + 1), -1, dtype=np.int64)
    rng, count = np.random.default_rng(seed), 0
    while count < len(points):
        before = count
        count = land_darts(rng.random((THROWS, 2)), width, height, spacing, points, count, grid)
        if count - before < LEAST_GAIN * THROWS and count < len(points):
            fits = f"at most {count / (width * height):.3g} pegs/m^2, no two nearer than {spacing:.3g} m"
            raise InvalidValue("density", density, fits)
    return points - 0.5 * np.array(size)


def regular_pegs(density: float, size: tuple[float, float], turn: float, row_ratio: float, shift: float) -> NDArray:
    """Return pegs (n, 2) in rows, row_ratio times the spacing apart; each row is shifted by `shift`."""
    apart = sqrt(1.0 / (density * row_ratio))
    reach = int(hypot(*size) / (2.0 * apart * min(row_ratio, 1.0))) + 2
    row, place = np.meshgrid(np.arange(-reach, reach + 1), np.arange(-reach, reach + 1), indexing="ij")
    points = np.stack([(place + shift * (row % 2)) * apart, row * row_ratio * apart], axis=-1).reshape(-1, 2)
    c, s = np.cos(turn), np.sin(turn)
    points = points @ np.array([[c, s], [-s, c]])
    inside = (np.abs(points) <= 0.5 * np.array(size) + 1e-12).all(axis=1)
    return points[inside]


def pegs_of_file(path: str) -> NDArray:
    """Read pegs (n, 2) from a CSV file: x, y [m] per line, with an optional header."""
    try:
        rows = [row for row in csv.reader(read_text(path).splitlines()) if row]
    except csv.Error as error:
        raise FileProblem(path, f"cannot be read: {error}") from None
    start = 1 if rows and not is_number(rows[0][0]) else 0
    points = []
    for number, row in enumerate(rows[start:], start + 1):
        if len(row) != 2 or not all(is_number(word) for word in row):
            allowed = f"two numbers, x and y, from -{FARTHEST:g} to {FARTHEST:g} m"
            raise FileProblem(path, f"line {number} is {short(','.join(row))}: must be {allowed}")
        points.append([decimal(word) for word in row])
    if not points:
        raise FileProblem(path, "has no pegs: a line x,y [m] for each")
    return np.array(points)


def is_number(word: str) -> bool:
    """Return whether a word is a number."""
    try:
        return abs(decimal(word)) <= FARTHEST
    except ValueError:
        return False


def refuse_overlaps(points: NDArray, radius: float, field: str) -> None:
    """Raise if two pegs overlap."""
    from scipy.spatial import cKDTree

    pairs = cKDTree(points).query_pairs(2.0 * radius * (1.0 - 1e-9)) if len(points) else set()
    if pairs:
        i, j = min(pairs)
        apart = float(np.linalg.norm(points[i] - points[j]))
        where = f"pegs {i} and {j} are {apart:.3g} m apart, which is less than two radii, {2.0 * radius:.3g} m"
        raise InvalidValue(field, radius, f"such that no pegs overlap: {where}")
