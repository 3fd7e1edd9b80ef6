"""The variables of a tree's trajectory, with names and units."""

from __future__ import annotations

from numpy.typing import NDArray

from serpenoid.engines.base import Variable
from serpenoid.engines.layout import Layout
from serpenoid.kernels.accounts import ABSOLUTE, DAMPING, DRIVE, MEDIUM
from serpenoid.kernels.tree.samples import ADDED, KINETIC, POTENTIAL, Survey

# Variables that a survey holds as they are.
SURVEYED = {
    "joint_torque": "torques", "center_of_mass": "center", "link_pose": "links", "gyroscope": "gyroscope",
    "accelerometer": "accelerometer",
}  # fmt: skip


def tree_variables(layout: Layout, states: NDArray, survey: Survey, mass: float) -> dict[str, Variable]:
    """Variables of a run; states (samples, numbers), mass of the whole [kg]."""
    joint, axis, link = ("time", "joint"), ("time", "axis"), ("time", "link", "axis")
    angles, twists, rates = (layout.part(states, name) for name in ("joints", "base_twist", "joint_rates"))
    momentum, energies, powers = survey.momentum, survey.energies, survey.powers
    return {
        "joint_position": Variable(joint, angles, "rad", "joint angle"),
        "joint_velocity": Variable(joint, rates, "rad/s", "joint rate"),
        "joint_torque": Variable(joint, survey.torques, "N m", "torque of the drive"),
        "base_pose": Variable(("time", "pose"), states[:, :7], "m, -", "pose of link 0"),
        "base_twist": Variable(("time", "twist"), twists, "m/s, rad/s", "twist of link 0, own axes"),
        "center_of_mass": Variable(axis, survey.center, "m", "centre of mass"),
        "center_velocity": Variable(axis, momentum[:, :3] / mass, "m/s", "its velocity"),
        "link_pose": Variable(("time", "link", "pose"), survey.links, "m, -", "pose of each body's frame"),
        "accelerometer": Variable(link, survey.accelerometer, "m/s^2", "specific force at each frame's origin"),
        "gyroscope": Variable(link, survey.gyroscope, "rad/s", "angular velocity of each body, own axes"),
        "power": Variable(("time",), powers[:, ABSOLUTE], "W", "sum over joints of |torque x rate|"),
        "power_drive": Variable(("time",), powers[:, DRIVE], "W", "work rate of the joint torques"),
        "power_damping": Variable(("time",), powers[:, DAMPING], "W", "work rate of friction and stops in the joints"),
        "power_world": Variable(("time",), powers[:, MEDIUM], "W", "work rate of the world on the bodies"),
        "energy_kinetic": Variable(("time",), energies[:, KINETIC], "J", "kinetic energy of the bodies"),
        "energy_potential": Variable(("time",), energies[:, POTENTIAL], "J", "potential energy in the world"),
        "energy_added": Variable(("time",), energies[:, ADDED], "J", "kinetic energy of the added mass"),
        "momentum_linear": Variable(axis, momentum[:, :3], "kg m/s", "linear momentum, world axes"),
        "momentum_angular": Variable(axis, momentum[:, 3:], "kg m^2/s", "angular momentum about the world's origin"),
    }
