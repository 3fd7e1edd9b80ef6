"""Addresses of MuJoCo's functions, arrays and struct fields for the compiled loop.

Field offsets come from `mujoco.introspect` and are checked once per process against the public API.
"""

from __future__ import annotations

import ctypes
import math
from functools import cache
from typing import Any, NamedTuple

import mujoco
import numpy as np
from mujoco.introspect.ast_nodes import AnonymousStructDecl, ArrayType, PointerType
from mujoco.introspect.structs import STRUCTS
from numpy.typing import NDArray

from serpenoid.errors import SerpenoidError
from serpenoid.kernels.contact.posts import Posts
from serpenoid.kernels.contact.records import ADDRESSES, COUNT, DATA, MODEL, PASSES, STEP, Physics
from serpenoid.robots.mujoco_library import library

FUNCTIONS = (  # in the order of kernels/contact/records.py, from STEP on
    "mj_step", "mj_forward", "mj_step2", "mj_rnePostConstraint", "mj_energyPos", "mj_energyVel", "mj_subtreeVel",
    "mj_kinematics", "mj_contactForce",
)  # fmt: skip
TESTED = ">=4.0,<4.1"  # tested releases of MuJoCo, as in pyproject.toml
TYPES = {
    "mjtNum": ctypes.c_double, "mjtSize": ctypes.c_int64, "mjtBool": ctypes.c_bool, "int": ctypes.c_int,
    "float": ctypes.c_float, "size_t": ctypes.c_size_t, "uintptr_t": ctypes.c_size_t, "uint64_t": ctypes.c_uint64,
}  # fmt: skip
THREE_BALLS = """
<mujoco><worldbody><geom type="plane" size="1 1 1"/><body><freejoint/>
<geom size="0.1" pos="0 0 0.05"/><geom size="0.1" pos="1 0 0.07"/><geom size="0.1" pos="2 0 0.09"/>
</body></worldbody></mujoco>"""


class Layout(NamedTuple):
    """Offsets in MuJoCo's structs [bytes]."""

    time: int  # in mjData
    energy: int  # in mjData
    qpos: int  # in mjData, pointer
    contact_count: int  # in mjData, number of contacts
    contacts: int  # in mjData, pointer to contacts
    stride: int  # size of a contact
    point: int  # in a contact
    frame: int  # in a contact
    shapes: int  # in a contact, two geom numbers
    gravity: int  # in mjModel
    passes: int  # in mjModel, noslip iterations
    dofs: int  # in mjModel, number of degrees of freedom
    qpos0: int  # in mjModel, pointer


def ctype(kind: Any) -> Any:
    """Return the C type that `mujoco.introspect` describes."""
    if isinstance(kind, PointerType):
        return ctypes.c_void_p
    if isinstance(kind, ArrayType):
        return ctype(kind.inner_type) * math.prod(kind.extents)
    if isinstance(kind, AnonymousStructDecl):
        return structure(kind.fields)
    if kind.name in STRUCTS:
        return struct(kind.name)
    return TYPES[kind.name]


def structure(fields: Any) -> Any:
    """Return a C struct with these fields, in the memory layout of a C compiler."""
    return type("Struct", (ctypes.Structure,), {"_fields_": [(field.name, ctype(field.type)) for field in fields]})


@cache
def struct(name: str) -> Any:
    """Return one of MuJoCo's structs."""
    return structure(STRUCTS[name].fields)


@cache
def layout() -> Layout:
    """Compute the offsets from the struct descriptions that MuJoCo ships, and check them in a test scene."""
    try:
        data, model, option, contact = (struct(name) for name in ("mjData", "mjModel", "mjOption", "mjContact"))
        found = Layout(
            time=data.time.offset, energy=data.energy.offset, qpos=data.qpos.offset, contact_count=data.ncon.offset,
            contacts=data.contact.offset, stride=ctypes.sizeof(contact), point=contact.pos.offset,
            frame=contact.frame.offset, shapes=contact.geom.offset, gravity=model.opt.offset + option.gravity.offset,
            passes=model.opt.offset + option.noslip_iterations.offset, dofs=model.nv.offset,
            qpos0=model.qpos0.offset,
        )  # fmt: skip
    except (KeyError, AttributeError) as error:
        raise unknown_layout(str(error)) from None
    scene = mujoco.MjModel.from_xml_string(THREE_BALLS)
    scene.opt.noslip_iterations = 3
    state = mujoco.MjData(scene)
    state.time = 0.25
    mujoco.mj_forward(scene, state)
    check_layout(found, scene, state)
    return found


def check_layout(at: Layout, model: Any, data: Any) -> None:
    """Compare memory at the offsets with values from the public API; `data` is the result of a forward pass."""
    begin, first = address(data.energy) - at.energy, address(model.opt.gravity) - at.gravity
    seen: dict[str, tuple[Any, int, float]] = {
        "time": (ctypes.c_double, begin + at.time, data.time),
        "qpos": (ctypes.c_int64, begin + at.qpos, address(data.qpos)),
        "ncon": (ctypes.c_int, begin + at.contact_count, data.ncon),
        "noslip_iterations": (ctypes.c_int, first + at.passes, model.opt.noslip_iterations),
        "nv": (ctypes.c_int64, first + at.dofs, model.nv),
        "qpos0": (ctypes.c_int64, first + at.qpos0, address(model.qpos0)),
    }
    if data.ncon:
        seen["contact"] = (ctypes.c_int64, begin + at.contacts, address(data.contact.dist))
    for name, (kind, place, expected) in seen.items():
        if kind.from_address(place).value != expected:
            raise unknown_layout(name)
    contact = data.contact
    parts = {"pos": (contact.pos, at.point), "frame": (contact.frame, at.frame), "geom": (contact.geom, at.shapes)}
    for name, (part, offset) in parts.items():
        if data.ncon and (address(part) - address(contact.dist), part.strides[0]) != (offset, at.stride):
            raise unknown_layout(name)


def unknown_layout(field: str) -> SerpenoidError:
    """Return the error for a MuJoCo release with an unexpected struct layout."""
    return SerpenoidError(
        f"MuJoCo {mujoco.__version__}: field {field} has an unexpected offset; install mujoco{TESTED}"
    )


def address(array: NDArray) -> int:
    """Return the address of an array's first element."""
    return array.__array_interface__["data"][0]


def physics_of(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    joints: tuple[str, ...],
    links: tuple[str, ...],
    posts: Posts,
    passes: int,
) -> Physics:
    """Return views of a model and its data for the compiled loop; both must outlive the views."""
    addresses = np.zeros(ADDRESSES, dtype=np.int64)
    at = layout()
    addresses[MODEL], addresses[DATA] = address(model.opt.gravity) - at.gravity, address(data.energy) - at.energy
    for place, name in enumerate(FUNCTIONS, start=STEP):
        addresses[place] = ctypes.cast(getattr(library(), name), ctypes.c_void_p).value or 0
    addresses[PASSES] = addresses[MODEL] + at.passes
    addresses[COUNT:] = at.contact_count, at.contacts, at.stride, at.point, at.frame, at.shapes
    numbers = [mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name) for name in joints]
    bodies = np.array([mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name) for name in links], dtype=np.int64)
    link_of = np.full(model.nbody, -1, dtype=np.int64)
    link_of[bodies] = np.arange(bodies.size)
    return Physics(
        addresses, model.nv > len(joints), model.opt.timestep,
        model.jnt_qposadr[numbers].astype(np.int64), model.jnt_dofadr[numbers].astype(np.int64), bodies,
        link_of[model.geom_bodyid], data.qpos, data.qvel, np.zeros(model.nv), np.zeros(model.nv), np.zeros(6),
        data.qacc_warmstart, data.xfrc_applied, model.actuator_biasprm, model.actuator_forcerange, data.actuator_force,
        model.dof_damping, data.qfrc_smooth, data.qfrc_passive, data.qfrc_bias, data.qfrc_actuator,
        data.qfrc_constraint, data.xpos, data.xquat, data.cvel, data.cacc, data.subtree_com, data.subtree_linvel,
        data.subtree_angmom, data.energy, posts, model.opt.integrator != mujoco.mjtIntegrator.mjINT_RK4, passes,
    )  # fmt: skip
