"""Planar model of the peg boards in MuJoCo: the same pieces, pegs, floor and drives, for comparison.

In MuJoCo, a body whose feet have equal height rests on the fastest-slipping feet. A contact there lifts with the speed
of its slip (31 m/s^2 at 0.1 m/s with stiff contacts), and the slow feet lose contact. On a bare floor this moves the
snake by 0.2 m in 7 s. Each foot is therefore a separate body that slides vertically and is pressed down by its share of
the weight. The lean model, with feet of one height, is for timing and takes less than half of the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.engines.pegs import PegEngine
from serpenoid.kernels.contact.servos import TAPER

if TYPE_CHECKING:
    import mujoco

STIFF = 'cone="elliptic" impratio="100"'
SOLREF = 'solref="0.002 1"'
FOOT = 0.001  # radius of the spheres that touch the floor [m]
FOOT_SHARE = 0.25  # share of its piece's mass in each separate foot
SOFT = 1e-6  # stiffness of the long springs that press feet down, with the same force at all heights [N/m]


def planar_model(engine: PegEngine, stiff: bool = True, lean: bool = False) -> Any:
    """Return an MjModel with the head's position and yaw and a hinge per joint, with stiff or default contacts."""
    import mujoco

    pegs, world = engine.scene.obstacles, engine.world
    solref = SOLREF if stiff else ""
    posts = "".join(
        f'<geom type="capsule" size="{r} 1" pos="{x} {y} 0" contype="2" conaffinity="2" '
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
        f'gravity="0 0 {engine.world.gravity_vector[2]}" integrator="implicitfast" jacobian="sparse" '
        f"{STIFF if stiff else ''}/>"
        f"<worldbody>{floor}{posts}{bodies(engine, solref, lean)}</worldbody>"
        f"<actuator>{drives}</actuator></mujoco>"
    )


def joints_before(engine: PegEngine, k: int, solref: str, lean: bool) -> str:
    """Return the joint before piece k, with its stops; for the head, its base joints."""
    if k == 0:
        slides = {"x": "1 0 0", "y": "0 1 0"} | ({"z": "0 0 1"} if lean else {})
        base = "".join(f'<joint name="{name}" type="slide" axis="{axis}"/>' for name, axis in slides.items())
        return base + '<joint name="turn" type="hinge" axis="0 0 1"/>'
    limit = engine.scene.stops.upper[k - 1]
    stop = f'limited="true" range="{-limit} {limit}" {solref.replace("solref", "solreflimit")}' if limit < np.pi else ""
    damping = engine.scene.chain.joint_damping[k - 1]
    return f'<joint name="j{k - 1}" type="hinge" axis="0 0 1" damping="{damping}" {stop}/>'


def bodies(engine: PegEngine, solref: str, lean: bool) -> str:
    """Return the chain, with a capsule and the floor's stations per piece."""
    chain, radius, text = engine.scene.chain, engine.scene.radius, ""
    for k in reversed(range(chain.mass.size)):
        mass, center, spin, feet = feet_of(engine, k, solref, lean)
        text = (
            f'<body pos="{chain.length[k - 1] if k else 0} 0 0">{joints_before(engine, k, solref, lean)}'
            f'<inertial pos="{center} 0 0" mass="{mass}" diaginertia="{spin} {spin} {spin}"/>'
            f'<geom type="capsule" size="{radius}" fromto="0 0 0 {chain.length[k]} 0 0" contype="2" conaffinity="0" '
            f'friction="0 0 0" {solref}/>{feet}{text}</body>'
        )
    return text


def feet_of(engine: PegEngine, k: int, solref: str, lean: bool) -> tuple[float, float, float, str]:
    """Return mass, centre and inertia of piece k without its feet, and the feet."""
    chain, radius, world = engine.scene.chain, engine.scene.radius, engine.world
    n, mass, center, spin = chain.mass.size, chain.mass[k], chain.center[k], chain.inertia[k]
    places = engine.scene.floor.place[k::n]
    sphere = f'<geom type="sphere" size="{FOOT}" friction="0 0 0" conaffinity="0" {solref} pos='
    if lean:
        return mass, center, spin, "".join(f'{sphere}"{place} 0 {FOOT - radius}"/>' for place in places)
    own = 2.0 * FOOT_SHARE / places.size * mass
    rest = mass - own * places.size
    middle = (mass * center - own * places.sum()) / rest
    left = spin - rest * (middle - center) ** 2 - own * ((places - center) ** 2).sum()
    weight = -mass * world.gravity_vector[2]
    loads = weight * engine.scene.floor.across[k::n] / engine.scene.floor.across[k::n].sum()
    feet = "".join(
        f'<body pos="{place} 0 0"><joint type="slide" axis="0 0 1" stiffness="{SOFT}" '
        f'springref="{(own * -world.gravity_vector[2] - load) / SOFT}"/>'
        f'<inertial pos="0 0 0" mass="{own}" diaginertia="1e-9 1e-9 1e-9"/>{sphere}"0 0 {FOOT - radius}"/></body>'
        for place, load in zip(places, loads)
    )
    return rest, middle, left, feet


def coordinates(model: mujoco.MjModel) -> NDArray:
    """Return the indices of x, y, yaw and joint angles among a model's coordinates."""
    names = ["x", "y", "turn", *(f"j{k}" for k in range(model.nu))]
    return np.array([model.joint(name).qposadr[0] for name in names])


def place_state(model: mujoco.MjModel, engine: PegEngine, state: NDArray) -> Any:
    """Return MjData in a state of the engine."""
    import mujoco

    data = mujoco.MjData(model)
    data.qpos[coordinates(model)] = state[: engine.scene.chain.mass.size + 2]
    return data


def torque_ranges(engine: PegEngine, rates: NDArray) -> NDArray:
    """Return the torque limits (joints, 2) of the drives at joint rates [rad/s]; they fade towards the top speed."""
    limit, top = engine.gains.limit, engine.scene.stops.speed
    if np.abs(rates).max() < (1.0 - TAPER) * top.min():
        return np.stack([-limit, limit], axis=1)
    left = np.clip((top - np.stack([-rates, rates])) / (TAPER * top), 0.0, 1.0)
    return np.stack([-limit * left[0], limit * left[1]], axis=1)


def run_peer(model: mujoco.MjModel, data: mujoco.MjData, targets: NDArray, per_tick: int) -> None:
    """Make bare steps with the targets (ticks, joints) constant over each tick."""
    import mujoco

    for target in targets:
        data.ctrl[:] = target
        mujoco.mj_step(model, data, per_tick)
