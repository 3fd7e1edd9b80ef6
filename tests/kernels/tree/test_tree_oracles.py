"""Trees against Pinocchio and MuJoCo, which read only the exported file: 1000 random states per robot."""

from dataclasses import replace

import mujoco
import numpy as np
import pinocchio
import pytest

import serpenoid as sp
from serpenoid.control.base import Command
from serpenoid.engines.base import Initial
from serpenoid.engines.command_tracking import hold_command
from serpenoid.kernels.accounts import ACCOUNTS, PER_JOINT
from serpenoid.kernels.lie import rotation_of
from serpenoid.kernels.records import Vacuum
from serpenoid.kernels.tree.drive import driven_accelerations
from serpenoid.kernels.tree.frames import workspace
from serpenoid.kernels.tree.matrix import mass_matrix
from serpenoid.kernels.tree.samples import survey_states
from serpenoid.kernels.tree.scene import NO_WRENCHES
from serpenoid.robots import PD, Body, BodyTree, MovingFrameChain, Natrix
from serpenoid.robots.export import mjcf, urdf
from serpenoid.worlds import FreeSpace

STATES = 1000
GRAVITY = (0.3, -0.7, -9.81)
ROBOTS = [
    Natrix(), MovingFrameChain(2), MovingFrameChain(2, fixed_tail=False), MovingFrameChain(5, fixed_tail=False),
    MovingFrameChain(20), MovingFrameChain(20, fixed_tail=False),
]  # fmt: skip
names = [f"{type(r).__name__}-{r.joints}-{'fixed' if r.tree().fixed_base else 'free'}" for r in ROBOTS]
every_robot = pytest.mark.parametrize("robot", ROBOTS, ids=names)


class Ours:
    """Random states of a robot and our results for them."""

    def __init__(self, robot):
        random, joints = np.random.default_rng(7), robot.joints
        self.tree = robot.tree()
        self.states = random.normal(size=(STATES, 13 + 2 * joints))
        self.states[:, 3:7] /= np.linalg.norm(self.states[:, 3:7], axis=1)[:, None]
        if self.tree.fixed_base:
            self.states[:, :7], self.states[:, 7 + joints : 13 + joints] = (0, 0, 0, 1, 0, 0, 0), 0
        self.accelerations = random.normal(size=(STATES, joints))
        world = Vacuum(GRAVITY)
        self.survey = survey_states(
            self.tree, world, np.array(GRAVITY), np.zeros(STATES), self.states, self.accelerations, np.zeros((0, 0, 6))
        )
        self.forward, self.matrices = np.empty((STATES, joints)), np.empty((STATES, 6 + joints, 6 + joints))
        gains, work = PD(torque_limit=1e9).record(joints), workspace(self.tree)
        for i, state in enumerate(self.states):
            torque = Command.empty(joints)._replace(torque=self.accelerations[i])
            whole = np.append(state, np.zeros(PER_JOINT * joints + ACCOUNTS))
            driven_accelerations(
                self.tree, world, hold_command(gains, torque), 0.0, whole, NO_WRENCHES, self.forward[i]
            )
            mass_matrix(self.tree, state[7 : 7 + joints], work, self.matrices[i])


@pytest.fixture(scope="module")
def ours():
    known = {}
    return lambda robot: known.setdefault(robot, Ours(robot))


@every_robot
def test_pinocchio_agrees(robot, ours):
    us, joints = ours(robot), robot.joints
    model = pinocchio.buildModelFromXML(urdf(robot))
    model.gravity = pinocchio.Motion(np.array(GRAVITY), np.zeros(3))
    data, base = model.createData(), 0 if us.tree.fixed_base else 6
    order = [model.joints[model.getJointId(name)].idx_v for name in robot.joint_names]
    q, v = pinocchio.neutral(model), np.zeros(model.nv)
    q_order = [model.joints[model.getJointId(name)].idx_q for name in robot.joint_names]
    rows = [*range(base), *order]
    for i, state in enumerate(us.states):
        q[q_order], v[order] = state[7 : 7 + joints], state[13 + joints :]
        if base:
            q[:3], q[3:7], v[:6] = state[:3], np.roll(state[3:7], -1), state[7 + joints : 13 + joints]
        matrix = pinocchio.crba(model, data, q)
        matrix = (np.triu(matrix) + np.triu(matrix, 1).T)[np.ix_(rows, rows)]
        bias = pinocchio.nonLinearEffects(model, data, q, v)[rows]
        compare(us, i, base, matrix, bias)
        torque = np.zeros(model.nv)
        torque[order] = us.accelerations[i]
        assert close(us.forward[i], pinocchio.aba(model, data, q, v, torque)[order])


@every_robot
def test_mujoco_agrees(robot, ours):
    us, joints = ours(robot), robot.joints
    model = mujoco.MjModel.from_xml_string(mjcf(robot))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT  # nor do our trees touch themselves
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT  # of which random angles lie beyond
    model.opt.gravity[:] = GRAVITY
    data, base = mujoco.MjData(model), 0 if us.tree.fixed_base else 6
    order = [model.joint(name).dofadr[0] for name in robot.joint_names]
    q_order = [model.joint(name).qposadr[0] for name in robot.joint_names]
    rows = [*range(base), *order]
    full = np.zeros((model.nv, model.nv))
    to_world = np.eye(base + joints)  # from our generalised velocity to theirs: their base moves in world axes
    drift = np.zeros(base + joints)
    for i, state in enumerate(us.states):
        data.qpos[q_order], data.qvel[order] = state[7 : 7 + joints], state[13 + joints :]
        if base:
            twist = state[7 + joints : 13 + joints]
            R = np.array(rotation_of(tuple(state[3:7]))).reshape(3, 3)
            data.qpos[:7], data.qvel[:3], data.qvel[3:6] = state[:7], R @ twist[:3], twist[3:]
            to_world[:3, :3], drift[:3] = R, R @ np.cross(twist[3:], twist[:3])
        data.qfrc_applied[order] = us.accelerations[i]
        mujoco.mj_forward(model, data)
        full_matrix(model, data, full)
        theirs = full[np.ix_(rows, rows)]
        bias = to_world.T @ (data.qfrc_bias[rows] + theirs @ drift)
        compare(us, i, base, to_world.T @ theirs @ to_world, bias)
        assert close(us.forward[i], data.qacc[order])


ROUGH = BodyTree((
    Body("trunk", mass=1.0, center=(0.1, 0.0, 0.02), inertia=(0.02, 0.03, 0.04, 0.001, -0.002, 0.003)),
    Body("arm", "trunk", (0.2, 0.1, 0.0), (0.5, 0.5, -0.5, 0.5), (0.6, 0.0, 0.8), 0.5, (0.1, 0.0, 0.0),
         (0.001, 0.002, 0.002, 0.0, 0.0, 0.0), damping=0.3, armature=0.02),
    Body("leg", "trunk", (-0.2, 0.1, 0.0), (0.8, 0.0, 0.6, 0.0), (0.0, 1.0, 0.0), 0.5, (0.1, 0.2, 0.0),
         (0.001, 0.002, 0.002, 0.0, 0.0, 0.0), damping=0.1, armature=0.01),
))  # fmt: skip


def test_mujoco_agrees_on_friction_and_armature_of_the_joints(ours):
    us, base = ours(ROUGH), slice(0, 6)
    model = mujoco.MjModel.from_xml_string(mjcf(ROUGH))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT  # nor do our trees touch themselves
    model.opt.gravity[:] = GRAVITY
    data, full = mujoco.MjData(model), np.zeros((8, 8))
    for i, state in enumerate(us.states[:100]):
        twist, R = state[9:15], np.array(rotation_of(tuple(state[3:7]))).reshape(3, 3)
        data.qpos[:], data.qvel[:] = state[:9], np.concatenate([R @ twist[:3], twist[3:], state[15:]])
        data.qfrc_applied[6:] = us.accelerations[i]
        mujoco.mj_forward(model, data)
        assert close(us.forward[i], data.qacc[6:])
        full_matrix(model, data, full)
        assert close(us.matrices[i][6:, 6:], full[6:, 6:])
        rest = data.qfrc_bias - data.qfrc_passive
        rate = -np.linalg.solve(full[base, base], rest[base] + full[base, 6:] @ us.accelerations[i])
        torques = full[6:, base] @ rate + full[6:, 6:] @ us.accelerations[i] + rest[6:]
        assert close(us.survey.torques[i], torques)


def test_free_flight_with_friction_and_armature_is_that_of_mujoco():
    robot = replace(ROUGH, drive=PD(stiffness=0.0, damping=0.0))
    start = Initial(joint_velocity=(3.0, -2.0), base_twist=(0.3, 0.1, 0.5, 1.0, -2.0, 0.7))
    run = sp.simulate(robot, FreeSpace(gravity=True), None, 0.5, initial=start)
    model = mujoco.MjModel.from_xml_string(mjcf(robot))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT  # nor do our trees touch themselves
    data = mujoco.MjData(model)
    data.qvel[:] = [*start.base_twist, *start.joint_velocity]
    for _ in range(500):
        mujoco.mj_step(model, data)
    np.testing.assert_allclose(run["joint_position"][-1], data.qpos[7:], atol=1e-7)
    np.testing.assert_allclose(run["base_pose"][-1], data.qpos[:7], atol=1e-7)


def compare(us, i, base, matrix, bias):
    """Compare base acceleration, torques and mass matrix of one state with M and bias of another library."""
    first = 6 - base
    assert close(us.matrices[i][first:, first:], matrix)
    wanted = us.accelerations[i]
    acceleration = np.concatenate([np.zeros(base), wanted])
    if base:
        acceleration[:6] = -np.linalg.solve(matrix[:6, :6], bias[:6] + matrix[:6, 6:] @ wanted)
        assert close(us.survey.base_rate[i], acceleration[:6])
    assert close(us.survey.torques[i], (matrix @ acceleration + bias)[base:])


def close(ours, theirs):
    """Check agreement within 1e-10 of the largest value."""
    return np.abs(ours - theirs).max() <= 1e-10 * np.abs(theirs).max()


def full_matrix(model, data, out):
    """Return MuJoCo's mass matrix, with the signature of the installed release."""
    if hasattr(data, "qM"):
        mujoco.mj_fullM(model, out, data.qM)
    else:
        mujoco.mj_fullM(model, data, out)
