"""Trajectory variables of the planar chain, from its states and torques."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.engines.layout import Layout
from serpenoid.kernels.planar.chain import PlanarModel
from serpenoid.kernels.planar.samples import sample_quantities


class JointPowers(NamedTuple):
    """Torques and powers of the drives at the samples, each (samples, joints)."""

    torque: NDArray  # on the joints [N m]
    power: NDArray  # of the motors [W]
    lost: NDArray  # in the drives, except their springs; negative [W]


def planar_variables(
    model: PlanarModel, layout: Layout, states: NDArray, joints: JointPowers, wrenches: NDArray
) -> dict[str, NDArray]:
    """Return the variables of a run; states (samples, numbers), wrenches (samples, links or 0, 3) [N, N m]."""
    scalars, momenta, links, accelerations = sample_quantities(
        model, np.ascontiguousarray(states), joints.torque, wrenches
    )
    return {
        "joint_position": layout.part(states, "joints"),
        "joint_velocity": layout.part(states, "joint_rates"),
        "joint_torque": joints.torque,
        "center_of_mass": to_space(layout.part(states, "center")),
        "center_velocity": to_space(layout.part(states, "center_rate")),
        "accelerometer": accelerations,
        "power": np.abs(joints.power).sum(axis=1),
        "momentum_linear": to_space(momenta[:, :2]),
        "momentum_angular": momenta[:, 2],
        "energy_kinetic": scalars[:, 0],
        "energy_added": scalars[:, 1],
        "power_drive": joints.power.sum(axis=1),
        "power_medium": scalars[:, 2],
        "power_damping": scalars[:, 3] + joints.lost.sum(axis=1),
    } | {name: of(links) for name, of in OF_FRAMES.items()}


def poses(links: NDArray) -> NDArray:
    """Convert x, y, angle (..., 3) to poses (..., 7): x y z, quaternion w x y z."""
    out = np.zeros((*links.shape[:-1], 7))
    out[..., :2] = links[..., :2]
    out[..., 3] = np.cos(0.5 * links[..., 2])
    out[..., 6] = np.sin(0.5 * links[..., 2])
    return out


def to_space(plane: NDArray) -> NDArray:
    """Convert planar vectors (..., 2) to (..., 3)."""
    return np.concatenate([plane, np.zeros((*plane.shape[:-1], 1))], axis=-1)


def about_z(rates: NDArray) -> NDArray:
    """Convert rotation rates (samples, n) to vectors about z (samples, n, 3)."""
    return np.stack([np.zeros_like(rates), np.zeros_like(rates), rates], axis=-1)


def body_axes(angles: NDArray) -> NDArray:
    """Return the mean unit vector from tail to head (..., 3) over the links, from link angles (..., n)."""
    nothing = np.zeros(angles.shape[:-1])
    return np.stack([-np.cos(angles).mean(axis=-1), -np.sin(angles).mean(axis=-1), nothing], axis=-1)


def base_twists(links: NDArray) -> NDArray:
    """Return the twist (samples, 6) of the head's front end in its own axes, from link poses and rates (samples, n,
    6).
    """
    out = np.zeros((len(links), 6))
    angle = links[:, 0, 2]
    vx, vy = links[:, 0, 3], links[:, 0, 4]
    out[:, 0] = np.cos(angle) * vx + np.sin(angle) * vy
    out[:, 1] = np.cos(angle) * vy - np.sin(angle) * vx
    out[:, 5] = links[:, 0, 5]
    return out


# Variables that depend only on the link frames (samples, n, 6).
OF_FRAMES: dict[str, Callable[[NDArray], NDArray]] = {
    "base_twist": base_twists,
    "link_pose": poses,
    "body_axis": lambda links: body_axes(links[..., 2]),
    "gyroscope": lambda links: about_z(links[..., 5]),
}
