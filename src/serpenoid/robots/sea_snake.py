"""SEA snake: modules with alternating lateral and dorsal joints, each behind a spring that senses torque."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import pi
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between, check_fields
from serpenoid.errors import require
from serpenoid.kernels.records import Chain, Tree
from serpenoid.robots.base import PlanarPieces, TreeRobot
from serpenoid.robots.cascade import TOP_SPEED
from serpenoid.robots.drives import PD, Drive
from serpenoid.robots.prism import Prism, Section, regular_polygon
from serpenoid.robots.sensors import Sensors
from serpenoid.robots.telemetry import Telemetry

CORNERS = 24  # corners of the polygon that represents a round section in water


class Rods(NamedTuple):
    """Uniform cylinder, or several in a row combined."""

    mass: NDArray  # [kg]
    center: NDArray  # along x [m]
    across: NDArray  # inertia about the centre, across x [kg m^2]


@dataclass(frozen=True)
class SeaSnake(TreeRobot):
    """Head, modules and tail in a chain; lateral joints (0, 2, ..) and dorsal ones (1, 3, ..) alternate.

    A module has a joint in its middle. A link is therefore the rear half of one module and the front half of the
    next. The first link is the head and half a module, the last half a module and the tail. Link 0 is the head, its
    frame at the snout; x runs from head to tail. Lateral joints rotate about z, dorsal ones about y. Sizes are
    those of Table 2.1: 16 modules are 1.174 m and 3.657 kg. The remaining 0.150 m and 0.377 kg are head and tail.
    """

    modules: Annotated[int, between(2, 200, usual=(8, 32))] = 18
    """number of modules and of joints"""
    module_length: Annotated[float, above(0.0, usual=(0.03, 0.2))] = 0.064
    """distance between joints [m]"""
    module_mass: Annotated[float, above(0.0, usual=(0.05, 1.0))] = 0.205
    """[kg]"""
    module_radius: Annotated[float, above(0.0, usual=(0.01, 0.08))] = 0.0255
    """radius of modules, head and tail [m]"""
    head_length: Annotated[float, above(0.0, usual=(0.02, 0.2))] = 0.075
    """length of the head and of the tail [m]; their sum is the remainder of Table 2.1"""
    head_mass: Annotated[float, above(0.0, usual=(0.05, 0.5))] = 0.1885
    """[kg]"""
    tail_length: Annotated[float, above(0.0, usual=(0.02, 0.2))] = 0.075
    """[m]"""
    tail_mass: Annotated[float, above(0.0, usual=(0.05, 0.5))] = 0.1885
    """[kg]"""
    joint_limit: Annotated[float, between(0.01, pi, usual=(0.5, pi / 2))] = pi / 2
    """largest angle of a joint [rad]"""
    speed_limit: Annotated[float, above(0.0, usual=(1.0, 10.0), most=1e6)] = TOP_SPEED
    """largest joint rate that a drive can reach: 33 rpm [rad/s]"""
    joint_damping: Annotated[float, at_least(0.0, usual=(0.0, 0.1))] = 0.0
    """viscous friction of a joint, parallel to its drive [N m s/rad]"""
    joint_armature: Annotated[float, at_least(0.0, usual=(0.0, 0.05))] = 0.0
    """armature of a joint; a rotor behind a spring belongs to the drive [kg m^2]"""
    self_collision: bool = False
    """whether links that are not neighbours collide with each other"""
    drive: Drive = PD(stiffness=30.0, damping=0.3, torque_limit=7.0)
    """drive of the joints: PD with the spring as its gain, or a motor behind the spring (SeriesElastic, Cascade)"""
    telemetry: Telemetry = Telemetry()
    """temperature, voltage and current of the modules"""
    sensors: Sensors = Sensors()
    """sensors that a controller reads; ideal by default"""

    def __post_init__(self) -> None:
        check_fields(self)
        springs = self.drive.joint_stiffness(self.joints)
        require(bool(np.all(springs > 0.0)), "drive.stiffness", float(springs.min()), "above 0: it is the spring")

    @property
    def joints(self) -> int:
        return self.modules

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Joint names: kind and index."""
        return tuple(f"{'dorsal' if j % 2 else 'lateral'}_{j}" for j in range(self.joints))

    @property
    def link_names(self) -> tuple[str, ...]:
        return ("head", *(f"link_{k}" for k in range(1, self.modules)), "tail")

    @property
    def yaw_joints(self) -> tuple[int, ...]:
        """Lateral joints, which bend the body sideways."""
        return tuple(range(0, self.joints, 2))

    @property
    def pitch_joints(self) -> tuple[int, ...]:
        """Dorsal joints, which bend the body down and up."""
        return tuple(range(1, self.joints, 2))

    @property
    def joint_range(self) -> NDArray:
        """Smallest and largest angle of each joint (joints, 2) [rad]."""
        return np.tile((-self.joint_limit, self.joint_limit), (self.joints, 1))

    @property
    def radius(self) -> float:  # type: ignore[override]
        """Radius of the body [m]."""
        return self.module_radius

    @property
    def length(self) -> float:  # type: ignore[override]
        """Length of the straight body from snout to tail [m]."""
        return self.head_length + self.modules * self.module_length + self.tail_length

    @property
    def mass(self) -> float:
        """Total mass [kg]."""
        return self.head_mass + self.modules * self.module_mass + self.tail_mass

    @property
    def arc_positions(self) -> NDArray:
        """Distance of each joint from the snout along the straight body (joints,) [m]."""
        return self.head_length + self.module_length * (np.arange(self.joints) + 0.5)

    @property
    def link_ends(self) -> NDArray:
        """Return the end of each link along the straight body (links,) from the snout [m]."""
        return np.append(self.arc_positions, self.length)

    def rods(self) -> tuple[Rods, NDArray]:
        """Return the cylinders of the body, head to tail, from the snout, and the link of each."""
        half, n = 0.5 * self.module_length, self.modules
        lengths = np.array([self.head_length, *[half] * (2 * n), self.tail_length])
        mass = np.array([self.head_mass, *[0.5 * self.module_mass] * (2 * n), self.tail_mass])
        center = np.cumsum(lengths) - 0.5 * lengths
        across = mass * (3.0 * self.module_radius**2 + lengths**2) / 12.0
        return Rods(mass, center, across), np.searchsorted(self.arc_positions, center)

    def joined(self, piece: NDArray) -> Rods:
        """Combine cylinders into pieces by index, from the snout."""
        rods, _ = self.rods()
        mass = np.bincount(piece, rods.mass)
        center = np.bincount(piece, rods.mass * rods.center) / mass
        across = np.bincount(piece, rods.across + rods.mass * (rods.center - center[piece]) ** 2)
        return Rods(mass, center, across)

    def tree(self) -> Tree:
        """Return the record of its links."""
        count = self.modules + 1
        links = self.joined(self.rods()[1])
        front = np.append(0.0, self.arc_positions)
        offset, center, axis = np.zeros((count, 3)), np.zeros((count, 3)), np.tile((0.0, 1.0, 0.0), (count, 1))
        offset[:, 0] = np.diff(front, prepend=0.0)
        center[:, 0] = links.center - front
        axis[1::2] = (0.0, 0.0, 1.0)
        inertia = np.zeros((count, 3, 3))
        inertia[:, 0, 0] = 0.5 * links.mass * self.module_radius**2
        inertia[:, 1, 1] = inertia[:, 2, 2] = links.across
        hinges = np.tile((self.joint_damping, self.joint_armature), (self.joints, 1))
        rotation = np.tile(np.eye(3), (count, 1, 1))
        return Tree(
            np.arange(-1, count - 1), rotation, offset, axis, links.mass, center, inertia, False, hinges
        )  # fmt: skip

    def planar_chain(self) -> PlanarPieces:
        """Return the rigid pieces between lateral joints, with dorsal joints held at 0."""
        lateral = np.array(self.yaw_joints)
        front = np.append(0.0, self.arc_positions[lateral])
        pieces = self.joined(np.searchsorted(front[1:], self.rods()[0].center))
        length = np.diff(np.append(front, self.length))
        damping = np.full(lateral.size, self.joint_damping)
        chain = Chain(length, pieces.center - front, pieces.mass, pieces.across, damping)
        return PlanarPieces(chain, self.module_radius, lateral)

    def prisms(self) -> tuple[Prism, ...]:
        """Return the displacing shapes: cylinders, each as the polygon of the same area."""
        front = np.append(0.0, self.arc_positions)
        return round_prisms(self.module_radius, tuple((self.link_ends - front).tolist()))


@lru_cache
def round_prisms(radius: float, lengths: tuple[float, ...]) -> tuple[Prism, ...]:
    """Return cylinders of these lengths, one per body; cached, because checking a polygon takes longer than a step."""
    return tuple(Prism(i, 0.0, length, round_section(radius)) for i, length in enumerate(lengths))


def round_section(radius: float) -> Section:
    """Return a polygon with the area of a circle."""
    return regular_polygon(CORNERS, radius * float(np.sqrt(2.0 * pi / (CORNERS * np.sin(2.0 * pi / CORNERS)))))
