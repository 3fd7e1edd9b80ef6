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


def fit_coil(places: NDArray) -> Coil:
    """The helix through places (count, 3) [m], at least six.

    Second differences of a helix lie across its axis: they give a first axis, which least squares of
    (distance from the axis - radius) then refines.
    """
    from scipy.optimize import least_squares

    middle = places.mean(axis=0)
    first = np.linalg.svd(np.diff(places, n=2, axis=0))[2][2]
    side = np.linalg.svd(first[None])[2][1:]  # two unit vectors across the first axis

    def parts(guess: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        axis = first + guess[:2] @ side
        axis = axis / np.linalg.norm(axis)
        off = places - middle - guess[2:4] @ side
        return axis, off, off - np.outer(off @ axis, axis)

    def distances(guess: NDArray) -> NDArray:
        return np.linalg.norm(parts(guess)[2], axis=1) - guess[4]

    flat = (places - middle) @ side.T
    circle = np.linalg.lstsq(np.column_stack([2.0 * flat, np.ones(len(flat))]), (flat**2).sum(axis=1), rcond=None)[0]
    start = np.array([0.0, 0.0, *circle[:2], np.sqrt(max(circle[2] + circle[:2] @ circle[:2], 1e-12))])
    guess = least_squares(distances, start).x
    axis, off, across = parts(guess)
    sign = 1.0 if axis @ (places[0] - places[-1]) >= 0.0 else -1.0
    axis = sign * axis
    x = across[0] / np.linalg.norm(across[0])
    angle = np.unwrap(np.arctan2(across @ np.cross(axis, x), across @ x))
    slope = float(np.polyfit(angle, off @ axis, 1)[0]) if np.ptp(angle) > 0.0 else 0.0
    turns, residual = float(np.ptp(angle) / (2.0 * np.pi)), float(np.sqrt(np.mean(distances(guess) ** 2)))
    return Coil(axis, middle + guess[2:4] @ side, float(guess[4]), slope, turns, residual)
