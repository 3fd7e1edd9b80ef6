"""Locomotion metrics: displacement, speed (positive head first), slip."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.window import mean, samples, shares
from serpenoid.errors import require
from serpenoid.robots.rotations import rotations
from serpenoid.trajectory import Trajectory


def head_first(run: Trajectory, start: float | None = None, end: float | None = None) -> NDArray:
    """Return the unit vector from tail to head, averaged over links and time.

    The x axis of a link points from head to tail, except on a robot whose link 0 is its tail.
    """
    chosen = samples(run, start, end)
    return mean_direction(run.times[chosen], body_axis(run)[chosen])


def body_axis(run: Trajectory) -> NDArray:
    """Return the mean over links of the unit vector from tail to head, (time, 3); some recordings lack it."""
    if "body_axis" in run:
        return run["body_axis"]
    pose = run["link_pose"] if "link_pose" in run else run["base_pose"][:, None]
    sign = 1.0 if run.labels.get("link", ("head",))[0] == "tail" else -1.0
    return (sign * rotations(pose[..., 3:])[..., 0]).mean(axis=1)


def mean_direction(times: NDArray, axis: NDArray) -> NDArray:
    """Return the unit vector (..., 3) along the time average of vectors (..., time, 3); zero if the average is zero."""
    forward = np.einsum("t,...ti->...i", shares(times), axis)
    length = np.linalg.norm(forward, axis=-1, keepdims=True)
    return forward / np.where(length > 0.0, length, 1.0)


def mean_speed(times: NDArray, center: NDArray, axis: NDArray) -> NDArray:
    """Return the speed (...) [m/s] of centres of mass (..., time, 3) [m] along the mean of the axes (..., time, 3)."""
    moved = center[..., -1, :] - center[..., 0, :]
    return (moved * mean_direction(times, axis)).sum(axis=-1) / (times[-1] - times[0])


def displacement(run: Trajectory, start: float | None = None, end: float | None = None) -> NDArray:
    """Return the displacement of the centre of mass [m], (3,)."""
    track = run["center_of_mass"][samples(run, start, end)]
    return track[-1] - track[0]


def mean_velocity(run: Trajectory, start: float | None = None, end: float | None = None) -> NDArray:
    """Return the mean velocity of the centre of mass [m/s], (3,): displacement over time between two samples."""
    times = run.times[samples(run, start, end)]
    return displacement(run, start, end) / (times[-1] - times[0])


def speed(run: Trajectory, start: float | None = None, end: float | None = None) -> float:
    """Return the mean speed of the centre of mass along the body, positive head first [m/s].

    Displacement over the interval, projected on its mean head-first direction, divided by its time.
    """
    chosen = samples(run, start, end)
    return float(mean_speed(run.times[chosen], run["center_of_mass"][chosen], body_axis(run)[chosen]))


def held_cycle(times: NDArray, cycle: float) -> float:
    """Return a cycle [s], or the whole interval if it is shorter or has no cycle."""
    whole = float(times[-1] - times[0])
    return min(cycle, whole) if cycle > 0.0 else whole


def cycle_displacements(times: NDArray, center: NDArray, cycle: float) -> NDArray:
    """Return displacements (samples, 3) from positions (time, 3) [m] over one cycle [s]; a single one if it is
    shorter.
    """
    length = held_cycle(times, cycle)
    starts = times[: max(1, int(np.searchsorted(times, times[-1] - length + 1e-9 * length, side="right")))]
    later = np.stack([np.interp(starts + length, times, column) for column in center.T], axis=1)
    return later - center[: starts.size]


def path_speed(run: Trajectory, cycle: float, start: float | None = None, end: float | None = None) -> float:
    """Return the mean speed of the centre of mass along its own path, smoothed over one gait cycle [s] [m/s].

    The smoothed path advances at each instant by the displacement over the following cycle, divided by the cycle's
    time.
    """
    chosen = samples(run, start, end)
    ways = cycle_displacements(run.times[chosen], run["center_of_mass"][chosen], cycle)
    return float(np.linalg.norm(ways, axis=1).mean()) / held_cycle(run.times[chosen], cycle)


def path_rotation(run: Trajectory, cycle: float, start: float | None = None, end: float | None = None) -> float:
    """Return the rotation to the left of the horizontal path of the centre of mass, smoothed over one cycle [s]
    [rad].
    """
    chosen = samples(run, start, end)
    ways = cycle_displacements(run.times[chosen], run["center_of_mass"][chosen], cycle)
    heading = np.unwrap(np.arctan2(ways[:, 1], ways[:, 0]))
    return float(heading[-1] - heading[0])


def slip(run: Trajectory, start: float | None = None, end: float | None = None) -> NDArray:
    """Return the fraction of each link's travel across its own axis: mean |v_across| / mean |v|, (links,).

    0 on rails, 1 sideways; 0 for a link that does not move. Velocities are differences of the sampled poses.
    """
    chosen = samples(run, start, end, least=3)
    times, pose = run.times[chosen], run["link_pose"][chosen]
    velocity = np.gradient(pose[..., :3], times, axis=0, edge_order=2)
    along = np.einsum("tli,tli->tl", velocity, rotations(pose[..., 3:])[..., 0])
    total = np.linalg.norm(velocity, axis=2)
    across = np.sqrt(np.maximum(total**2 - along**2, 0.0))
    way = mean(total, times)
    return np.divide(mean(across, times), way, out=np.zeros_like(way), where=way > 0.0)


def tracking_error(reference: NDArray, angles: NDArray) -> float:
    """Return the rms deviation of joint angles (time, joints) from a gait's angles, relative to the gait's swing.

    The swing is the rms deviation of the gait's angles from their means. NaN if it is zero, or after divergence.
    """
    require(angles.shape == reference.shape, "angles", angles.shape, f"of shape {reference.shape}, as the gait's")
    swing = float(np.sqrt(np.mean((reference - reference.mean(axis=0)) ** 2)))
    return float(np.sqrt(np.mean((reference - angles) ** 2))) / swing if swing > 0.0 else float("nan")
