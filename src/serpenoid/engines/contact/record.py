"""The variables of a run among solid things, from what MuJoCo tells of its samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.engines.base import Variable
from serpenoid.kernels.contact.samples import LINK, PLACE, PUSH, SLIP, Survey


def base_twists(survey: Survey) -> NDArray:
    """(samples, 6) of link 0, own axes [m/s, rad/s]."""
    return np.concatenate([survey.base_velocity, survey.spin[:, 0]], axis=1)


def poses(survey: Survey) -> NDArray:
    """(samples, links, 7) x y z [m], quaternion w x y z."""
    return np.concatenate([survey.place, survey.turn], axis=2)


# Variables that a law may ask for one by one, each from a survey.
OF_SURVEY: dict[str, Callable[[Survey], NDArray]] = {
    "joint_torque": lambda survey: survey.torque,
    "base_pose": lambda survey: poses(survey)[:, 0],
    "link_pose": poses,
    "center_of_mass": lambda survey: survey.center,
    "contact_force": lambda survey: survey.force,
    "base_twist": base_twists,
    "accelerometer": lambda survey: survey.felt,
    "gyroscope": lambda survey: survey.spin,
}


def motion_variables(survey: Survey, mass: float) -> dict[str, Variable]:
    """Poses, senses, momenta and energies; mass of the whole [kg]."""
    axis, link = ("time", "axis"), ("time", "link", "axis")
    pose = poses(survey)
    linear = mass * survey.momentum[:, :3]
    angular = survey.momentum[:, 3:] + np.cross(survey.center, linear)
    return {
        "base_pose": Variable(("time", "pose"), pose[:, 0], "m, -", "pose of link 0"),
        "base_twist": Variable(("time", "twist"), base_twists(survey), "m/s, rad/s", "twist of link 0, own axes"),
        "center_of_mass": Variable(axis, survey.center, "m", "centre of mass"),
        "center_velocity": Variable(axis, survey.momentum[:, :3], "m/s", "its velocity"),
        "link_pose": Variable(("time", "link", "pose"), pose, "m, -", "pose of each body's frame"),
        "accelerometer": Variable(link, survey.felt, "m/s^2", "specific force at each frame's origin"),
        "gyroscope": Variable(link, survey.spin, "rad/s", "angular velocity of each body, own axes"),
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
