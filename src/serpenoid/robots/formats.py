"""Robots from MJCF and URDF files through MuJoCo's loader: trees of hinges on a free or fixed base."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import FileProblem, SerpenoidError
from serpenoid.robots.actuators import drive_of, speed_limits
from serpenoid.robots.base import Robot
from serpenoid.robots.body_shapes import SIZES, BodyShape, with_capsules
from serpenoid.robots.body_tree import Body, BodyTree
from serpenoid.robots.file_worlds import world_notes
from serpenoid.robots.model_text import check_named_files, parse_model
from serpenoid.robots.mujoco_library import library
from serpenoid.robots.planar import PlanarSnake
from serpenoid.robots.planar_files import BASE, planar_snake, slides
from serpenoid.robots.rotations import quaternion, rotations
from serpenoid.robots.urdf_meshes import with_meshes
from serpenoid.support.reading import read_bytes, read_text

if TYPE_CHECKING:
    import mujoco

UNNAMED = ("", "MuJoCo Model")  # MuJoCo's name of an unnamed model
LENT = 1e-9  # mass [kg] and moments [kg m^2] given to a massless body while MuJoCo compiles it
TRACE = 1e-14  # mass [kg] and moments [kg m^2] that represent zero in files whose loaders require mass


class Rigid:
    """Mass, centre and inertia of bodies that move together, in the frame of the first."""

    def __init__(self) -> None:
        self.mass, self.moment, self.inertia = 0.0, np.zeros(3), np.zeros((3, 3))

    def add(self, mass: float, center: NDArray, inertia: NDArray) -> None:
        """Add a body by its centre and its inertia about it, in the frame's axes."""
        self.mass += mass
        self.moment += mass * center
        self.inertia += inertia + mass * (center @ center * np.eye(3) - np.outer(center, center))

    def about(self, origin: NDArray) -> dict[str, Any]:
        """Return the mass fields of a Body with its frame shifted to `origin`."""
        if self.mass == 0.0:
            return {}
        c = self.moment / self.mass
        about_center = self.inertia - self.mass * (c @ c * np.eye(3) - np.outer(c, c))
        return {"mass": self.mass, "center": numbers(c - origin), "inertia": six(about_center)}


def read_model(path: Path) -> Robot:
    """Read the robot of an MJCF or URDF file; raise unless it is a planar snake or a tree of hinges.

    Issue one warning about omitted parts: actuators that are not drives, missing meshes, world settings.
    """
    model, massless, name, speeds, lost = load(path)
    try:
        robot: PlanarSnake | BodyTree
        first = BASE if slides(model) else int(floats(model))
        drive, notes = drive_of(model, range(first, model.njnt))
        if slides(model):
            robot = planar_snake(path, model)
            notes += [f"speed limits (from {min(speeds.values()):g} rad/s) are not modelled"] if speeds else []
        else:
            refuse_what_is_no_tree(path, model)
            robot = BodyTree(tuple(Reader(path, model, massless, speeds).bodies()), fixed_base=not first)
        notes += world_notes(model, slides(model))
        if lost + notes:
            warnings.warn(f"{path}: {'; '.join(lost + notes)}", stacklevel=3)
        return replace(robot, drive=drive, name=name)
    except FileProblem:
        raise
    except SerpenoidError as error:
        raise FileProblem(path, str(error)) from None


class Loaded(NamedTuple):
    """File compiled by MuJoCo, with what MuJoCo does not store."""

    model: mujoco.MjModel  # compiled
    massless: set[str]  # bodies without mass, which MuJoCo does not accept
    name: str  # of the robot
    speeds: dict[str, float]  # speed limits of joints [rad/s], which MuJoCo does not store
    notes: list[str]  # notes on omitted parts of the file


def load(path: Path) -> Loaded:
    """Load a file and compile it with MuJoCo."""
    try:
        spec, speeds, notes = spec_of(path)
        spec.compiler.fusestatic = False
        for joint in spec.joints:  # MuJoCo ignores such limits
            if joint.range[0] > joint.range[1]:
                lower, upper = joint.range
                raise FileProblem(path, f"joint {joint.name} has limits {lower:g} to {upper:g}: must not be reversed")
        massless = set()
        for body in spec.bodies[1:]:
            if body.mass == 0.0 and not body.geoms and len(body.joints):
                massless.add(body.name)
                body.explicitinertial, body.mass, body.inertia = True, LENT, np.full(3, LENT)
        name = path.stem if spec.modelname in UNNAMED else spec.modelname
        return Loaded(spec.compile(), massless, name, speeds, notes)
    except FileProblem:
        raise
    except Exception as error:
        raise FileProblem(path, f"MuJoCo cannot load it: {' '.join(str(error).split())[:200]}") from None


def spec_of(path: Path) -> tuple[Any, dict[str, float], list[str]]:
    """Return MuJoCo's specification, the speed limits of a URDF, and notes on omitted parts."""
    import mujoco

    library()
    root = parse_model(path, read_text(path, errors="replace"))
    check_named_files(path, root)
    if root.tag != "robot":
        name = f"{path}.xml"  # MuJoCo opens no other file extension; referenced files are searched in the folder
        return mujoco.MjSpec.from_file(name, include={name: read_bytes(path)}), {}, []
    refuse_one_name_for_two(path, [joint.get("name", "") for joint in root.iterfind("joint")])
    speeds, unread = speed_limits(root)
    text, lost = with_meshes(path, root)
    return mujoco.MjSpec.from_string(text), speeds, lost + unread


def refuse_one_name_for_two(path: Path, joints: list[str]) -> None:
    """Raise if joint names repeat, because MuJoCo's URDF reader keeps only one of them."""
    for name in joints:
        if joints.count(name) > 1:
            raise FileProblem(path, f"has {joints.count(name)} joints named {name!r}: names must differ")


def floats(model: mujoco.MjModel) -> bool:
    """Return whether the first body is free."""
    import mujoco

    return bool(model.njnt and model.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE)


def refuse_what_is_no_tree(path: Path, model: mujoco.MjModel) -> None:
    """Raise for features that a tree of hinges cannot have."""
    import mujoco

    if model.neq:
        raise FileProblem(path, f"closes a loop ({model.neq} equality constraints): must be a tree of hinges")
    roots = [model.body(i).name or f"body {i}" for i in range(1, model.nbody) if model.body_parentid[i] == 0]
    if not roots:
        raise FileProblem(path, "contains no body: must be one robot")
    if len(roots) != 1:
        raise FileProblem(path, f"contains {len(roots)} bodies on the world ({', '.join(roots)}): must be one robot")
    words = {mujoco.mjtJoint.mjJNT_SLIDE: "slide", mujoco.mjtJoint.mjJNT_BALL: "ball"}
    for i in range(model.njnt):
        joint = model.joint(i).name or str(i)
        kind = mujoco.mjtJoint(model.jnt_type[i])
        if kind in words or (kind == mujoco.mjtJoint.mjJNT_FREE and model.jnt_bodyid[i] != 1):
            raise FileProblem(path, f"joint {joint} is a {words.get(kind, 'free')} joint: must be a hinge")
        values = {"stiffness": model.jnt_stiffness[i]}
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            values |= {name: getattr(model, f"dof_{name}")[:6] for name in ("damping", "armature", "frictionloss")}
        for name, value in values.items():
            if np.any(value):
                raise FileProblem(path, f"joint {joint} has {name} {np.max(value):g}: must be 0, it is not modelled")
    if model.njnt - floats(model) < 1:
        raise FileProblem(path, "has no hinge")


class Reader:
    """Conversion of MuJoCo's bodies to ours, from the base outwards."""

    def __init__(self, path: Path, model: mujoco.MjModel, massless: set[str], speeds: dict[str, float]):
        self.path, self.model, self.massless, self.speeds = path, model, massless, speeds
        # For each MuJoCo body: the index of our body, and the frame relative to it.
        self.owner: dict[int, str] = {}
        self.frame: dict[int, tuple[NDArray, NDArray]] = {}
        self.rigid: dict[str, Rigid] = {}
        self.origin: dict[str, NDArray] = {}
        self.shapes: dict[str, list[BodyShape]] = {}

    def bodies(self) -> list[Body]:
        """Return our bodies, parents first; bodies without a joint are merged into their parents."""
        base = self.name(1)
        self.owner[0] = self.owner[1] = base
        self.rigid[base], self.origin[base] = Rigid(), np.zeros(3)
        still = (np.zeros(3), np.eye(3))
        self.frame[0] = still
        drafts: list[dict[str, Any]] = [{"name": base}]
        for i in range(1, self.model.nbody):
            hinges = [] if i == 1 and floats(self.model) else self.hinges(i)
            if i == 1 and hinges:
                base = self.owner[0] = "world"
                self.rigid[base], self.origin[base] = Rigid(), np.zeros(3)
                drafts[0]["name"] = base
            parent = int(self.model.body_parentid[i])
            place = still if i == 1 and floats(self.model) else self.placed(i, parent)
            if hinges:
                drafts += self.hinged(i, self.owner[parent], place, hinges)
            else:
                self.owner[i], self.frame[i] = self.owner[parent] if i > 1 else base, place
            self.weigh(i)
            self.look_at(i)
        return [self.body(draft) for draft in drafts]

    def body(self, draft: dict[str, Any]) -> Body:
        """Return one of our bodies with its mass, and its solids if it has mass."""
        name = draft["name"]
        mass = self.rigid[name].about(self.origin[name])
        return Body(**draft, **mass, shapes=with_capsules(self.shapes.get(name, [])) if mass else ())

    def name(self, i: int) -> str:
        """Return the body's name, or a name with its index."""
        return self.model.body(i).name or f"body_{i}"

    def hinges(self, i: int) -> list[int]:
        """Return the numbers of the joints of a body."""
        first = int(self.model.body_jntadr[i])
        return [first + k for k in range(int(self.model.body_jntnum[i]))]

    def placed(self, i: int, parent: int) -> tuple[NDArray, NDArray]:
        """Return the frame of a body at angle zero, in the frame of the body to which its parent is merged."""
        p, R = self.frame[parent]
        return p + R @ self.model.body_pos[i], R @ rotations(self.model.body_quat[i])

    def hinged(self, i: int, parent: str, place: tuple[NDArray, NDArray], hinges: list[int]) -> list[dict[str, Any]]:
        """Return one of our bodies per hinge, all but the last massless; each origin is on its hinge."""
        from scipy.spatial.transform import Rotation

        drafts = []
        p, R = place
        for hinge in hinges:
            last = hinge == hinges[-1]
            name = self.name(i) if last else f"{self.name(i)}_{self.model.joint(hinge).name or hinge}"
            anchor, axis = self.model.jnt_pos[hinge], unit(self.model.jnt_axis[hinge])
            start = -float(self.model.qpos0[self.model.jnt_qposadr[hinge]])
            turned = R @ Rotation.from_rotvec(start * axis).as_matrix()
            drafts.append({
                "name": name, "parent": parent, "axis": numbers(axis),
                "position": numbers(p + R @ anchor - self.origin[parent]),
                "rotation": quaternion(turned),
                "joint": self.model.joint(hinge).name, **self.stops(hinge), **self.friction(hinge),
            })  # fmt: skip
            self.rigid[name], self.origin[name] = Rigid(), anchor.copy()
            parent, p, R = name, np.zeros(3), np.eye(3)
        self.owner[i], self.frame[i] = self.name(i), (p, R)
        return drafts

    def stops(self, hinge: int) -> dict[str, float]:
        """Return the angle and speed limits of a hinge, if it has any."""
        name = self.model.joint(hinge).name
        found = {"speed_limit": self.speeds[name]} if name in self.speeds else {}
        if self.model.jnt_limited[hinge]:
            lower, upper = self.model.jnt_range[hinge]
            found |= {"lower": float(lower), "upper": float(upper)}
        return found

    def friction(self, hinge: int) -> dict[str, float]:
        """Return damping, armature and dry friction of a hinge."""
        degree = self.model.jnt_dofadr[hinge]
        return {
            "damping": float(self.model.dof_damping[degree]), "armature": float(self.model.dof_armature[degree]),
            "friction": float(self.model.dof_frictionloss[degree]),
        }  # fmt: skip

    def weigh(self, i: int) -> None:
        """Add the mass of a body to the body that it is fixed to."""
        if self.model.body(i).name in self.massless or self.model.body_mass[i] <= TRACE:
            return
        p, R = self.frame[i]
        axes = R @ rotations(self.model.body_iquat[i])
        inertia = axes @ np.diag(self.model.body_inertia[i]) @ axes.T
        self.rigid[self.owner[i]].add(float(self.model.body_mass[i]), p + R @ self.model.body_ipos[i], inertia)

    def look_at(self, i: int) -> None:
        """Add the solids of a body to the body that it is fixed to: those that collide, otherwise those only drawn."""
        geoms = np.flatnonzero(self.model.geom_bodyid == i)
        touching = geoms[(self.model.geom_contype[geoms] != 0) | (self.model.geom_conaffinity[geoms] != 0)]
        for geom in touching if touching.size else geoms:
            self.shapes.setdefault(self.owner[i], []).append(self.shape(int(geom), i))

    def shape(self, geom: int, i: int) -> BodyShape:
        """Convert one of MuJoCo's solids; a mesh becomes its bounding box."""
        import mujoco

        p, R = self.frame[i]
        kind = mujoco.mjtGeom(self.model.geom_type[geom]).name.removeprefix("mjGEOM_").lower()
        place, turn = self.model.geom_pos[geom], rotations(self.model.geom_quat[geom])
        size = self.model.geom_size[geom]
        if kind == "mesh":
            kind, place, size = "box", place + turn @ self.model.geom_aabb[geom, :3], self.model.geom_aabb[geom, 3:]
        if kind not in SIZES:
            raise FileProblem(self.path, f"body {self.name(i)} has a {kind}: must be one of {', '.join(SIZES)}, mesh")
        position = p + R @ place - self.origin[self.owner[i]]
        return BodyShape(kind, numbers(size[: SIZES[kind]]), numbers(position), quaternion(R @ turn))  # type: ignore[arg-type]


def unit(vector: NDArray) -> NDArray:
    """Scale a vector to length one."""
    return vector / np.linalg.norm(vector)


def numbers(values: Any) -> tuple[Any, ...]:
    """Convert an array to plain floats."""
    return tuple(float(value) for value in values)


def six(inertia: NDArray) -> tuple[Any, ...]:
    """Return xx yy zz xy xz yz."""
    i = inertia
    return numbers((i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]))
