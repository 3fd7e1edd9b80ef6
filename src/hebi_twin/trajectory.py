"""Minimum-jerk trajectories through waypoints, by hebi.trajectory's names."""

from __future__ import annotations

from math import perm
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

ORDERS = 3  # position, velocity, acceleration


class Trajectory:
    """A polynomial of fifth degree per joint and segment, from the states (joints, waypoints, 3) at its ends."""

    def __init__(self, times: NDArray, wanted: NDArray):
        self._times, self._wanted = times, wanted  # NaN: free
        self._states = least_jerk(times, wanted)

    @property
    def number_of_joints(self) -> int:
        """Number of joints."""
        return len(self._states)

    @property
    def number_of_waypoints(self) -> int:
        """Number of waypoints, ends included."""
        return len(self._times)

    @property
    def waypoint_times(self) -> NDArray:
        """Times of the waypoints [s]."""
        return self._times

    @property
    def start_time(self) -> float:
        """Start time [s]."""
        return float(self._times[0])

    @property
    def end_time(self) -> float:
        """End time [s]."""
        return float(self._times[-1])

    @property
    def duration(self) -> float:
        """Duration [s]."""
        return self.end_time - self.start_time

    def rescale(self, scale: float) -> None:
        """Scale the duration by a factor from the same start; states fixed at waypoints stay fixed, rates included."""
        if not np.isfinite(scale) or scale <= 0.0:
            raise ValueError("Scale factor must be a finite, positive value!")
        self._times = self.start_time + scale * (self._times - self.start_time)
        self._states = least_jerk(self._times, self._wanted)

    def get_state(
        self, time: float, *, position: NDArray | None = None, velocity: NDArray | None = None,
        acceleration: NDArray | None = None,
    ) -> tuple[NDArray, NDArray, NDArray]:  # fmt: skip
        """Return position, velocity and acceleration (joints,) at a time [s]; outside its duration those at its ends.

        Arrays that are given are filled and returned.
        """
        time = float(np.clip(time, self.start_time, self.end_time))
        segment = int(np.clip(np.searchsorted(self._times, time, side="right") - 1, 0, len(self._times) - 2))
        ends = self._states[:, segment : segment + 2].reshape(self.number_of_joints, 2 * ORDERS)
        start, length = self._times[segment], self._times[segment + 1] - self._times[segment]
        polynomial = np.linalg.solve(np.vstack([derivatives(0.0), derivatives(length)]), ends.T)
        found = derivatives(time - start) @ polynomial
        return filled(position, found[0]), filled(velocity, found[1]), filled(acceleration, found[2])


def filled(given: NDArray | None, values: NDArray) -> NDArray:
    """Return an array with these values: the given one, if any."""
    if given is None:
        return values
    given.resize(values.shape)
    given[:] = values
    return given


def create_trajectory(
    time: ArrayLike, position: ArrayLike, velocity: ArrayLike | None = None, acceleration: ArrayLike | None = None
) -> Trajectory:
    """Create the minimum-jerk trajectory through waypoints (joints, waypoints) at their times [s].

    NaN values are free. Without velocities or accelerations it starts and ends at rest, and they are free in between.
    It minimises the integral of the squared jerk, which is a quadratic form of the states at the waypoints.
    """
    times = np.asarray(time, dtype=float)
    positions = np.atleast_2d(np.asarray(position, dtype=float))
    if times.size != positions.shape[1]:
        raise ValueError(f"{times.size} times for {positions.shape[1]} waypoints")
    if not np.isfinite(times).all() or times.size < 2 or (np.diff(times) <= 0.0).any():
        raise ValueError("times of waypoints must be finite and increase")
    wanted = np.stack([positions, *(rates(given, positions.shape) for given in (velocity, acceleration))], axis=2)
    return Trajectory(times.copy(), wanted)


def least_jerk(times: NDArray, wanted: NDArray) -> NDArray:
    """Return the states (joints, waypoints, 3) with all free (NaN) values chosen for the least jerk."""
    cost, states = jerk(times), wanted.copy()
    for row in states.reshape(len(states), -1):  # views: filled in place
        free = np.isnan(row)
        known = cost[np.ix_(free, ~free)] @ row[~free]
        row[free] = np.linalg.lstsq(cost[np.ix_(free, free)], -known, rcond=None)[0]
    return states


def rates(given: ArrayLike | None, shape: tuple[int, ...]) -> NDArray:
    """Return velocities or accelerations at waypoints; by default zero at the ends and free in between."""
    if given is None:
        found = np.full(shape, np.nan)
        found[:, [0, -1]] = 0.0
        return found
    found = np.atleast_2d(np.array(given, dtype=float))
    if found.shape != shape:
        raise ValueError(f"velocities and accelerations must be {shape}, got {found.shape}")
    return found


def derivatives(time: float) -> NDArray:
    """Return rows that give position, velocity and acceleration at a time from the six coefficients of a polynomial."""
    return np.array([[perm(k, d) * time ** (k - d) if k >= d else 0.0 for k in range(6)] for d in range(ORDERS)])


def jerk(times: NDArray) -> NDArray:
    """Return the integral of the squared jerk as a matrix over the states at all waypoints."""
    cost = np.zeros((ORDERS * times.size, ORDERS * times.size))
    for segment, length in enumerate(np.diff(times)):
        powers = np.array(
            [[perm(i, 3) * perm(j, 3) * length ** max(i + j - 5, 0) / max(i + j - 5, 1) for j in range(6)]
             for i in range(6)]
        )  # fmt: skip
        to_polynomial: Any = np.linalg.inv(np.vstack([derivatives(0.0), derivatives(length)]))
        place = slice(ORDERS * segment, ORDERS * (segment + 2))
        cost[place, place] += to_polynomial.T @ powers @ to_polynomial
    return cost


def segment_times_to_waypoint_times(segment_times: ArrayLike) -> NDArray:
    """Return the times of the waypoints, from 0, from the durations of the segments [s]."""
    return np.concatenate([[0.0], np.cumsum(np.asarray(segment_times, dtype=float))])


def waypoint_times_to_segment_times(waypoint_times: ArrayLike) -> NDArray:
    """Return the durations of the segments from the times of their ends [s]."""
    return np.diff(np.asarray(waypoint_times, dtype=float))
