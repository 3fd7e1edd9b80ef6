"""Where MuJoCo keeps what the compiled loop needs: addresses of its functions, places of contacts in its memory."""

from __future__ import annotations

import ctypes
from functools import cache

import mujoco
import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import SerpenoidError
from serpenoid.kernels.contact.posts import Posts
from serpenoid.kernels.contact.records import ADDRESSES, COUNT, DATA, MODEL, PASSES, STEP, Physics
from serpenoid.robots.mujoco_library import library

FUNCTIONS = (  # in the order of kernels/contact/records.py, from STEP on
    "mj_step", "mj_forward", "mj_step2", "mj_rnePostConstraint", "mj_energyPos", "mj_energyVel", "mj_subtreeVel",
    "mj_kinematics", "mj_contactForce",
)  # fmt: skip
AROUND = 1024  # bytes before and after the energies in mjData in which contacts are looked for
THREE_BALLS = """
<mujoco><worldbody><geom type="plane" size="1 1 1"/><body><freejoint/>
<geom size="0.1" pos="0 0 0.05"/><geom size="0.1" pos="1 0 0.07"/><geom size="0.1" pos="2 0 0.09"/>
</body></worldbody></mujoco>"""


@cache
def contact_places() -> tuple[int, ...]:
    """Places in mjData of the number of contacts and of their address; size of a contact; places in it.

    MuJoCo does not tell them: found once per process in a scene whose contacts are known, one, two and three balls deep
    in a plane.
    """
    model = mujoco.MjModel.from_xml_string(THREE_BALLS)
    data = mujoco.MjData(model)
    begin = address(data.energy) - AROUND
    header = np.frombuffer((ctypes.c_char * (2 * AROUND)).from_address(begin), dtype=np.int32)
    longs = header.view(np.int64)
    counts, starts = np.ones(header.size, dtype=bool), np.ones(longs.size, dtype=bool)
    for height, expected in ((0.0, 3), (0.02, 2), (-0.01, 3), (0.04, 1), (0.1, 0), (0.02, 2)):
        data.qpos[2] = height
        mujoco.mj_forward(model, data)
        counts &= header == expected
        if expected:
            starts &= longs == address(data.contact.dist)
    places = np.flatnonzero(counts), np.flatnonzero(starts)
    if places[0].size != 1 or places[1].size < 1:
        raise SerpenoidError(f"contacts of MuJoCo {mujoco.__version__} are not where they were in tested versions")
    contact, first = data.contact, address(data.contact.dist)
    inside = tuple(address(part) - first for part in (contact.pos, contact.frame, contact.geom))
    offset = begin - data._address
    return offset + 4 * int(places[0][0]), offset + 8 * int(places[1][-1]), contact.dist.strides[0], *inside


@cache
def passes_place() -> int:
    """Place in mjModel of the number of passes against slip, found by two values that nothing else has."""
    model = mujoco.MjModel.from_xml_string(THREE_BALLS)
    begin = address(model.opt.gravity) - AROUND
    numbers = np.frombuffer((ctypes.c_char * (2 * AROUND)).from_address(begin), dtype=np.int32)
    fits = np.ones(numbers.size, dtype=bool)
    for value in (77123, 88321):
        model.opt.noslip_iterations = value
        fits &= numbers == value
    if fits.sum() != 1:
        raise SerpenoidError(f"options of MuJoCo {mujoco.__version__} are not where they were in tested versions")
    return begin + 4 * int(np.flatnonzero(fits)[0]) - model._address


def address(array: NDArray) -> int:
    """Of an array's first number."""
    return array.__array_interface__["data"][0]


def physics_of(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    joints: tuple[str, ...],
    links: tuple[str, ...],
    posts: Posts,
    passes: int,
) -> Physics:
    """Views of a model and its data for the compiled loop; both must live as long as these."""
    addresses = np.zeros(ADDRESSES, dtype=np.int64)
    addresses[MODEL], addresses[DATA] = model._address, data._address
    for place, name in enumerate(FUNCTIONS, start=STEP):
        addresses[place] = ctypes.cast(getattr(library(), name), ctypes.c_void_p).value or 0
    addresses[PASSES] = model._address + passes_place()
    addresses[COUNT:] = contact_places()
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
