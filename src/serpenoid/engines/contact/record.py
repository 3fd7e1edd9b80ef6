"""Variables of a run in a contact world, from MuJoCo's quantities at its samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.contact.samples import LINK, PLACE, PUSH, SLIP, Survey


def base_twists(survey: Survey) -> NDArray:
    """Return the twists (samples, 6) of link 0 in its own axes [m/s, rad/s]."""
    return np.concatenate([survey.base_velocity, survey.spin[:, 0]], axis=1)


def poses(survey: Survey) -> NDArray:
    """Return the link poses (samples, links, 7): x y z [m], quaternion w x y z."""
    return np.concatenate([survey.place, survey.turn], axis=2)


# Variables that a law may request one by one, each computed from a survey.
OF_SURVEY: dict[str, Callable[[Survey], NDArray]] = {
    "joint_torque": lambda survey: survey.torque,
    "link_pose": poses,
    "center_of_mass": lambda survey: survey.center,
    "contact_force": lambda survey: survey.force,
    "base_twist": base_twists,
    "accelerometer": lambda survey: survey.felt,
    "gyroscope": lambda survey: survey.spin,
}


def motion_variables(survey: Survey, mass: float) -> dict[str, NDArray]:
    """Return poses, sensor readings, torques, momenta, energies and contacts; `mass` is the total mass [kg]."""
    linear, touch = mass * survey.momentum[:, :3], survey.touch
    return {name: of(survey) for name, of in OF_SURVEY.items()} | {
        "center_velocity": survey.momentum[:, :3],
        "energy_kinetic": survey.energy[:, 1],
        "energy_potential": survey.energy[:, 0],
        "momentum_linear": linear,
        "momentum_angular": survey.momentum[:, 3:] + np.cross(survey.center, linear),
        "touch_link": touch[..., LINK],
        "touch_point": touch[..., PLACE : PLACE + 3],
        "touch_force": touch[..., PUSH : PUSH + 3],
        "touch_slip": touch[..., SLIP],
    }


def telemetry_variables(telemetry: Any, heat: NDArray, power: NDArray) -> dict[str, NDArray]:
    """Return module telemetry; `heat` (samples, joints) is above ambient [K], `power` is that of the motors [W]."""
    return {
        "temperature": telemetry.ambient + heat,
        "voltage": np.full_like(heat, telemetry.voltage),
        "current": telemetry.resting_current + np.maximum(power, 0.0) / telemetry.voltage,
    }
