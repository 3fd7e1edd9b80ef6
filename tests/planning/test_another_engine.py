"""The planner closed round MuJoCo's model of the same snake: it survives physics that is not its own."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.control.base import Observation
from serpenoid.kernels.compile import kernel
from serpenoid.kernels.media import reaction

mujoco = pytest.importorskip("mujoco")

ROBOT = sp.robots.PlanarSnake()
DURATION, STEP, PERIOD = 3.0, 0.001, 0.01
SLIDES = '<joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>'


def model_of(robot):
    """The snake on two slides and a hinge, then hinges; no contact, no gravity: the plane carries it."""
    inertia = robot.link_mass * robot.link_length**2 / 12
    text = ""
    for k in reversed(range(robot.links)):
        joints = (
            '<joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>' if k == 0 else ""
        )
        damping = f' damping="{robot.joint_damping}"' if k else ""
        position = f"{robot.link_length if k else 0} 0 0"
        text = (
            f'<body name="link_{k}" pos="{position}">{joints}'
            f'<joint name="turn_{k}" type="hinge" axis="0 0 1"{damping}/>'
            f'<inertial pos="{robot.link_length / 2} 0 0" mass="{robot.link_mass}" '
            f'diaginertia="{inertia} {inertia} {inertia}"/>{text}</body>'
        )
    motors = "".join(f'<motor joint="turn_{k}" ctrlrange="-1 1" ctrllimited="true"/>' for k in range(1, robot.links))
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{STEP}" gravity="0 0 0" integrator="implicitfast"/>'
        f"<worldbody>{text}</worldbody><actuator>{motors}</actuator></mujoco>"
    )


@kernel
def link_forces(medium, length, along, across, turn, out):
    """Forces and moments of the medium on every link, in its own axes."""
    for k in range(turn.size):
        out[k, 0], out[k, 1], out[k, 2] = reaction(medium, k, length[k], along[k], across[k], turn[k])


def apply_medium(model, data, medium, chain):
    """Media as forces per link, at the links' middles."""
    links = chain.length.size
    velocity = np.zeros((links, 6))
    for k in range(links):
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, k + 1, velocity[k], 1)
    turn = velocity[:, 2].copy()
    along, across = velocity[:, 3].copy(), velocity[:, 4].copy()
    out = np.zeros((links, 3))
    link_forces(medium, chain.length, along, across, turn, out)
    for k in range(links):
        frame = data.ximat[k + 1].reshape(3, 3)
        data.xfrc_applied[k + 1, :3] = frame @ np.array([out[k, 0], out[k, 1], 0.0])
        data.xfrc_applied[k + 1, 5] = out[k, 2]


def observation(data, time):
    heading = data.qpos[2]
    c, s = np.cos(heading), np.sin(heading)
    vx, vy = data.qvel[:2]
    pose = np.array([data.qpos[0], data.qpos[1], 0, np.cos(heading / 2), 0, 0, np.sin(heading / 2)])
    twist = np.array([c * vx + s * vy, c * vy - s * vx, 0, 0, 0, data.qvel[2]])
    blind = np.full((ROBOT.links, 3), np.nan)
    return Observation(time, data.qpos[3:].copy(), data.qvel[3:].copy(), data.ctrl.copy(), pose, twist, blind, blind)


@pytest.mark.parametrize("medium", ["dry", "viscous"])
def test_it_still_moves(medium):
    world = sp.worlds.Plane(medium=medium)
    controller = sp.planning.RecedingHorizon(sp.planning.Problem(ROBOT, world))
    chain = ROBOT.chain()
    record = world.medium_record(chain)
    model = model_of(ROBOT)
    data = mujoco.MjData(model)
    controller.reset()
    track = []
    for step in range(round(DURATION / STEP)):
        if step % round(PERIOD / STEP) == 0:
            data.ctrl[:] = controller.command(observation(data, step * STEP)).torque
        mujoco.mj_step1(model, data)
        apply_medium(model, data, record, chain)
        mujoco.mj_step2(model, data)
        track.append(data.subtree_com[1, 0])
    theirs = (track[1000] - track[-1]) / (DURATION - 1.001)
    own = sp.simulate(ROBOT, world, sp.planning.RecedingHorizon(sp.planning.Problem(ROBOT, world)), DURATION)
    ours = sp.analysis.speed(own, 1.0)
    print(f"{medium}: {theirs:.3f} m/s round MuJoCo, {ours:.3f} m/s on our own engine")
    assert theirs > 0.75 * ours
