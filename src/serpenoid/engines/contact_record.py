"""The variables of a run among solid things, from what MuJoCo tells of its samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.engines.base import Variable
from serpenoid.kernels.contact.samples import LINK, PLACE, PUSH, SLIP, Survey


def rotations(turn: NDArray) -> NDArray:
    """(..., 3, 3) from link axes to world axes, of quaternions w x y z (..., 4)."""
    w, x, y, z = np.moveaxis(turn, -1, 0)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def motion_variables(survey: Survey, mass: float) -> dict[str, Variable]:
    """Poses, senses, momenta and energies; mass of the whole [kg]."""
    R, axis, link = rotations(survey.turn), ("time", "axis"), ("time", "link", "axis")
    arm = survey.place - survey.center[:, None]
    spin, turning = survey.velocity[..., :3], survey.acceleration[..., :3]
    moving = survey.velocity[..., 3:] + np.cross(spin, arm)
    felt = survey.acceleration[..., 3:] + np.cross(turning, arm) + np.cross(spin, moving)
    own = [np.einsum("slji,slj->sli", R, part) for part in (felt, spin)]
    twist = np.concatenate([np.einsum("sji,sj->si", R[:, 0], moving[:, 0]), own[1][:, 0]], axis=1)
    poses = np.concatenate([survey.place, survey.turn], axis=2)
    linear = mass * survey.momentum[:, :3]
    angular = survey.momentum[:, 3:] + np.cross(survey.center, linear)
    return {
        "base_pose": Variable(("time", "pose"), poses[:, 0], "m, -", "pose of link 0"),
        "base_twist": Variable(("time", "twist"), twist, "m/s, rad/s", "twist of link 0, own axes"),
        "center_of_mass": Variable(axis, survey.center, "m", "centre of mass"),
        "center_velocity": Variable(axis, survey.momentum[:, :3], "m/s", "its velocity"),
        "link_pose": Variable(("time", "link", "pose"), poses, "m, -", "pose of each body's frame"),
        "accelerometer": Variable(link, own[0], "m/s^2", "specific force at each frame's origin"),
        "gyroscope": Variable(link, own[1], "rad/s", "angular velocity of each body, own axes"),
        "energy_kinetic": Variable(("time",), survey.energy[:, 1], "J", "kinetic energy of the bodies"),
        "energy_potential": Variable(("time",), survey.energy[:, 0], "J", "potential energy in the world"),
        "momentum_linear": Variable(axis, linear, "kg m/s", "linear momentum, world axes"),
        "momentum_angular": Variable(axis, angular, "kg m^2/s", "angular momentum about the world's origin"),
    }


def touch_values(survey: Survey) -> dict[str, NDArray]:
    """Forces of contacts on the links, and the contacts one by one; named as the worlds describe them."""
    touch = survey.touch
    return {
        "contact_force": survey.force, "touch_link": touch[..., LINK], "touch_point": touch[..., PLACE : PLACE + 3],
        "touch_force": touch[..., PUSH : PUSH + 3], "touch_slip": touch[..., SLIP],
    }  # fmt: skip


def telemetry_variables(telemetry: Any, heat: NDArray, power: NDArray) -> dict[str, Variable]:
    """What modules tell of themselves; heat (samples, joints) above the surroundings [K], power of their motors [W]."""
    joint = ("time", "joint")
    current = telemetry.resting_current + np.maximum(power, 0.0) / telemetry.voltage
    return {
        "temperature": Variable(joint, telemetry.ambient + heat, "deg C", "temperature of each module's motor"),
        "voltage": Variable(joint, np.full_like(heat, telemetry.voltage), "V", "voltage of each module's supply"),
        "current": Variable(joint, current, "A", "current of each module: at rest, and for the work of its motor"),
    }
