"""NATRIX, the swimming snake with rotating shells: dimensions and masses with their reasons."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, check_fields, usual
from serpenoid.errors import finite, require
from serpenoid.kernels.records import Tree
from serpenoid.robots.base import TreeRobot
from serpenoid.robots.drives import Drive, Prescribed
from serpenoid.robots.prism import Prism, regular_polygon, rounded_triangle
from serpenoid.robots.sensors import Sensors

MODULES = 6
HEAD, NECK, FIRST_MODULE = 0, 2, 3  # 1: the cross of the universal joint
FIRST_SHELL = FIRST_MODULE + MODULES
BODIES = FIRST_SHELL + MODULES
YAW_JOINTS = (0, 3, 4, 5, 6, 7)
PITCH_JOINTS = (1, 2)
SHELL_JOINTS = tuple(range(8, 14))


@dataclass(frozen=True)
class Solid:
    """Mass properties of one body, from its frame's origin in level axes of the straight robot: x to the tail, z up."""

    mass: Annotated[float, above(0.0, usual=(0.05, 2.0))]
    """[kg]"""
    center_x: Annotated[float, usual(0.0, 0.1)]
    """centre of mass along the body [m]"""
    center_z: Annotated[float, usual(-0.03, 0.03)]
    """height of the centre of mass above the module axis [m]"""
    inertia_long: Annotated[float, above(0.0, usual=(1e-5, 1e-2))]
    """about the body's long axis through its centre of mass [kg m^2]"""
    inertia_across: Annotated[float, above(0.0, usual=(1e-5, 1e-2))]
    """about the two axes across it [kg m^2]"""

    def __post_init__(self) -> None:
        check_fields(self)
        possible = self.inertia_long <= 2.0 * self.inertia_across
        require(possible, "inertia_long", self.inertia_long, f"at most twice inertia_across {self.inertia_across}")


@dataclass(frozen=True)
class Tail:
    """Round tail behind the last module on a passive yaw hinge with a spring and a damper.

    Its dimensions are not published. The default floats as deep as the modules.
    """

    length: Annotated[float, at_least(0.0, usual=(0.0, 0.5))] = 0.0
    """[m]; 0: no tail"""
    radius: Annotated[float, above(0.0, usual=(0.01, 0.05))] = 0.03
    """circumradius of its 24-gon [m]"""
    relative_density: Annotated[float, above(0.0, usual=(0.3, 1.0))] = 0.65
    """mass over the mass of the water that the whole tail displaces, of 1000 kg/m^3 [-]"""
    stiffness: Annotated[float, at_least(0.0, usual=(0.0, 2.0))] = 0.3
    """stiffness of its spring [N m/rad]"""
    damping: Annotated[float, at_least(0.0, usual=(0.0, 0.1))] = 0.01
    """coefficient of its damper [N m s/rad]"""

    def __post_init__(self) -> None:
        check_fields(self)

    def prism(self) -> Prism:
        """Return its displacing shape."""
        return Prism(BODIES, 0.0, self.length, regular_polygon(24, self.radius))

    def solid(self) -> Solid:
        """Return the mass properties of a homogeneous cylinder."""
        mass, r = 1000.0 * self.relative_density * self.prism().volume, self.radius
        across = mass * (3.0 * r**2 + self.length**2) / 12.0
        return Solid(mass, 0.5 * self.length, 0.0, 0.5 * mass * r**2, across)


@dataclass(frozen=True)
class Natrix(TreeRobot):
    """Head, neck and six modules in a chain, each module with a shell that rotates about its long axis.

    There are 14 bodies and 14 joints. A massless body between head and neck has the yaw of their universal joint.
    Joint b - 1 moves body b. The paper's q0..q7 are joints 0..7 and its qr2..qr7 are joints 8..13 here. Link 0 is
    the head, whose frame is the base; x runs from head to tail.

    Lengths are those of Table I. Masses, inertias and cross-sections are not published. They are a fit (set S2)
    that matches the paper's picture. Module and shell together float 65 % immersed with a metacentric height of 8.1
    mm. Head and neck weigh 40 % of the water that their own volume displaces. They therefore ride high and force
    roll at the gait's frequency. The low centres of mass are batteries and motors at the keel.
    """

    head_length: Annotated[float, above(0.0, usual=(0.05, 0.2))] = 0.100
    """from the head's frame to the universal joint, Table I a(F0 to Fv) [m]"""
    neck_length: Annotated[float, above(0.0, usual=(0.05, 0.2))] = 0.105
    """Table I a(F1 to F2) [m]"""
    module_length: Annotated[float, above(0.0, usual=(0.08, 0.3))] = 0.170
    """Table I a(Fj-1 to Fj) [m]; a shell's frame lies at its middle"""
    snout: Annotated[float, at_least(0.0, usual=(0.0, 0.05))] = 0.015
    """length of the head in front of its frame, so that the total is 1.24 m [m]"""
    head: Solid = field(default=Solid(0.23655, 0.0425, -0.014512, 2.6706e-4, 3.9423e-4))
    """40 % of the mass of the water that its 24-gon displaces"""
    neck: Solid = field(default=Solid(0.21598, 0.0525, -0.014512, 2.4383e-4, 3.2035e-4))
    """mass properties of the neck, as those of the head"""
    module: Solid = field(default=Solid(0.67357, 0.085, -0.019349, 8.9981e-4, 2.0721e-3))
    """mass properties of a module: three quarters of module and shell, low in the tube"""
    shell: Solid = field(default=Solid(0.22452, 0.0, 0.0, 6.2138e-4, 8.5142e-4))
    """mass properties of a shell: a quarter of module and shell, centred on its rotation axis"""
    head_radius: Annotated[float, above(0.0, usual=(0.02, 0.08))] = 0.04069
    """circumradius of the 24-gon of head and neck [m]"""
    shell_circumradius: Annotated[float, above(0.0, usual=(0.02, 0.08))] = 0.040
    """circumradius of the triangle whose corners are rounded [m]"""
    shell_rounding: Annotated[float, above(0.0, usual=(0.005, 0.05))] = 0.022
    """offset by which that triangle is enlarged [m]"""
    tail: Tail = Tail()
    """passive tail of the real robot, which the paper's model leaves out; it needs a drive with torques, such as pd"""
    drive: Drive = Prescribed()
    """drive of the joints; the paper's servomotors follow their commands exactly"""
    sensors: Sensors = Sensors()
    """sensors that a controller reads; ideal by default"""

    def __post_init__(self) -> None:
        check_fields(self)
        driven = self.tail.length == 0.0 or not self.drive.prescribed
        require(
            driven, "tail.length", self.tail.length, "0 with prescribed joints; a passive tail needs robot.drive = pd"
        )

    @property
    def joints(self) -> int:
        """14, and one more with a tail."""
        return BODIES - 1 + (self.tail.length > 0.0)

    @property
    def springs(self) -> dict[int, tuple[float, float]]:
        """Stiffness and damping of the tail's hinge."""
        return {BODIES - 1: (self.tail.stiffness, self.tail.damping)} if self.tail.length > 0.0 else {}

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Joint names: kind and the paper's number."""
        chain = tuple(f"{'pitch' if j in PITCH_JOINTS else 'yaw'}_{j}" for j in range(8))
        return (*chain, *(f"shell_{j}" for j in range(2, 2 + MODULES)), "tail")[: self.joints]

    @property
    def link_names(self) -> tuple[str, ...]:
        """Link names, head first; modules and shells have the paper's numbers."""
        numbers = range(2, 2 + MODULES)
        chain = ("head", "universal", "neck", *(f"module_{j}" for j in numbers))
        return (*chain, *(f"shell_{j}" for j in numbers), "tail")[: self.joints + 1]

    @property
    def yaw_joints(self) -> tuple[int, ...]:
        """Joints that bend the backbone sideways: q0 and q3..q7."""
        return YAW_JOINTS

    @property
    def joint_range(self) -> NDArray:
        """Angle range of each joint (joints, 2) [rad], assumed: pi/2 for yaw, pitch and tail, pi for shells."""
        limits = np.full(self.joints, 0.5 * np.pi)
        limits[list(SHELL_JOINTS)] = np.pi
        return np.stack([-limits, limits], axis=1)

    @property
    def length(self) -> float:  # type: ignore[override]
        """Length of the straight body from snout to tail [m]."""
        return self.snout + self.head_length + self.neck_length + MODULES * self.module_length + self.tail.length

    @property
    def arc_positions(self) -> NDArray:
        """Distance of each yaw joint from the snout when straight, NaN for the other joints [m]."""
        positions = np.full(self.joints, np.nan)
        positions[0] = self.snout + self.head_length
        for j in YAW_JOINTS[1:]:
            positions[j] = positions[0] + self.neck_length + (j - 2) * self.module_length
        return positions

    def lifted_head(self, neck: float, shells: float = 0.0) -> tuple[float, ...]:
        """Return joint angles with the neck inclined by `neck` [rad], the head lifted and level, the shells rotated."""
        angles = np.zeros(self.joints)
        angles[list(PITCH_JOINTS)] = finite("neck", neck), -neck
        angles[list(SHELL_JOINTS)] = finite("shells", shells)
        return tuple(angles.tolist())

    def level_rotations(self) -> NDArray:
        """Return rotations (bodies, 3, 3) from body to level axes when straight; neck, module 2 and its shell are
        rotated.
        """
        rotations = np.tile(np.eye(3), (self.joints + 1, 1, 1))
        rotations[[NECK, FIRST_MODULE, FIRST_SHELL]] = about_x(-90)
        return rotations

    def solids(self) -> list[Solid | None]:
        """Return the mass properties of each body; None for the massless one."""
        own = [self.head, None, self.neck, *[self.module] * MODULES, *[self.shell] * MODULES]
        return [*own, self.tail.solid()] if self.tail.length > 0.0 else own

    def tree(self) -> Tree:
        """Return Table I of the paper with alpha of F1 to F2 and of F2 to F3 corrected, so that q2 is a pitch joint."""
        count = self.joints + 1
        parent = np.array([-1, *range(FIRST_SHELL - 1), *range(FIRST_MODULE, FIRST_SHELL), FIRST_SHELL - 1])[:count]
        offset = np.zeros((count, 3))
        chain = [0.0, self.head_length, 0.0, self.neck_length, *[self.module_length] * (MODULES - 1)]
        offset[:, 0] = [*chain, *[0.5 * self.module_length] * MODULES, self.module_length][:count]
        rotation = np.tile(np.eye(3), (count, 1, 1))
        rotation[NECK], rotation[FIRST_MODULE + 1] = about_x(-90), about_x(90)
        axis = np.tile((0.0, 0.0, 1.0), (count, 1))
        axis[FIRST_SHELL:BODIES] = (1.0, 0.0, 0.0)
        mass, center, inertia = np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3, 3))
        for body, (solid, level) in enumerate(zip(self.solids(), self.level_rotations())):
            if solid is not None:
                mass[body] = solid.mass
                center[body] = level.T @ (solid.center_x, 0.0, solid.center_z)
                inertia[body] = np.diag((solid.inertia_long, solid.inertia_across, solid.inertia_across))
        return Tree(parent, rotation, offset, axis, mass, center, inertia, False, np.zeros((count - 1, 2)))

    def prisms(self) -> tuple[Prism, ...]:
        """Return the displacing shapes: head and neck as 24-gons, the shells as rounded triangles, apex up at rest."""
        tube = regular_polygon(24, self.head_radius)
        triangle = rounded_triangle(self.shell_circumradius, self.shell_rounding)
        half = 0.5 * self.module_length
        # The section of a body rotated by -90 deg about x is rotated back by 90 deg.
        return (
            Prism(HEAD, -self.snout, self.head_length, tube),
            Prism(NECK, 0.0, self.neck_length, tube, turn=np.pi / 2.0),
            Prism(FIRST_SHELL, -half, half, triangle, turn=np.pi / 2.0),
            *(Prism(body, -half, half, triangle) for body in range(FIRST_SHELL + 1, BODIES)),
            *([self.tail.prism()] if self.tail.length > 0.0 else []),
        )


def about_x(quarter_turn: int) -> NDArray:
    """Return the rotation about x by +90 or -90 degrees, without rounding."""
    s = 1.0 if quarter_turn > 0 else -1.0
    return np.array(((1.0, 0.0, 0.0), (0.0, 0.0, -s), (0.0, s, 0.0)))
