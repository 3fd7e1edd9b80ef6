"""Virtual chassis: a frame of the whole body instead of one link's, and its heading over a cycle."""

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
    """Main axis of the links about their mean, over time."""

    axis: NDArray  # (samples, 3) unit vector in the world, towards the head
    heading: NDArray  # (samples,) of the axis about the vertical, unwrapped [rad]
    clear: NDArray  # (samples,) False if the shape has no main axis or is unknown; the last axis and heading are kept
    ratio: NDArray  # (samples,) ratio of the first two singular values, clear from 1.2; NaN if unknown


def virtual_chassis(robot: Robot, position: NDArray, attitude: NDArray) -> Chassis:
    """Compute it by SVD of the link centres, from joint angles (samples, joints) [rad] and head quaternions (samples,
    4).

    The axis keeps its direction. It points towards the head at the start and after samples without an axis. Before
    the first axis, axis and heading are NaN.
    """
    position, attitude = (np.ascontiguousarray(part, dtype=float) for part in (position, attitude))
    body = ComplementaryFilter().body(robot)
    check_shape("position", position, (len(attitude), robot.joints), f"(samples, joints) for {robot.called}")
    check_shape("attitude", attitude, (len(position), 4), "(samples, 4)")
    rows = chassis_history(body, position, attitude)
    return Chassis(rows[:, :3], rows[:, 3], rows[:, 4] == 1.0, rows[:, 5])


class Frames(NamedTuple):
    """Virtual chassis as frames."""

    centers: NDArray  # (samples, 3) [m]
    axes: NDArray  # (samples, 3, 3), axes in rows
    clear: NDArray  # (samples,) False if the shape has no main axis; the last axes are kept


def chassis_frames(middles: NDArray) -> Frames:
    """Compute frames from link centres (samples, links, 3), head first.

    The first axis is that of `virtual_chassis`, the third points upwards, and the second makes the frame
    right-handed.
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
    """Return the mean over the last cycle [s] at every sample, `period` [s] apart; the first cycle uses the samples so
    far.

    NaN values are omitted; the mean of a cycle without values is NaN.
    """
    count = max(1, round(positive("cycle", cycle) / positive("period", period)))
    known = np.isfinite(values)
    sums, counts = (np.append(0.0, np.cumsum(part)) for part in (np.where(known, values, 0.0), known))
    last = np.arange(1, len(values) + 1)
    first = np.maximum(0, last - count)
    there = counts[last] - counts[first]
    return np.where(there > 0.0, (sums[last] - sums[first]) / np.maximum(there, 1.0), np.nan)
