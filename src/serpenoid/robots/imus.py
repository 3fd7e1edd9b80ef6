"""IMU readings as means since the previous reading, as integrating sensors return them.

Instantaneous readings would be biased on a robot that oscillates in phase with its commands, and the bias would be
integrated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.robots.rotations import rotations

INERTIAL = ("accelerometer", "gyroscope")
SMALL = 1e-12  # sine of half an angle that is the angle itself


def frame_velocities(parent: NDArray, place: NDArray, spin: NDArray, base: NDArray) -> NDArray:
    """Return the velocity (..., links, 3) of each link frame [m/s] in world axes: v_b = v_p + spin_p x (x_b - x_p).

    The origin of a link frame is on its hinge axis and therefore moves with its parent. place and spin are (...,
    links, 3) [m, rad/s], base (..., 3) is the velocity of link 0.
    """
    on, out = parent[1:], np.empty(place.shape)
    arms = place[..., 1:, :] - place[..., on, :]
    steps = np.cross(spin[..., on, :], arms)
    out[..., 0, :] = base
    for link in range(1, parent.size):
        out[..., link, :] = out[..., parent[link], :] + steps[..., link - 1, :]
    return out


def frame_motion(parent: NDArray, pose: NDArray, gyroscope: NDArray, base_twist: NDArray) -> tuple[NDArray, NDArray]:
    """Return quaternions (..., links, 4) and velocities in world axes (..., links, 3) from trajectory variables."""
    turn = rotations(pose[..., 3:])
    spin = np.einsum("...lij,...lj->...li", turn, gyroscope)
    base = np.einsum("...ij,...j->...i", turn[..., 0, :, :], base_twist[..., :3])
    return pose[..., 3:], frame_velocities(parent, pose[..., :3], spin, base)


def turn_between(first: NDArray, last: NDArray) -> NDArray:
    """Return the rotation vector (..., 3) [rad] between two attitudes, quaternions (..., 4), in axes of either."""
    w, v = first[..., :1], first[..., 1:]
    scalar = (w * last[..., :1] + (v * last[..., 1:]).sum(axis=-1, keepdims=True))[..., 0]
    vector = w * last[..., 1:] - last[..., :1] * v - np.cross(v, last[..., 1:])
    sine = np.linalg.norm(vector, axis=-1)
    half = np.arctan2(sine, np.abs(scalar))
    size = np.where(sine > SMALL, 2.0 * half / np.where(sine > SMALL, sine, 1.0), 2.0)
    return (np.where(scalar < 0.0, -1.0, 1.0) * size)[..., None] * vector


def imu_means(
    turns: tuple[NDArray, NDArray], velocities: tuple[NDArray, NDArray], gravity: Any, time: NDArray | float
) -> dict[str, NDArray]:
    """Return mean specific force [m/s^2] and angular velocity [rad/s] (..., 3) of frames since `before`, in own axes.

    turns are the quaternions (..., 4) before and now, velocities (..., 3) those of the frame origins in world axes.
    gravity is (3,), the time between both is in s. The force is given in the axes midway between both.
    """
    before, now = turns
    alike = np.where((before * now).sum(axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    midway = before + alike * now
    midway /= np.linalg.norm(midway, axis=-1, keepdims=True)
    gained = (velocities[1] - velocities[0]) / time - np.asarray(gravity)
    force = np.einsum("...ij,...i->...j", rotations(midway), gained)
    return {"accelerometer": force, "gyroscope": turn_between(before, now) / time}
