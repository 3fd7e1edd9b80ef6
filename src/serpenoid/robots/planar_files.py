"""Planar snakes in MJCF and URDF files: two sliders and a hinge for the head, hinges about one axis behind it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import FileProblem
from serpenoid.robots.planar import PlanarSnake

if TYPE_CHECKING:
    import mujoco

PLANAR_BASE = (("base_x", "slide", "1 0 0"), ("base_y", "slide", "0 1 0"), ("base_turn", "hinge", "0 0 1"))
BASE = len(PLANAR_BASE)  # joints between the world and the head
NEAR = 1e-6  # largest distance of a point from the body's line, as a fraction of the body's length
LIGHT = 0.01  # negligible armature of the base, as a fraction of the robot's mass or inertia
NOTHING = 1e-12  # mass [kg] that counts as zero


class Links(NamedTuple):
    """Rigid links of a file at angle zero, head first."""

    mass: NDArray  # (n,) [kg]
    center: NDArray  # (n, 3) [m]
    inertia: NDArray  # (n,) about the centre, across the plane [kg m^2]
    radius: float  # of the thickest solid [m]


def slides(model: mujoco.MjModel) -> bool:
    """Return whether the first joints of MuJoCo's model are those of a planar base."""
    import mujoco

    slide, hinge = mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE
    return model.njnt > BASE and list(model.jnt_type[:BASE]) == [slide, slide, hinge]


def planar_snake(path: Path, model: mujoco.MjModel) -> PlanarSnake:
    """Return the snake of a model with a planar base; raise if its links are not in line."""
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    refuse_what_is_no_snake(path, model, data)
    owner = owners(path, model)
    links = links_of(model, data, owner)
    joints = data.xanchor[BASE:]
    along = direction(joints, links.center)
    station, middle, start = joints @ along, links.center @ along, float(data.xpos[head_body(model)] @ along)
    check_line(path, np.concatenate([joints, links.center]), along, data.xaxis[2])
    head = station[0] - start if station[0] - start > NEAR and start < middle[0] else 2.0 * (station[0] - middle[0])
    front = station[0] - head
    length = np.diff(np.concatenate([[front], station, [2.0 * middle[-1] - station[-1]]]))
    if length.min() <= 0.0:
        raise FileProblem(path, "has joints that are not in order along the body: must be a chain")
    center = middle - np.concatenate([[front], station])
    inner = {"link_center": each(center)} if np.abs(center - 0.5 * length).max() > NEAR * length.sum() else {}
    return PlanarSnake(
        len(length), each(length), each(links.mass), each(links.inertia), **inner, radius=links.radius,
        **joint_fields(model),
    )  # fmt: skip


def refuse_what_is_no_snake(path: Path, model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Raise for features that a planar snake cannot have."""
    import mujoco

    if np.any(model.jnt_type[BASE:] != mujoco.mjtJoint.mjJNT_HINGE):
        raise FileProblem(path, "has a planar base and a joint behind it that is not a hinge")
    normal = data.xaxis[BASE - 1]
    if np.abs(data.xaxis[BASE:] - normal).max() > NEAR or np.abs(data.xaxis[: BASE - 1] @ normal).max() > NEAR:
        raise FileProblem(path, "slides in the plane: all its hinges must rotate about its normal")
    if np.any(model.jnt_stiffness) or np.any(model.qpos0):
        raise FileProblem(path, "has joint springs or joint reference angles: must be 0, they are not modelled")
    mass = float(model.body_mass.sum())
    if np.any(model.dof_damping[:BASE]) or np.any(model.dof_frictionloss[:BASE]):
        raise FileProblem(path, "has friction in its base joints: must be 0, the world has friction")
    if np.any(model.dof_armature[:BASE] > LIGHT * mass):
        raise FileProblem(path, "has armature in its base joints: must be 0, it is not modelled")


def head_body(model: mujoco.MjModel) -> int:
    """Return the body that is moved by the base's rotation."""
    return int(model.jnt_bodyid[BASE - 1])


def owners(path: Path, model: mujoco.MjModel) -> NDArray:
    """Return the link of each of MuJoCo's bodies, -1 for those before the head; links must form a chain."""
    link = np.full(model.nbody, -1)
    for i in range(1, model.nbody):
        first, count = int(model.body_jntadr[i]), int(model.body_jntnum[i])
        hinges = [joint for joint in range(first, first + count) if joint >= BASE]
        parent = link[model.body_parentid[i]]
        if len(hinges) > 1 or (hinges and hinges[0] - BASE != parent):
            raise FileProblem(path, f"body {model.body(i).name}: links must form a chain of hinges")
        link[i] = hinges[0] - BASE + 1 if hinges else max(parent, 0 if i >= head_body(model) else -1)
    return link


def links_of(model: mujoco.MjModel, data: mujoco.MjData, owner: NDArray) -> Links:
    """Return masses, centres and inertias of all links."""
    count, normal = model.njnt - BASE + 1, data.xaxis[BASE - 1]
    mass, center, inertia = np.zeros(count), np.zeros((count, 3)), np.zeros(count)
    for k in range(count):
        bodies = [i for i in np.flatnonzero(owner == k) if model.body_mass[i] > NOTHING]
        mass[k] = sum(model.body_mass[i] for i in bodies)
        center[k] = sum(model.body_mass[i] * data.xipos[i] for i in bodies) / mass[k] if mass[k] else np.nan
        for i in bodies:
            axes, off = data.ximat[i].reshape(3, 3), data.xipos[i] - center[k]
            inertia[k] += float(model.body_inertia[i] @ (axes.T @ normal) ** 2)
            inertia[k] += model.body_mass[i] * float(off @ off - (off @ normal) ** 2)
    solids = model.geom_size[(owner[model.geom_bodyid] >= 0) & (model.geom_bodyid > 0), 0]
    return Links(mass, center, inertia, float(solids.max()) if solids.size else PlanarSnake.radius)


def direction(joints: NDArray, center: NDArray) -> NDArray:
    """Return the unit vector from head to tail, along the joints or, with one joint, to the last link's centre."""
    way = joints[-1] - joints[0] if len(joints) > 1 else center[-1] - joints[0]
    return way / np.linalg.norm(way)


def check_line(path: Path, points: NDArray, along: NDArray, normal: NDArray) -> None:
    """Raise if joints and centres of mass are not on one line of the plane."""
    across = np.cross(normal, along)
    off = np.abs((points - points[0]) @ across).max()
    if not off <= NEAR * np.ptp(points @ along):
        raise FileProblem(path, f"has joints or centres of mass {off:.3g} m off the line of its body: must be on it")


def joint_fields(model: mujoco.MjModel) -> dict[str, Any]:
    """Return friction, armature and limits of the hinges."""
    found = {
        "joint_damping": each(model.dof_damping[BASE:]), "joint_friction": each(model.dof_frictionloss[BASE:]),
        "joint_armature": each(model.dof_armature[BASE:]),
    }  # fmt: skip
    limited = model.jnt_limited[BASE:].astype(bool)
    if limited.any() and np.abs(model.jnt_range[BASE:][limited]).min() < np.pi:
        free = np.where(limited[:, None], model.jnt_range[BASE:], (-2.0 * np.pi, 2.0 * np.pi))
        found |= {"joint_lower": each(free[:, 0]), "joint_upper": each(free[:, 1])}
    return found


def each(values: NDArray) -> Any:
    """Return one number if all are equal up to rounding, else all of them."""
    same = np.ptp(values) <= 1e-12 * np.abs(values).max(initial=0.0)
    return float(values[0]) if same else tuple(float(value) for value in values)
