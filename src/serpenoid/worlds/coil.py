"""The helix that a body lies in: its axis, radius and pitch, fitted to places along the body."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Coil(NamedTuple):
    """A helix fitted to places along a body, head first."""

    axis: NDArray  # (3,) unit vector, towards the head
    center: NDArray  # (3,) a point of the axis [m]
    radius: float  # [m]
    pitch: float  # way along the axis per radian, positive for a right-handed helix [m/rad]
    turns: float  # of the places about the axis
    residual: float  # root mean square of the places' distance from the axis less the radius [m]


class Cylinder(NamedTuple):
    """A round surface fitted to places."""

    axis: NDArray  # (3,) unit vector
    center: NDArray  # (3,) [m]
    radius: float  # [m]
    residual: float  # root mean square of the distance of the places from it [m]


def fit_coil(places: NDArray) -> Coil:
    """The helix through places (count, 3) [m], at least six: the nearest cylinder, and the way along it per turn.

    Second differences of a helix lie across its axis and give a first guess; the three main axes of the places give
    others, since the nearest cylinder of few coils is not the only near one.
    """
    guesses = [*np.linalg.svd(np.diff(places, n=2, axis=0))[2][2:], *np.linalg.svd(places - places.mean(axis=0))[2]]
    best = min((fit_cylinder(places, guess) for guess in guesses), key=lambda found: found.residual)
    axis = best.axis * (1.0 if best.axis @ (places[0] - places[-1]) >= 0.0 else -1.0)
    off = places - best.center
    across = off - np.outer(off @ axis, axis)
    x = across[0] / np.linalg.norm(across[0])
    angle = np.unwrap(np.arctan2(across @ np.cross(axis, x), across @ x))
    slope = float(np.polyfit(angle, off @ axis, 1)[0]) if np.ptp(angle) > 0.0 else 0.0
    return Coil(axis, best.center, best.radius, slope, float(np.ptp(angle) / (2.0 * np.pi)), best.residual)


def fit_cylinder(places: NDArray, guess: NDArray) -> Cylinder:
    """Least squares of (distance from the axis - radius), the axis near a guess (3,)."""
    from scipy.optimize import least_squares

    middle = places.mean(axis=0)
    side = np.linalg.svd(guess[None])[2][1:]  # two unit vectors across

    def placed(numbers: NDArray) -> tuple[NDArray, NDArray]:
        axis = guess + numbers[:2] @ side
        return axis / np.linalg.norm(axis), middle + numbers[2:4] @ side

    def distances(numbers: NDArray) -> NDArray:
        axis, center = placed(numbers)
        return np.linalg.norm(np.cross(places - center, axis), axis=1) - numbers[4]

    flat = (places - middle) @ side.T
    x, y, rest = np.linalg.lstsq(np.column_stack([2.0 * flat, np.ones(len(flat))]), (flat**2).sum(axis=1), rcond=None)[
        0
    ]
    found = least_squares(distances, np.array([0.0, 0.0, x, y, np.sqrt(max(rest + x * x + y * y, 1e-12))]))
    axis, center = placed(found.x)
    return Cylinder(axis, center, float(abs(found.x[4])), float(np.sqrt(np.mean(found.fun**2))))
