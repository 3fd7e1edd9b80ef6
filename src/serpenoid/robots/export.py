"""Export of robots to MJCF, URDF and MuJoCo models, with all digits of every number."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import FileProblem, Unsupported, instance
from serpenoid.kernels.records import Tree
from serpenoid.robots.actuators import LOOSE
from serpenoid.robots.base import PlanarRobot, Robot, TreeRobot
from serpenoid.robots.body_shapes import BodyShape
from serpenoid.robots.drives import NO_LIMIT, Prescribed
from serpenoid.robots.export_notes import left_out, speed_limits
from serpenoid.robots.formats import TRACE
from serpenoid.robots.pieces import outline
from serpenoid.robots.planar import chain_tree
from serpenoid.robots.planar_files import PLANAR_BASE
from serpenoid.robots.rotations import quaternion, rotations
from serpenoid.support.reading import checked_path

if TYPE_CHECKING:
    import mujoco

FULL_TURN = 2.0 * np.pi


def write_model(robot: Robot, path: str | os.PathLike[str]) -> Path:
    """Write a robot as MJCF (.xml, .mjcf) or URDF (.urdf), chosen by the file extension.

    Issue one warning that lists everything the format cannot represent.
    """
    target = checked_path(path)
    instance("robot", robot, Robot, "a robot, such as sp.robots.PlanarSnake()")
    makers = {".xml": mjcf, ".mjcf": mjcf, ".urdf": urdf}
    ending = target.suffix.lower()
    if ending not in makers:
        raise FileProblem(target, f"must end in {', '.join(makers)}")
    text = makers[ending](robot)
    try:
        target.write_text(text)
    except OSError as error:
        raise FileProblem(target, f"cannot be written ({error.strerror})") from None
    language = makers[ending].__name__.upper()
    lost = left_out(robot, language)
    if lost:
        warnings.warn(f"{target}: omitted, because {language} cannot represent them: {'; '.join(lost)}", stacklevel=2)
    return target


def mjcf(robot: Robot) -> str:
    """Return the robot as MJCF with solids and one actuator per joint; base free or fixed, or planar joints."""
    root = ElementTree.Element("mujoco", model=robot.called)
    ElementTree.SubElement(root, "compiler", angle="radian", autolimits="true")
    ElementTree.SubElement(root, "option", timestep="0.001", integrator="RK4")
    world = ElementTree.SubElement(root, "worldbody")
    tree = tree_of(robot)
    base = ElementTree.SubElement(world, "body", name=robot.link_names[0])
    if isinstance(robot, PlanarRobot):
        for name, kind, axis in PLANAR_BASE:
            ElementTree.SubElement(base, "joint", name=name, type=kind, axis=axis)
    elif not tree.fixed_base:
        ElementTree.SubElement(base, "freejoint", name="base")
    add_inertial(base, tree, 0)
    elements: dict[int, Any] = {0: base}
    waiting: dict[int, list[int]] = {}
    for body in range(1, tree.parent.size):
        place_mjcf(robot, tree, body, elements, waiting)
    for body, shape in outline(robot):
        add_geom(elements[body], shape)
    add_actuators(ElementTree.SubElement(root, "actuator"), robot)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def add_actuators(element: ElementTree.Element, robot: Robot) -> None:
    """Add a servo per joint with the gains and limit of a PD drive, else a motor."""
    limits, gains = torque_limits(robot), robot.drive.servo_gains(robot.joints)
    for j, name in enumerate(robot.joint_names):
        limited = f"{-limits[j]!r} {limits[j]!r}"
        if robot.drive.direct and gains is not None:
            kp, kv = (repr(float(gain[j])) for gain in gains)
            ElementTree.SubElement(element, "position", name=name, joint=name, kp=kp, kv=kv, forcerange=limited)
        elif limits[j] < NO_LIMIT:
            ElementTree.SubElement(element, "motor", name=name, joint=name, ctrlrange=limited)
        else:
            ElementTree.SubElement(element, "motor", name=name, joint=name)


def torque_limits(robot: Robot) -> list[float]:
    """Return the largest torque of each joint [N m]; a tiny value for an unpowered joint."""
    limits = robot.drive.torque_limits(robot.joints)
    return np.where(np.isinf(limits), NO_LIMIT, np.maximum(limits, LOOSE)).tolist()


def add_geom(element: ElementTree.Element, shape: BodyShape) -> None:
    """Add a solid of a body."""
    ElementTree.SubElement(
        element, "geom", type=shape.kind, size=text(shape.size), pos=text(shape.position), quat=text(shape.rotation)
    )  # fmt: skip


def mujoco_model(robot: Robot, step: float = 0.001, integrator: str = "RK4") -> mujoco.MjModel:
    """Return the robot in MuJoCo (an MjModel) in empty space, without weight or contacts.

    Each joint has a motor instead of its drive. Integrators are Euler, RK4 and implicitfast.
    """
    import mujoco

    undriven: Any = robot  # a dataclass
    model = mujoco.MjModel.from_xml_string(mjcf(replace(undriven, drive=Prescribed())))
    model.opt.gravity[:], model.opt.timestep = 0.0, step
    model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    return model


def place_mjcf(robot: Robot, tree: Tree, body: int, elements: dict[int, Any], waiting: dict[int, list[int]]) -> None:
    """Add one body; MuJoCo requires mass, so the hinge of a massless body moves to its only child."""
    if tree.mass[body] == 0.0:
        if list(tree.parent).count(body) != 1:
            raise Unsupported(f"{robot.link_names[body]} has no mass: must have mass or exactly one child for MJCF")
        waiting[body] = [*waiting.get(int(tree.parent[body]), []), body]
        return
    hinges = [*waiting.get(int(tree.parent[body]), []), body]
    top = int(tree.parent[hinges[0]])
    R, p = np.eye(3), np.zeros(3)
    frames = []
    for hinge in hinges:
        p, R = p + R @ tree.offset[hinge], R @ tree.rotation[hinge]
        frames.append((p, R))
    element = ElementTree.SubElement(
        elements[top], "body", name=robot.link_names[body], pos=text(p), quat=text(quaternion(R))
    )  # fmt: skip
    for hinge, (origin, axes) in zip(hinges, frames):
        ElementTree.SubElement(
            element, "joint", name=robot.joint_names[hinge - 1], type="hinge", pos=text(R.T @ (origin - p)),
            axis=text(R.T @ axes @ tree.axis[hinge]), **stops(robot, hinge),
            **losses(robot, tree, hinge, {"damping": "damping", "armature": "armature", "friction": "frictionloss"}),
        )  # fmt: skip
    add_inertial(element, tree, body)
    elements[body] = element


def losses(robot: Robot, tree: Tree, body: int, names: dict[str, str]) -> dict[str, Any]:
    """Return the attributes for damping, armature and dry friction of a hinge, under the names of a format."""
    dry = robot.dry_friction
    values = {"damping": tree.damping[body - 1], "armature": tree.armature[body - 1]}
    values["friction"] = 0.0 if dry is None else dry[body - 1]
    return {name: repr(float(values[what])) for what, name in names.items() if values[what]}


def stops(robot: Robot, body: int) -> dict[str, Any]:
    """Return the range attribute of a joint with limits inside -pi to pi."""
    lower, upper = limits(robot, body)
    return {"range": text((lower, upper))} if lower > -np.pi or upper < np.pi else {}


def add_inertial(element: ElementTree.Element, tree: Tree, body: int) -> None:
    """Add mass, centre and inertia of a body; nothing for a massless one."""
    if tree.mass[body] > 0.0:
        ElementTree.SubElement(
            element, "inertial", pos=text(tree.center[body]), mass=repr(float(tree.mass[body])),
            fullinertia=text(six(tree.inertia[body])),
        )  # fmt: skip


def urdf(robot: Robot) -> str:
    """Return the robot as URDF; a floating base has a floating joint to a link `world`, a planar one three joints."""
    root = ElementTree.Element("robot", name=robot.called)
    tree = tree_of(robot)
    if isinstance(robot, PlanarRobot):
        add_planar_base(root, robot.link_names[0])
    elif not tree.fixed_base:
        ElementTree.SubElement(root, "link", name="world")
        add_urdf_joint(root, "base", "floating", "world", robot.link_names[0])
    shapes, torques, speeds = outline(robot), torque_limits(robot), speed_limits(robot)
    for body, name in enumerate(robot.link_names):
        link = add_link(root, name, tree, body)
        for _, shape in (pair for pair in shapes if pair[0] == body):
            add_urdf_shape(link, shape)
        if body > 0:
            parent = robot.link_names[tree.parent[body]]
            joint = add_urdf_joint(root, robot.joint_names[body - 1], "revolute", parent, name)
            rpy = roll_pitch_yaw(tree.rotation[body])
            ElementTree.SubElement(joint, "origin", xyz=text(tree.offset[body]), rpy=text(rpy))
            ElementTree.SubElement(joint, "axis", xyz=text(tree.axis[body]))
            lower, upper = limits(robot, body)
            add_limit(joint, lower, upper, torques[body - 1], speeds[body - 1])
            rubbed = losses(robot, tree, body, {"damping": "damping", "friction": "friction"})
            if rubbed:
                ElementTree.SubElement(joint, "dynamics", **rubbed)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def add_planar_base(root: ElementTree.Element, link: str) -> None:
    """Add two sliders and a hinge between the world and the head."""
    ElementTree.SubElement(root, "link", name="world")
    chain = ["world", "slider_x", "slider_y", link]
    for (name, kind, axis), parent, child in zip(PLANAR_BASE, chain, chain[1:]):
        if child != link:
            weigh_link(ElementTree.SubElement(root, "link", name=child), TRACE, np.zeros(3), TRACE * np.eye(3))
        joint = add_urdf_joint(root, name, "prismatic" if kind == "slide" else "revolute", parent, child)
        ElementTree.SubElement(joint, "axis", xyz=axis)
        add_limit(joint, -1e6, 1e6)


def add_urdf_joint(root: ElementTree.Element, name: str, kind: str, parent: str, child: str) -> ElementTree.Element:
    """Add a joint between two links."""
    joint = ElementTree.SubElement(root, "joint", name=name, type=kind)
    ElementTree.SubElement(joint, "parent", link=parent)
    ElementTree.SubElement(joint, "child", link=child)
    return joint


def add_limit(
    joint: Any, lower: float, upper: float, effort: float = NO_LIMIT, velocity: float = NO_LIMIT
) -> None:  # fmt: skip
    """Add range, torque and speed of a joint; URDF requires all of them."""
    ElementTree.SubElement(
        joint, "limit", lower=repr(lower), upper=repr(upper), effort=repr(effort), velocity=repr(velocity)
    )  # fmt: skip


def add_urdf_shape(link: Any, shape: BodyShape) -> None:
    """Add a solid for drawing and collision; capsules become a cylinder and two spheres, ellipsoids a box."""
    rpy = text(roll_pitch_yaw(rotations(shape.rotation)))
    for part in ("visual", "collision"):
        for kind, place, sizes in urdf_solids(shape):
            element = ElementTree.SubElement(link, part)
            ElementTree.SubElement(element, "origin", xyz=text(place), rpy=rpy)
            ElementTree.SubElement(ElementTree.SubElement(element, "geometry"), kind, **sizes)


def urdf_solids(shape: BodyShape) -> list[tuple[str, Iterable[float], dict[str, Any]]]:
    """Return the solids of URDF that make up a shape: kind, middle in the body's frame [m] and sizes [m]."""
    radius = {"radius": repr(shape.size[0])}
    if shape.kind == "sphere":
        return [("sphere", shape.position, radius)]
    if shape.kind in ("capsule", "cylinder"):
        caps = shape.ends() if shape.kind == "capsule" else ()
        core = ("cylinder", shape.position, radius | {"length": repr(2.0 * shape.size[1])})
        return [core, *(("sphere", cap, radius) for cap in caps)]
    return [("box", shape.position, {"size": text(2.0 * half for half in shape.size)})]


def add_link(root: ElementTree.Element, name: str, tree: Tree, body: int) -> ElementTree.Element:
    """Add a link with its inertia."""
    link = ElementTree.SubElement(root, "link", name=name)
    if tree.mass[body] == 0.0:
        weigh_link(link, TRACE, np.zeros(3), TRACE * np.eye(3))
    else:
        weigh_link(link, float(tree.mass[body]), tree.center[body], tree.inertia[body])
    return link


def weigh_link(link: Any, mass: float, center: NDArray, inertia: NDArray) -> None:
    """Add mass and inertia of a link; MuJoCo rejects a URDF with a massless moving link."""
    inertial = ElementTree.SubElement(link, "inertial")
    ElementTree.SubElement(inertial, "origin", xyz=text(center), rpy="0 0 0")
    ElementTree.SubElement(inertial, "mass", value=repr(mass))
    keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    values: dict[str, Any] = {key: repr(float(value)) for key, value in zip(keys, six(inertia))}
    ElementTree.SubElement(inertial, "inertia", **values)


def tree_of(robot: Robot) -> Tree:
    """Return the robot's bodies, also for a planar chain."""
    if isinstance(robot, TreeRobot):
        return robot.tree()
    if isinstance(robot, PlanarRobot):
        return chain_tree(robot.chain(), robot.armature)
    raise Unsupported(f"{robot.called} can be written as neither MJCF nor URDF")


def limits(robot: Robot, body: int) -> tuple[float, float]:
    """Return the limits of a joint [rad]; -2 pi and 2 pi if the robot has none."""
    reach = robot.joint_range
    lower, upper = (-FULL_TURN, FULL_TURN) if reach is None else reach[body - 1]
    return max(float(lower), -FULL_TURN), min(float(upper), FULL_TURN)


def six(inertia: NDArray) -> tuple[float, ...]:
    """Return xx yy zz xy xz yz."""
    i = inertia
    return (i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2])


def roll_pitch_yaw(R: NDArray) -> tuple[float, ...]:
    """Return the angles of R = Rz(yaw) Ry(pitch) Rx(roll)."""
    from scipy.spatial.transform import Rotation

    with warnings.catch_warnings():  # nose up or down, yaw and roll turn about the same axis: yaw is then 0
        warnings.simplefilter("ignore")
        return tuple(Rotation.from_matrix(R).as_euler("xyz").tolist())


def text(values: Iterable[Any]) -> str:
    """Format numbers with all their digits."""
    return " ".join(repr(float(value)) for value in values)
