"""F6, beyond the paper: a floor under the chain, with normal forces and lift-off, against MuJoCo at rest."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from serpenoid.gaits.movements import Cobra
from serpenoid.kernels.motion import motion_samples
from serpenoid.plotting.style import COLOURS, dressed, gradient, labelled, legend, new_figure, write
from serpenoid.robots import MovingFrameChain
from serpenoid.worlds.free import STANDARD_GRAVITY
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.moving_frame.floor_forces import TOUCH, FloorForces, floor_torques

STIFFNESS = 2000.0  # of the servos in MuJoCo [N m/rad]
TIMESTEP = 1e-4  # [s]
DAMPING = 10.0  # of the servos [N m s/rad]


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    robot: MovingFrameChain = MovingFrameChain()
    """the chain"""
    gait: Cobra = Cobra()
    """the movement"""
    shares: tuple[float, ...] = (0.3, 0.6, 1.0)
    """poses compared with MuJoCo, as shares of the raised shape"""
    settling: float = 2.0
    """time in which MuJoCo comes to rest [s]"""

    @classmethod
    def tiny(cls) -> Config:
        """Use a short chain and one pose."""
        return cls(robot=MovingFrameChain(bodies=4), shares=(1.0,), settling=0.2)


class Result(NamedTuple):
    """Forces along the movement, and at rest beside those of MuJoCo."""

    times: NDArray  # (steps,) [s]
    moving: list[FloorForces]  # along the movement
    resting: list[FloorForces]  # by pose
    peer: list[FloorForces]  # of MuJoCo, by pose


def run(config: Config, progress: Progress) -> Result:
    """Compute the forces of the movement and of poses at rest, and let MuJoCo settle in the same poses."""
    robot = config.robot
    times = np.linspace(0.0, config.gait.duration, 81)
    moving = [floor_torques(robot, *sample) for sample in zip(*motion_samples(config.gait.motion(robot), times))]
    up, still = config.gait.shape(robot), np.zeros(robot.joints)
    resting = [floor_torques(robot, share * up, still, still) for share in config.shares]
    return Result(times, moving, resting, [settled(robot, share * up, config.settling) for share in config.shares])


def settled(robot: MovingFrameChain, shape: NDArray, time: float) -> FloorForces:
    """Return normal forces and torques of a chain of stiff servos that MuJoCo brings to rest on a floor."""
    model = mujoco.MjModel.from_xml_string(model_text(robot, shape))
    data = mujoco.MjData(model)
    data.qpos[:] = shape
    while data.time < time:
        mujoco.mj_step(model, data)
    normal, force = np.zeros(robot.bodies), np.zeros(6)
    for k in range(data.ncon):
        mujoco.mj_contactForce(model, data, k, force)
        normal[model.geom_bodyid[max(data.contact[k].geom)] - 1] += force[0]
    torque = STIFFNESS * (shape - data.qpos)
    height = data.xipos[1:, 2].copy()
    return FloorForces(normal, height, torque, data.qacc.copy(), data.qfrc_constraint.copy())


def model_text(robot: MovingFrameChain, shape: NDArray) -> str:
    """Return the chain in MuJoCo's format: spheres at the centres touch the floor, springs are the servos."""
    tree = robot.tree()
    text, middle = "", 0.5 * robot.module_length
    for joint in range(robot.bodies):
        inertia = " ".join(map(str, np.diag(tree.inertia[joint + 1])))
        axis = " ".join(map(str, tree.axis[joint + 1]))
        text += (
            f'<body pos="{robot.module_length} 0 0">'
            f'<inertial pos="{middle} 0 0" mass="{robot.module_mass}" diaginertia="{inertia}"/>'
            f'<joint axis="{axis}" stiffness="{STIFFNESS}" damping="{DAMPING}" '
            f'springref="{np.degrees(shape[joint])}"/>'
            f'<geom size="{robot.module_radius}" pos="{middle} 0 0" contype="0"/>'
        )
    return (
        f'<mujoco><option timestep="{TIMESTEP}" gravity="0 0 {-STANDARD_GRAVITY}" integrator="implicitfast"/>'
        f'<default><geom condim="1" solref="{5.0 * TIMESTEP} 1" solimp="0.9999 0.9999"/></default><worldbody>'
        f'<geom type="plane" size="9 9 1" pos="0 0 {-robot.module_radius}" conaffinity="0"/>{text}'
        f"{'</body>' * robot.bodies}</worldbody></mujoco>"
    )


def difference(found: FloorForces, peer: FloorForces) -> dict[str, float]:
    """Return the largest differences from MuJoCo, relative to the largest value: J^T N and torques of the motors."""
    pairs = {"support": (found.support, peer.support), "torque": (found.torque, peer.torque)}
    return {name: float(np.abs(a - b).max() / np.abs(b).max()) for name, (a, b) in pairs.items()}


def claims(result: Result) -> list[Finding]:
    """Report the finding on F6."""
    apart = [difference(found, peer) for found, peer in zip(result.resting, result.peer)]
    largest = {
        name: max(float(np.abs(values).max()) for values in of_steps)
        for name, of_steps in {
            "with_floor_Nm": [found.torque for found in result.moving],
            "without_floor_Nm": [found.torque + found.support for found in result.moving],
        }.items()
    }
    measured = {
        "support_difference": max(each["support"] for each in apart),
        "torque_difference": max(each["torque"] for each in apart),
        **largest,
        "lifted_bodies": int((result.moving[len(result.moving) // 2].height > TOUCH).sum()),
    }
    reason = (
        f"{len(apart)} poses of the cobra at rest, against MuJoCo with servos of {STIFFNESS:g} N m/rad. Differences "
        "are relative to the largest value. The largest torques and the lifted bodies are those of the movement"
    )
    return [Finding("F6", measured, reason)]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the normal forces during the movement, and those at rest beside MuJoCo's."""
    sheet = new_figure(10.0, 3.6)
    over_time, at_rest = (dressed(axes) for axes in sheet.subplots(1, 2))
    normal = np.array([found.normal for found in result.moving])
    for body, colour in enumerate(gradient(normal.shape[1])):
        over_time.plot(result.times, normal[:, body], color=colour)
    labelled(over_time, "time [s]", "normal force [N]", "Cobra: each body, dark at the tail")
    bodies = np.arange(1, normal.shape[1] + 1)
    for colour, found, peer in zip(COLOURS, result.resting, result.peer):
        at_rest.plot(bodies, found.normal, color=colour, label=f"head {found.height.max():.2f} m high")
        at_rest.plot(bodies, peer.normal, "o", color=colour, markersize=4)
    at_rest.locator_params(axis="x", integer=True)
    labelled(at_rest, "body, from the tail [-]", "normal force [N]", "At rest: (75), and MuJoCo (dots)")
    legend(at_rest)
    return [write(sheet, folder / "floor.png")]
