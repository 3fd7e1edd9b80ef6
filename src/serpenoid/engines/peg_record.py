"""Trajectory variables of a run among pegs, from the motion and the contacts of the rigid pieces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.engines.planar_record import about_z, base_twists, body_axes, poses, to_space
from serpenoid.kernels.pegs.records import PegScene
from serpenoid.worlds.peg_scene import Frames


def piece_motion(pieces: NDArray, piece: NDArray, place: NDArray) -> NDArray:
    """Return the motion (samples, links, 9) of points on the pieces: x, y, angle, their rates and accelerations."""
    out = pieces[:, piece, :9].copy()
    c, s = place * np.cos(out[..., 2]), place * np.sin(out[..., 2])
    rate, turning = out[..., 5], out[..., 8]
    out[..., 0] += c
    out[..., 1] += s
    out[..., 3] -= rate * s
    out[..., 4] += rate * c
    out[..., 6] -= turning * s + rate**2 * c
    out[..., 7] += turning * c - rate**2 * s
    return out


def link_motion(pieces: NDArray, frames: Frames) -> NDArray:
    """Return the motion (samples, links, 9) of the link frames."""
    return piece_motion(pieces, frames.piece, frames.front)


def link_poses(links: NDArray, frames: Frames) -> NDArray:
    """Return poses (samples, links, 7) from the motion of the link frames (samples, links, 9)."""
    out = poses(links[..., :3])
    out[..., 2] = frames.height
    return out


def motion_variables(scene: PegScene, frames: Frames, pieces: NDArray, gravity: float) -> dict[str, NDArray]:
    """Return poses, rates, momenta and energies from pieces (samples, n, 11)."""
    links = link_motion(pieces, frames)
    centers = piece_motion(pieces, np.arange(scene.chain.mass.size), scene.chain.center)
    mass, inertia = scene.chain.mass, scene.chain.inertia
    total = mass.sum()
    momentum = (mass[:, None] * centers[..., 3:5]).sum(axis=1)
    swing = centers[..., 0] * centers[..., 4] - centers[..., 1] * centers[..., 3]
    kinetic = 0.5 * (mass * (centers[..., 3] ** 2 + centers[..., 4] ** 2) + inertia * centers[..., 5] ** 2).sum(axis=1)
    middle = (mass[:, None] * centers[..., :2]).sum(axis=1) / total
    return {
        "base_twist": base_twists(links),
        "center_of_mass": at_height(middle, frames.height),
        "center_velocity": to_space(momentum / total),
        "body_axis": body_axes(links[..., 2]),
        "link_pose": link_poses(links, frames),
        "accelerometer": specific_forces(scene, frames, pieces, gravity),
        "gyroscope": about_z(links[..., 5]),
        "momentum_linear": to_space(momentum),
        "momentum_angular": (mass * swing + inertia * centers[..., 5]).sum(axis=1),
        "energy_kinetic": kinetic,
        "energy_potential": -total * (middle @ np.array([scene.weight_x, scene.weight_y])),
    }


def specific_forces(scene: PegScene, frames: Frames, pieces: NDArray, gravity: float) -> NDArray:
    """Return accelerometer readings (samples, links, 3) in link axes [m/s^2]; `gravity` is normal to the floor
    [m/s^2].
    """
    sensors = piece_motion(pieces, frames.piece, frames.sensor)
    ax, ay = sensors[..., 6] - scene.weight_x, sensors[..., 7] - scene.weight_y
    c, s = np.cos(sensors[..., 2]), np.sin(sensors[..., 2])
    return np.stack([c * ax + s * ay, c * ay - s * ax, np.full_like(ax, gravity)], axis=-1)


def touch_values(scene: PegScene, frames: Frames, pieces: NDArray, touches: NDArray, gravity: float) -> dict[str, Any]:
    """Return the contact variables from touches (samples, most, 6); floor forces enter only the sum per link."""
    samples, links = len(pieces), frames.piece.size
    there = ~np.isnan(touches[..., 0])
    link = np.where(there, link_at(scene, frames, pieces, touches), np.nan)
    force = np.zeros((samples, links, 3))
    sample, contact = np.nonzero(there)
    np.add.at(force[..., :2], (sample, link[there].astype(int)), touches[sample, contact, 3:5])
    share = floor_shares(scene, frames)
    force[..., :2] += share[:, None] * pieces[:, frames.piece, 9:11]
    force[..., 2] = gravity * share * scene.chain.mass[frames.piece]
    return {
        "contact_force": force, "touch_link": link, "touch_point": at_height(touches[..., 1:3], frames.height),
        "touch_force": at_height(touches[..., 3:5], 0.0), "touch_slip": touches[..., 5],
    }  # fmt: skip


def floor_shares(scene: PegScene, frames: Frames) -> NDArray:
    """Return the share (links,) of its piece's floor force that acts on a link, in proportion to its length."""
    end = np.append(frames.front[1:], scene.chain.length[frames.piece[-1]])
    last = np.append(frames.piece[1:] != frames.piece[:-1], True)
    end = np.where(last, scene.chain.length[frames.piece], end)
    return (end - frames.front) / scene.chain.length[frames.piece]


def link_at(scene: PegScene, frames: Frames, pieces: NDArray, touches: NDArray) -> NDArray:
    """Return the link (samples, most) of each contact: the last one whose frame is not behind the point."""
    piece = np.nan_to_num(touches[..., 0]).astype(int)
    own = np.take_along_axis(pieces[..., :3], piece[..., None], axis=1)
    place = (touches[..., 1] - own[..., 0]) * np.cos(own[..., 2]) + (touches[..., 2] - own[..., 1]) * np.sin(
        own[..., 2]
    )
    length = scene.chain.length
    front = np.concatenate([[0.0], np.cumsum(length)[:-1]])
    arc = front[piece] + np.clip(np.nan_to_num(place), 0.0, length[piece] * (1.0 - 1e-12))
    return np.searchsorted(front[frames.piece] + frames.front, arc, side="right") - 1


def at_height(plane: NDArray, height: float) -> NDArray:
    """Return planar points (..., 2) as (..., 3) at a height [m]; NaN stays NaN."""
    return np.concatenate([plane, np.where(np.isnan(plane[..., :1]), np.nan, height)], axis=-1)


# Variables that a law may request one by one, each from the motion of the pieces (samples, n, 11).
OF_PIECES: dict[str, Callable[[PegScene, Frames, NDArray, float], NDArray]] = {
    "link_pose": lambda _, frames, pieces, __: link_poses(link_motion(pieces, frames), frames),
    "base_twist": lambda _, frames, pieces, __: base_twists(link_motion(pieces, frames)),
    "gyroscope": lambda _, frames, pieces, __: about_z(link_motion(pieces, frames)[..., 5]),
    "accelerometer": specific_forces,
}
OF_TOUCHES = ("contact_force", "touch_point", "touch_force")  # likewise, from touch_values()
