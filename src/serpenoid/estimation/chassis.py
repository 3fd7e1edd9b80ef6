"""The virtual chassis: a frame of the whole snake instead of one link's, and its heading over a cycle."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import positive
from serpenoid.estimation.attitude import ComplementaryFilter
from serpenoid.estimation.readings import check_shape
from serpenoid.kernels.pose.chassis import CLEAR_RATIO, chassis_history
from serpenoid.robots.base import Robot


class Chassis(NamedTuple):
    """The main axis of the links about their mean, over time."""

    axis: NDArray  # (samples, 3) unit vector in the world, towards the head
    heading: NDArray  # (samples,) of the axis about the vertical, unwrapped [rad]
    clear: NDArray  # (samples,) False where the shape has no main axis or is not known; the last axis and heading stand
    ratio: NDArray  # (samples,) first singular value by second; clear from 1.2 on; NaN where it is not known


def virtual_chassis(robot: Robot, position: NDArray, attitude: NDArray) -> Chassis:
    """From joint angles (samples, joints) [rad] and quaternions of the head (samples, 4): SVD of the links' middles.

    The axis goes on in its own direction; at the start, and after the shape had none, it points towards the head.
    Before the first one axis and heading are NaN.
    """
    position, attitude = (np.ascontiguousarray(part, dtype=float) for part in (position, attitude))
    body = ComplementaryFilter().body(robot)
    check_shape("position", position, (len(attitude), robot.joints), f"(samples, joints) for {robot.called}")
    check_shape("attitude", attitude, (len(position), 4), "(samples, 4)")
    rows = chassis_history(body, position, attitude)
    return Chassis(rows[:, :3], rows[:, 3], rows[:, 4] == 1.0, rows[:, 5])


class Frames(NamedTuple):
    """The virtual chassis as frames."""

    centers: NDArray  # (samples, 3) [m]
    axes: NDArray  # (samples, 3, 3) in rows
    clear: NDArray  # (samples,) False where the shape has no main axis: the last axes stand


def chassis_frames(middles: NDArray) -> Frames:
    """From links' middles (samples, links, 3), head first.

    The first axis is that of `virtual_chassis`, the third points upwards, and the second makes the frame right-handed.
    """
    centers = middles.mean(axis=1)
    about = middles - centers[:, None]
    sizes, columns = np.linalg.eigh(np.einsum("slj,slk->sjk", about, about))
    axes = columns[:, :, ::-1].swapaxes(1, 2).copy()  # largest first
    clear = sizes[:, 2] >= CLEAR_RATIO**2 * sizes[:, 1]
    for i in range(len(axes)):
        if i and not clear[i]:
            axes[i] = axes[i - 1]
            continue
        ahead = axes[i - 1, 0] if i and clear[i - 1] else about[i, 0]
        axes[i, 0] *= -1.0 if axes[i, 0] @ ahead < 0.0 else 1.0
        axes[i, 2] *= -1.0 if axes[i, 2, 2] < 0.0 else 1.0
    axes[:, 1] = np.cross(axes[:, 2], axes[:, 0])
    return Frames(centers, axes, clear)


def over_cycle(values: NDArray, period: float, cycle: float) -> NDArray:
    """Mean over the last cycle [s] at every sample, `period` [s] apart; over what there is during the first cycle.

    Values that are no numbers are left out; NaN where a cycle has none.
    """
    count = max(1, round(positive("cycle", cycle) / positive("period", period)))
    known = np.isfinite(values)
    sums, counts = (np.append(0.0, np.cumsum(part)) for part in (np.where(known, values, 0.0), known))
    last = np.arange(1, len(values) + 1)
    first = np.maximum(0, last - count)
    there = counts[last] - counts[first]
    return np.where(there > 0.0, (sums[last] - sums[first]) / np.maximum(there, 1.0), np.nan)
