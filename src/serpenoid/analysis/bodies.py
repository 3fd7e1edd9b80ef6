"""Links of a run as rigid bodies: poses, motions, masses."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid import configuration
from serpenoid.errors import InvalidValue
from serpenoid.robots.base import PlanarRobot, Robot, TreeRobot
from serpenoid.robots.imus import frame_velocities
from serpenoid.robots.rotations import rotations
from serpenoid.simulation import KINDS
from serpenoid.trajectory import Trajectory


class Bodies(NamedTuple):
    """Masses and joints of a robot's links, in their own frames."""

    parent: NDArray  # (links,) -1 for the base
    axis: NDArray  # (links, 3) of the hinge to the parent; zero for the base
    mass: NDArray  # (links,) [kg]
    center: NDArray  # (links, 3) [m]
    inertia: NDArray  # (links, 3, 3) about the centre of mass [kg m^2]


class LinkMotion(NamedTuple):
    """Links over time, all in world axes."""

    rotation: NDArray  # (time, links, 3, 3) from link to world axes
    center: NDArray  # (time, links, 3) centres of mass [m]
    velocity: NDArray  # (time, links, 3) of the centres of mass [m/s]
    spin: NDArray  # (time, links, 3) [rad/s]


def part_of(run: Trajectory, name: str) -> Any:
    """Return the robot, world or controller that made a run, from its configuration."""
    plain = run.configuration
    if name not in plain:
        raise InvalidValue(f"run.configuration.{name}", None, "stored; the run was made without a repeatable one")
    return configuration.from_plain(plain[name], KINDS[name], name)


def bodies_of(robot: Robot) -> Bodies:
    """Return the bodies of a planar chain or of a tree."""
    if isinstance(robot, TreeRobot):
        tree = robot.tree()
        return Bodies(tree.parent, tree.axis, tree.mass, tree.center, tree.inertia)
    if isinstance(robot, PlanarRobot):
        chain = robot.chain()
        links = chain.mass.size
        axis, center, inertia = np.zeros((links, 3)), np.zeros((links, 3)), np.zeros((links, 3, 3))
        axis[1:, 2], center[:, 0], inertia[:, 2, 2] = 1.0, chain.center, chain.inertia
        return Bodies(np.arange(-1, links - 1), axis, chain.mass, center, inertia)
    raise InvalidValue("robot", robot, "a PlanarRobot or a TreeRobot")


def link_motion(run: Trajectory, bodies: Bodies) -> LinkMotion:
    """Compute velocities of all links from the base's twist and the joint rates, outwards from the base.

    spin_b = spin_p + R_b axis_b dq_b
    """
    pose, twist, rates = run["link_pose"], run["base_twist"], run["joint_velocity"]
    rotation, origin = rotations(pose[..., 3:]), pose[..., :3]
    spin = np.zeros_like(origin)
    spin[:, 0] = np.einsum("tij,tj->ti", rotation[:, 0], twist[:, 3:])
    for link in range(1, bodies.mass.size):
        parent = int(bodies.parent[link])
        axis = rotation[:, link] @ bodies.axis[link]
        spin[:, link] = spin[:, parent] + axis * rates[:, link - 1, None]
    velocity = frame_velocities(bodies.parent, origin, spin, np.einsum("tij,tj->ti", rotation[:, 0], twist[:, :3]))
    arm = np.einsum("tlij,lj->tli", rotation, bodies.center)
    return LinkMotion(rotation, origin + arm, velocity + np.cross(spin, arm), spin)
