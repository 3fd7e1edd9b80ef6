"""Trajectory variables of a tree."""

from __future__ import annotations

from numpy.typing import NDArray

from serpenoid.engines.layout import Layout
from serpenoid.kernels.accounts import ABSOLUTE, DAMPING, DRIVE, MEDIUM
from serpenoid.kernels.tree.samples import ADDED, KINETIC, POTENTIAL, Survey

# Variables that a survey contains directly.
SURVEYED = {
    "joint_torque": "torques", "center_of_mass": "center", "link_pose": "links", "gyroscope": "gyroscope",
    "accelerometer": "accelerometer",
}  # fmt: skip


def tree_variables(layout: Layout, states: NDArray, survey: Survey, mass: float) -> dict[str, NDArray]:
    """Return the variables of a run; states (samples, numbers), total mass [kg]."""
    momentum, energies, powers = survey.momentum, survey.energies, survey.powers
    return {
        "joint_position": layout.part(states, "joints"),
        "joint_velocity": layout.part(states, "joint_rates"),
        "base_pose": layout.part(states, "base_pose"),
        "base_twist": layout.part(states, "base_twist"),
        "center_velocity": momentum[:, :3] / mass,
        "power": powers[:, ABSOLUTE],
        "power_drive": powers[:, DRIVE],
        "power_damping": powers[:, DAMPING],
        "power_world": powers[:, MEDIUM],
        "energy_kinetic": energies[:, KINETIC],
        "energy_potential": energies[:, POTENTIAL],
        "energy_added": energies[:, ADDED],
        "momentum_linear": momentum[:, :3],
        "momentum_angular": momentum[:, 3:],
    } | {name: getattr(survey, field) for name, field in SURVEYED.items()}
