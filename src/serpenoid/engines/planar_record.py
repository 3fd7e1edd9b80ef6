"""What a trajectory of the planar chain holds, computed from its states and torques."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.engines.base import Variable
from serpenoid.kernels.planar.chain import PlanarModel
from serpenoid.kernels.planar.samples import sample_quantities

QUANTITIES = (
    ("energy_kinetic", "J", "kinetic energy of the bodies"),
    ("energy_added", "J", "kinetic energy of the added mass"),
    ("power_drive", "W", "work rate of the joint torques"),
    ("power_medium", "W", "work rate of the medium on the links, added mass apart"),
    ("power_damping", "W", "work rate of the joints' viscous friction"),
)


def planar_variables(model: PlanarModel, states: NDArray, torques: NDArray) -> dict[str, Variable]:
    """Variables of a run; states (samples, 2 (n + 2)), torques (samples, n - 1) [N m]."""
    half = states.shape[1] // 2
    scalars, momenta, links, accelerations = sample_quantities(model, np.ascontiguousarray(states), torques)
    rates = states[:, half + 3 :]
    joint, link = ("time", "joint"), ("time", "link", "pose")
    found = {
        "joint_position": Variable(joint, states[:, 3:half], "rad", "joint angle"),
        "joint_velocity": Variable(joint, rates, "rad/s", "joint rate"),
        "joint_torque": Variable(joint, torques, "N m", "torque of the drive"),
        "base_pose": Variable(("time", "pose"), poses(links[:, 0]), "m, -", "pose of the head's front end"),
        "base_twist": Variable(
            ("time", "twist"), base_twists(links, states), "m/s, rad/s", "twist of the head, own axes"
        ),
        "center_of_mass": Variable(("time", "axis"), lifted(states[:, :2]), "m", "centre of mass"),
        "center_velocity": Variable(("time", "axis"), lifted(states[:, half : half + 2]), "m/s", "its velocity"),
        "link_pose": Variable(link, poses(links), "m, -", "pose of each link's front end"),
        "accelerometer": Variable(
            ("time", "link", "axis"), accelerations, "m/s^2", "specific force at each link's middle"
        ),
        "gyroscope": Variable(("time", "link", "axis"), turning(links), "rad/s", "angular velocity in the link's axes"),
        "power": Variable(("time",), np.abs(torques * rates).sum(axis=1), "W", "sum over joints of |torque x rate|"),
        "momentum_linear": Variable(("time", "axis"), lifted(momenta[:, :2]), "kg m/s", "added mass included"),
        "momentum_angular": Variable(("time",), momenta[:, 2], "kg m^2/s", "about the world's origin, z"),
    }
    for i, (name, unit, meaning) in enumerate(QUANTITIES):
        found[name] = Variable(("time",), scalars[:, i], unit, meaning)
    return found


def poses(links: NDArray) -> NDArray:
    """(..., 3) x, y, angle as (..., 7) x y z, quaternion w x y z."""
    out = np.zeros((*links.shape[:-1], 7))
    out[..., :2] = links[..., :2]
    out[..., 3] = np.cos(0.5 * links[..., 2])
    out[..., 6] = np.sin(0.5 * links[..., 2])
    return out


def turning(links: NDArray) -> NDArray:
    """(samples, n, 3) angular velocity of each link, from (samples, n, 6) link poses and rates."""
    out = np.zeros((*links.shape[:2], 3))
    out[..., 2] = links[..., 5]
    return out


def lifted(plane: NDArray) -> NDArray:
    """(samples, 2) in the plane as (samples, 3)."""
    return np.concatenate([plane, np.zeros((len(plane), 1))], axis=1)


def base_twists(links: NDArray, states: NDArray) -> NDArray:
    """(samples, 6) twist of the head's front end in its own axes, from (samples, n, 6) link poses and rates."""
    out = np.zeros((len(states), 6))
    angle = links[:, 0, 2]
    vx, vy = links[:, 0, 3], links[:, 0, 4]
    out[:, 0] = np.cos(angle) * vx + np.sin(angle) * vy
    out[:, 1] = np.cos(angle) * vy - np.sin(angle) * vx
    out[:, 5] = links[:, 0, 5]
    return out
