"""Helix of a wound body: axis, radius and pitch, fitted to points along the body."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

STEPS = 40  # iterations of a fit, at most
GOOD = 0.1  # relative residual of a cylinder above which other guesses are tried


class Coil(NamedTuple):
    """Helix fitted to points along a body, head first."""

    axis: NDArray  # (3,) unit vector, towards the head
    center: NDArray  # (3,) a point of the axis [m]
    radius: float  # [m]
    pitch: float  # distance along the axis per radian, positive for a right-handed helix [m/rad]
    turns: float  # rotation of the points about the axis
    residual: float  # rms of the points' distance from the axis minus the radius [m]


class Cylinder(NamedTuple):
    """Cylinder fitted to points."""

    axis: NDArray  # (3,) unit vector
    center: NDArray  # (3,) [m]
    radius: float  # [m]
    residual: float  # rms distance of the points from it [m]


def fit_coil(places: NDArray) -> Coil:
    """Fit a helix through at least six points (count, 3) [m]: the nearest cylinder, and the advance along it per turn.

    Second differences of a helix are normal to its axis and give the first guess. If that does not lead to a good
    cylinder, the three principal axes of the points give others. With few coils there are several cylinders nearby.
    """
    best = fit_cylinder(places, np.linalg.svd(places[4:] - 2.0 * places[2:-2] + places[:-4])[2][2])
    if best.residual > GOOD * best.radius:
        others = [fit_cylinder(places, guess) for guess in np.linalg.svd(places - places.mean(axis=0))[2]]
        best = min((best, *others), key=lambda found: found.residual)
    axis = best.axis * (1.0 if best.axis @ (places[0] - places[-1]) >= 0.0 else -1.0)
    off = places - best.center
    across = off - np.outer(off @ axis, axis)
    x = across[0] / np.linalg.norm(across[0])
    angle = np.unwrap(np.arctan2(across @ np.cross(axis, x), across @ x))
    slope = float(np.polyfit(angle, off @ axis, 1)[0]) if np.ptp(angle) > 0.0 else 0.0
    return Coil(axis, best.center, best.radius, slope, float(np.ptp(angle) / (2.0 * np.pi)), best.residual)


def fit_cylinder(places: NDArray, guess: NDArray) -> Cylinder:
    """Fit a cylinder by least squares of (distance from the axis - radius), by damped Gauss-Newton from a guess (3,).

    n_i is the unit vector from the axis to point i, and h_i its coordinate along the axis. The distance of a point
    changes by -n_i . dc with the axis point c, and by -h_i n_i . da with the direction a.
    """
    axis, center = guess / np.linalg.norm(guess), places.mean(axis=0)
    best, damping = misses(places, axis, center), 1e-6
    for _ in range(STEPS):
        off = places - center
        along = off @ axis
        out = off - np.outer(along, axis)
        out /= np.maximum(np.linalg.norm(out, axis=1), 1e-12)[:, None]
        side = np.linalg.svd(axis[None])[2][1:]  # two unit vectors across
        slope = np.column_stack([-along[:, None] * (out @ side.T), -(out @ side.T)])
        slope -= slope.mean(axis=0)  # the best radius is the mean distance
        curvature = slope.T @ slope
        move = np.linalg.solve(curvature + damping * np.diag(np.diag(curvature) + 1e-12), -slope.T @ best)
        turned, moved = axis + move[:2] @ side, center + move[2:] @ side
        turned /= np.linalg.norm(turned)
        found = misses(places, turned, moved)
        if found @ found < best @ best:
            gain = best @ best - found @ found
            axis, center, best, damping = turned, moved, found, 0.2 * damping
            if gain < 1e-16 * len(places):
                break
        else:
            damping *= 10.0
    radius = float(np.linalg.norm(np.cross(places - center, axis), axis=1).mean())
    return Cylinder(axis, center, radius, float(np.sqrt(np.mean(best**2))))


def misses(places: NDArray, axis: NDArray, center: NDArray) -> NDArray:
    """Return the distances of points from an axis, minus their mean [m]."""
    away = np.linalg.norm(np.cross(places - center, axis), axis=1)
    return away - away.mean()
