"""User-defined robots: trees of rigid bodies and hinges, given as data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import pi
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between, check_fields, usual
from serpenoid.errors import require
from serpenoid.kernels.records import Tree
from serpenoid.robots.base import TreeRobot
from serpenoid.robots.body_layout import BodyLayout, body_layout
from serpenoid.robots.body_shapes import BodyShape
from serpenoid.robots.drives import Drive, Prescribed
from serpenoid.robots.rotations import rotations
from serpenoid.robots.sensors import Sensors

MOST_BODIES = 1000

Six = tuple[float, float, float, float, float, float]


@dataclass(frozen=True)
class Body:
    """Rigid body with the hinge that connects it to its parent."""

    name: str
    """unique among the bodies"""
    parent: str = ""
    """name of a body listed before; empty for the first body, the base"""
    position: Annotated[tuple[float, float, float], usual(-1.0, 1.0)] = (0.0, 0.0, 0.0)
    """origin of the frame, a point of the hinge, in the parent's frame [m]"""
    rotation: Annotated[tuple[float, float, float, float], usual(-1.0, 1.0)] = (1.0, 0.0, 0.0, 0.0)
    """quaternion w x y z from body to parent axes at joint angle zero"""
    axis: Annotated[tuple[float, float, float], usual(-1.0, 1.0)] = (0.0, 0.0, 1.0)
    """unit vector of the hinge in the body's axes"""
    mass: Annotated[float, at_least(0.0, usual=(0.0, 5.0), most=1e6)] = 0.0
    """[kg]; 0 for a body that only connects two hinges"""
    center: Annotated[tuple[float, float, float], usual(-0.5, 0.5)] = (0.0, 0.0, 0.0)
    """centre of mass in the body's frame [m]"""
    inertia: Annotated[Six, between(-1e6, 1e6, usual=(-0.01, 0.1))] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    """about the centre of mass in body axes: xx yy zz xy xz yz [kg m^2]"""
    joint: str = ""
    """name of the hinge; empty: the body's name with _joint"""
    lower: Annotated[float, usual(-pi, 0.0)] = -pi
    """smallest joint angle [rad]"""
    upper: Annotated[float, usual(0.0, pi)] = pi
    """largest joint angle [rad]"""
    speed_limit: Annotated[float | None, above(0.0, usual=(1.0, 10.0), most=1e6)] = None
    """largest rate that the drive can reach, in worlds with contact [rad/s]; none: unlimited"""
    damping: Annotated[float, at_least(0.0, usual=(0.0, 0.1))] = 0.0
    """viscous friction of the hinge [N m s/rad]"""
    friction: Annotated[float, at_least(0.0, usual=(0.0, 0.1))] = 0.0
    """dry friction of the hinge [N m]"""
    armature: Annotated[float, at_least(0.0, usual=(0.0, 0.05))] = 0.0
    """reflected inertia of the hinge's rotor, at the joint side of its gear [kg m^2]"""
    shapes: tuple[BodyShape, ...] = ()
    """solids for drawing and collision; none: a rod and the box with the body's inertia"""

    def __post_init__(self) -> None:
        require(isinstance(self.name, str) and bool(self.name), "name", self.name, "a name")
        check_fields(self)
        for name in ("rotation", "axis"):
            require(
                bool(abs(np.linalg.norm(getattr(self, name)) - 1.0) < 1e-6), name, getattr(self, name), "of length 1"
            )
        require(self.lower < self.upper, "lower", self.lower, f"below {self.upper}")
        require(self.mass > 0.0 or not self.shapes, "shapes", len(self.shapes), "none on a body without mass")
        self.check_inertia()

    def check_inertia(self) -> None:
        """Raise for an inertia that no mass distribution can have."""
        moments = np.linalg.eigvalsh(self.inertia_matrix())
        slack = 1e-9 * max(moments[2], 1e-300)
        possible = moments[0] >= -slack and moments[0] + moments[1] >= moments[2] - slack
        require(possible, "inertia", self.inertia, "that of a body: positive, no moment above the sum of the others")
        require(self.mass > 0.0 or not moments.any(), "inertia", self.inertia, "zero for a body without mass")

    def inertia_matrix(self) -> NDArray:
        """Return the inertia (3, 3) about the centre of mass."""
        xx, yy, zz, xy, xz, yz = self.inertia
        return np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


@dataclass(frozen=True)
class BodyTree(TreeRobot):
    """User-defined robot: a list of bodies, each connected by a hinge to an earlier one."""

    bodies: tuple[Body, ...]
    """the base first; every other body after its parent"""
    fixed_base: bool = False
    """whether the base is fixed to the world"""
    drive: Drive = Prescribed()
    """drive of the joints"""
    sensors: Sensors = Sensors()
    """sensors that a controller reads; ideal by default"""
    name: str = ""
    """name in titles; a robot file sets it"""

    def __post_init__(self) -> None:
        check_fields(self)
        bodies, names = self.bodies, [body.name for body in self.bodies]
        count_allowed = f"2 to {MOST_BODIES} bodies, the base included"
        require(2 <= len(bodies) <= MOST_BODIES, "bodies", names, count_allowed)
        require(not bodies[0].parent, "bodies[0].parent", bodies[0].parent, "empty: the first body is the base")
        for kind, listed in (("name", names), ("joint", list(self.joint_names))):
            twice = [name for i, name in enumerate(listed) if name in listed[:i]]
            require(not twice, f"bodies.{kind}", twice, "used once")
        for i, body in enumerate(bodies[1:], start=1):
            check_parent(i, body, names)
        self.check_masses()

    def check_masses(self) -> None:
        """Raise for a tip without mass, whose inertia is zero, and for a floating base without any mass."""
        parents = {body.parent for body in self.bodies}
        for i, body in enumerate(self.bodies):
            if body.name not in parents:
                require(body.mass > 0.0, f"bodies[{i}].mass", body.mass, f"above 0: {body.name} carries no other body")

    @property
    def joints(self) -> int:
        """Number of joints, one less than bodies."""
        return len(self.bodies) - 1

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Joint names in the order of the bodies."""
        return tuple(body.joint or f"{body.name}_joint" for body in self.bodies[1:])

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of the bodies."""
        return tuple(body.name for body in self.bodies)

    @property
    def joint_range(self) -> NDArray | None:
        reach = stack_rows((body.lower, body.upper) for body in self.bodies[1:])
        return None if np.all(np.abs(reach) >= pi) else reach

    @property
    def speed_limit(self) -> NDArray:  # type: ignore[override]
        """Largest rate that the drive of each joint can reach (joints,) [rad/s]; infinite if unlimited."""
        return stack_rows(np.inf if body.speed_limit is None else body.speed_limit for body in self.bodies[1:])

    @property
    def dry_friction(self) -> NDArray | None:
        friction = stack_rows(body.friction for body in self.bodies[1:])
        return friction if friction.any() else None

    @cached_property
    def layout(self) -> BodyLayout:
        """Layout of the hinges along the body at joint angles zero."""
        from serpenoid.robots.shapes import segments

        return body_layout(self.tree(), ((line.body, line.end) for line in segments(self)))

    @property
    def yaw_joints(self) -> tuple[int, ...]:
        """Joints that bend the body sideways: hinges about the base's z axis."""
        return self.layout.yaw

    @property
    def pitch_joints(self) -> tuple[int, ...]:
        """Joints that bend the body up and down: horizontal hinges across it."""
        return self.layout.pitch

    @property
    def arc_positions(self) -> NDArray:
        """Distance of each joint from the base along the body (joints,) [m]."""
        return np.array(self.layout.arc, dtype=float)

    @property
    def length(self) -> float:  # type: ignore[override]
        """Length from the base to the farthest tip along the body [m]."""
        return self.layout.length

    @cached_property
    def radius(self) -> float:  # type: ignore[override]
        """Radius of the round body equivalent to its solids [m]."""
        from serpenoid.robots.shapes import thickness

        return thickness(self)

    def body_shapes(self) -> list[tuple[int, BodyShape]]:
        """Return every solid with the number of its body."""
        return [(i, shape) for i, body in enumerate(self.bodies) for shape in body.shapes]

    def tree(self) -> Tree:
        """Return the record of its bodies."""
        names = self.link_names
        parent = [-1, *(names.index(body.parent) for body in self.bodies[1:])]
        return Tree(
            np.array(parent), rotations(np.array([body.rotation for body in self.bodies])),
            stack_rows(body.position for body in self.bodies), stack_rows(unit(body.axis) for body in self.bodies),
            stack_rows(body.mass for body in self.bodies), stack_rows(body.center for body in self.bodies),
            np.array([body.inertia_matrix() for body in self.bodies]), self.fixed_base,
            stack_rows((body.damping, body.armature) for body in self.bodies[1:]),
        )  # fmt: skip


def check_parent(index: int, body: Body, names: list[str]) -> None:
    """Raise if a parent is missing, listed later, or the body itself."""
    field = f"bodies[{index}].parent"
    require(body.parent in names, field, body.parent, f"one of {', '.join(names[:index])}")
    before = names.index(body.parent) < index
    require(before, field, body.parent, f"a body listed before {body.name} (bodies must not form a loop)")


def stack_rows(values: Any) -> NDArray:
    """Return rows of floats as one array."""
    return np.array(list(values), dtype=float)


def unit(vector: tuple[float, ...]) -> NDArray:
    """Scale a vector to length one; coordinate axes stay exact."""
    array = np.array(vector, dtype=float)
    return array / np.linalg.norm(array)
