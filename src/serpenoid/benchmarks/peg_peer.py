"""The planar model of the peg boards in MuJoCo: the same pieces, pegs, floor and drives, for comparison."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.engines.pegs import PegEngine

STIFF = 'cone="elliptic" impratio="100"'
BASE = "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("1 0 0", "0 1 0", "0 0 1"))
BASE += '<joint type="hinge" axis="0 0 1"/>'
FOOT = 0.001  # radius of the spheres that stand on the floor [m]


def planar_model(engine: PegEngine, stiff: bool = True) -> Any:
    """An MjModel: places and turn of the head, a hinge per joint; stiff contacts, or MuJoCo's default ones."""
    import mujoco

    pegs, world = engine.scene.obstacles, engine.world
    solref = 'solref="0.002 1"' if stiff else ""
    posts = "".join(
        f'<geom type="cylinder" size="{r} 1" pos="{x} {y} 0" contype="2" conaffinity="2" '
        f'friction="{world.peg_friction} 0 0" {solref}/>'
        for x, y, r in zip(pegs.x, pegs.y, pegs.radius)
    )
    floor = (
        f'<geom type="plane" size="9 9 1" pos="0 0 {-engine.scene.radius}" friction="{world.friction} 0 0" {solref}/>'
    )
    gains = engine.gains
    drives = "".join(
        f'<position joint="j{k}" kp="{gains.stiffness[k]}" kv="{gains.damping[k]}" '
        f'forcerange="{-gains.limit[k]} {gains.limit[k]}"/>'
        for k in range(gains.limit.size)
    )
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="radian"/><option timestep="{engine.step}" '
        f'gravity="0 0 {engine.world.gravity_vector[2]}" integrator="implicitfast" {STIFF if stiff else ""}/>'
        f"<worldbody>{floor}{posts}{bodies(engine, solref)}</worldbody>"
        f"<actuator>{drives}</actuator></mujoco>"
    )


def hinge(engine: PegEngine, k: int, solref: str) -> str:
    """The joint before piece k, with its stops; nothing here knows of a top speed."""
    limit = engine.scene.stops.upper[k - 1]
    stop = f'limited="true" range="{-limit} {limit}" {solref.replace("solref", "solreflimit")}' if limit < np.pi else ""
    damping = engine.scene.chain.joint_damping[k - 1]
    return f'<joint name="j{k - 1}" type="hinge" axis="0 0 1" damping="{damping}" {stop}/>'


def bodies(engine: PegEngine, solref: str) -> str:
    """The chain, a capsule and the floor's stations per piece."""
    chain, radius, text = engine.scene.chain, engine.scene.radius, ""
    n = chain.mass.size
    for k in reversed(range(n)):
        joint = hinge(engine, k, solref) if k else BASE
        feet = "".join(
            f'<geom type="sphere" size="{FOOT}" pos="{place} 0 {FOOT - radius}" friction="0 0 0" {solref}/>'
            for place in engine.scene.floor.place[k::n]
        )
        spin = chain.inertia[k]
        text = (
            f'<body pos="{chain.length[k - 1] if k else 0} 0 0">{joint}'
            f'<inertial pos="{chain.center[k]} 0 0" mass="{chain.mass[k]}" diaginertia="{spin} {spin} {spin}"/>'
            f'<geom type="capsule" size="{radius}" fromto="0 0 0 {chain.length[k]} 0 0" contype="2" conaffinity="0" '
            f'friction="0 0 0" {solref}/>{feet}{text}</body>'
        )
    return text


def placed(model: Any, engine: PegEngine, state: NDArray) -> Any:
    """MjData in a state of the engine."""
    import mujoco

    data = mujoco.MjData(model)
    part = engine.layout.part
    data.qpos[:2], data.qpos[3] = part(state, "head"), part(state, "heading")[0]
    data.qpos[4:] = part(state, "joints")
    return data


def run_peer(model: Any, data: Any, targets: NDArray, per_tick: int) -> None:
    """Bare steps with the targets (ticks, joints) of each tick held."""
    import mujoco

    for target in targets:
        data.ctrl[:] = target
        mujoco.mj_step(model, data, per_tick)
