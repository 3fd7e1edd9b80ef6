"""Planar chain against Pinocchio and MuJoCo, each reading the exported file."""

import mujoco
import numpy as np
import pinocchio
import pytest
from planar_cases import NO_WRENCH, head_jacobian, model_in
from planar_kernels import inverse_dynamics, mass_matrix

from serpenoid.kernels.planar.chain import forward_dynamics, planar_work
from serpenoid.kernels.planar.inverse import prescribed_dynamics
from serpenoid.robots import PlanarSnake
from serpenoid.robots.export import mujoco_model, urdf

STATES = 1000


def samples(links, count):
    """Return head coordinates, their rates and torques; every joint moves."""
    rng = np.random.default_rng(links)
    for _ in range(count):
        yield rng.uniform(-3.0, 3.0, links + 2), rng.normal(0.0, 3.0, links + 2), rng.normal(size=links - 1)


def com_state(model, q, v):
    """Return our state from the head's coordinates."""
    angle = np.cumsum(q[2:])
    arm = (model.shift * np.array([np.cos(angle), np.sin(angle)])).sum(axis=1)
    state = np.concatenate([q, v])
    state[:2] += arm
    jacobian, _ = head_jacobian(model, state)
    state[q.size :] = jacobian @ v
    return state


def head_acceleration(model, state, acceleration):
    """Return accelerations of the head's coordinates from ours."""
    jacobian, centripetal = head_jacobian(model, state)
    return np.linalg.solve(jacobian, acceleration - centripetal)


def relative(ours, theirs):
    return np.abs(ours - theirs).max() / np.abs(theirs).max()


@pytest.mark.parametrize("links", [2, 5, 20])
def test_dynamics_agree_with_pinocchio(links):
    robot = PlanarSnake(links=links, joint_damping=0.0)
    peer = pinocchio.buildModelFromXML(urdf(robot))
    peer.gravity = pinocchio.Motion.Zero()
    data = peer.createData()
    model, work = model_in(None, links, joint_damping=0.0), planar_work(links)
    ours, base, torque = np.empty(links + 2), np.empty(links + 2), np.empty(links - 1)
    for q, v, u in samples(links, STATES):
        theirs = pinocchio.aba(peer, data, q, v, np.r_[0.0, 0.0, 0.0, u])
        state = com_state(model, q, v)
        forward_dynamics(model, work, state, u, ours)
        assert relative(head_acceleration(model, state, ours), theirs) < 1e-10
        assert relative(inverse_dynamics(model, work, state, ours), np.r_[0.0, 0.0, 0.0, u]) < 1e-9
        prescribed_dynamics(model, work, state, ours[3:].copy(), NO_WRENCH, base, torque)
        assert relative(base, ours) < 1e-10 and relative(torque, u) < 1e-9
        inertia = pinocchio.crba(peer, data, q)
        jacobian, _ = head_jacobian(model, state)
        mapped = jacobian.T @ mass_matrix(model, work, state) @ jacobian
        assert relative(mapped, np.triu(inertia) + np.triu(inertia, 1).T) < 1e-10


@pytest.mark.parametrize("links", [2, 5, 20])
def test_torques_agree_with_pinocchio(links):
    peer = pinocchio.buildModelFromXML(urdf(PlanarSnake(links=links, joint_damping=0.0)))
    peer.gravity = pinocchio.Motion.Zero()
    data = peer.createData()
    model, work = model_in(None, links, joint_damping=0.0), planar_work(links)
    rng = np.random.default_rng(7)
    for q, v, _ in samples(links, STATES):
        wanted = rng.normal(size=links + 2)
        state = com_state(model, q, v)
        jacobian, centripetal = head_jacobian(model, state)
        ours = jacobian.T @ inverse_dynamics(model, work, state, jacobian @ wanted + centripetal)
        assert relative(ours, pinocchio.rnea(peer, data, q, v, wanted)) < 1e-10


@pytest.mark.parametrize("links", [2, 5, 20])
def test_forward_dynamics_agree_with_mujoco(links):
    peer = mujoco_model(PlanarSnake(links=links, joint_damping=0.0))
    data = mujoco.MjData(peer)
    model, work, ours = model_in(None, links, joint_damping=0.0), planar_work(links), np.empty(links + 2)
    for q, v, u in samples(links, STATES):
        data.qpos[:], data.qvel[:], data.qfrc_applied[3:] = q, v, u
        mujoco.mj_forward(peer, data)
        state = com_state(model, q, v)
        forward_dynamics(model, work, state, u, ours)
        assert relative(head_acceleration(model, state, ours), data.qacc) < 1e-10
