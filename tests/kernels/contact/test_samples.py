"""Samples of the loop around MuJoCo against its public functions: link motion, contacts, energies, IMU readings."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from naive_contact_loop import NaiveLoop

from serpenoid.control import Command
from serpenoid.engines.base import Initial, Log
from serpenoid.engines.contact.engine import ContactEngine
from serpenoid.robots import SeaSnake
from serpenoid.worlds import Floor

SNAKE = SeaSnake(modules=4)
BODY = mujoco.mjtObj.mjOBJ_XBODY  # frame of a body, not of its inertia


@pytest.fixture(scope="module")
def moving():
    """Return an engine, states of a snake that writhes on the floor, and the engine's samples of them."""
    engine = ContactEngine(SNAKE, Floor(), 0.001)
    start = Initial(joint_velocity=(1.0, 0.0, -1.0, 0.0))
    state = engine.initial(start, None, np.random.default_rng(0))
    command = Command.empty(4)._replace(position=np.array([0.2, 0.0, -0.2, 0.0]))
    states = engine.run(0, state, engine.lead(0, state, command, 40), 40, 10, None)
    commands = Command(*(np.tile(part, (4, 1)) for part in command))
    log = Log(0.01 * np.arange(1, 5), states, commands)
    told = engine.passed(log, np.array([commands.position, commands.velocity, commands.torque]), np.arange(4))
    return engine, log, told


def forward(engine, log, i):
    """Return a separate model and data after a forward pass at a sample."""
    naive = NaiveLoop(engine, log.states[i])
    model, data = naive.model, naive.data
    data.qacc_warmstart[:] = engine.layout.part(log.states[i], "warm")
    for j in range(4):
        naive.set_drive(j, np.array([log.commands.position[i], log.commands.velocity[i], log.commands.torque[i]]))
    for function in (mujoco.mj_forward, mujoco.mj_rnePostConstraint, mujoco.mj_energyPos, mujoco.mj_energyVel,
                     mujoco.mj_subtreeVel):  # fmt: skip
        function(model, data)
    return model, data


def test_links_move_and_feel_as_mujoco_reports(moving):
    engine, log, told = moving
    for i in range(4):
        model, data = forward(engine, log, i)
        for k, name in enumerate(SNAKE.link_names):
            body, velocity, acceleration = model.body(name).id, np.zeros(6), np.zeros(6)
            mujoco.mj_objectVelocity(model, data, BODY, body, velocity, 1)
            mujoco.mj_objectAcceleration(model, data, BODY, body, acceleration, 1)
            np.testing.assert_allclose(told.place[i, k], data.xpos[body], atol=1e-12)
            np.testing.assert_allclose(told.turn[i, k], data.xquat[body], atol=1e-12)
            np.testing.assert_allclose(told.spin[i, k], velocity[:3], atol=1e-9)
            np.testing.assert_allclose(told.felt[i, k], acceleration[3:], atol=1e-6)
            if k == 0:
                np.testing.assert_allclose(told.base_velocity[i], velocity[3:], atol=1e-9)
        root = model.body(SNAKE.link_names[0]).id
        np.testing.assert_allclose(told.energy[i], data.energy, atol=1e-9)
        np.testing.assert_allclose(told.torque[i], data.actuator_force, atol=1e-9)
        np.testing.assert_allclose(told.center[i], data.subtree_com[root], atol=1e-12)
        np.testing.assert_allclose(told.momentum[i, :3], data.subtree_linvel[root], atol=1e-9)
        np.testing.assert_allclose(told.momentum[i, 3:], data.subtree_angmom[root], atol=1e-9)


def test_contacts_read_from_memory_are_those_of_the_public_interface(moving):
    """Position, force on the link, and slip of every contact; and the sums by link."""
    engine, log, told = moving
    for i in range(4):
        model, data = forward(engine, log, i)
        links = {model.body(name).id: k for k, name in enumerate(SNAKE.link_names)}
        rows, sums = [], np.zeros((5, 3))
        for n in range(data.ncon):
            contact, wrench = data.contact[n], np.zeros(6)
            mujoco.mj_contactForce(model, data, n, wrench)
            frame = contact.frame.reshape(3, 3)
            for geom, sign in zip(contact.geom, (-1.0, 1.0)):
                link = links.get(int(model.geom_bodyid[geom]))
                if link is None:
                    continue
                jacobian = np.zeros((3, model.nv))
                mujoco.mj_jac(model, data, jacobian, None, contact.pos, model.geom_bodyid[geom])
                slip = np.linalg.norm(frame[1:] @ jacobian @ data.qvel)  # the other side is the floor, at rest
                push = sign * frame.T @ wrench[:3]
                sums[link] += push
                rows.append((link, *contact.pos, *push, slip))
        found = told.touch[i][~np.isnan(told.touch[i, :, 0])]
        assert len(found) == len(rows) >= 4
        np.testing.assert_allclose(sorted(map(tuple, found)), sorted(rows), rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(told.force[i], sums, rtol=1e-5, atol=1e-5)


def test_samples_noted_by_steps_are_those_of_a_forward_pass(moving):
    """A step records the state before it from its own forward pass; the first sample is then the start."""
    engine, log, told = moving
    command = Command(*(part[0] for part in log.commands))
    engine.notes.forget()
    engine.steps_per_sample = 10
    engine.run(10, log.states[0], engine.lead(10, log.states[0], command, 30), 30, 10, None)
    noted = engine.survey(Log(log.times[:3], log.states[:3], Command(*(part[:3] for part in log.commands))))
    for name in ("place", "turn", "spin", "center", "momentum", "energy", "torque"):
        np.testing.assert_allclose(getattr(noted, name), getattr(told, name)[:3], atol=1e-9, err_msg=name)
    np.testing.assert_allclose(noted.felt, told.felt[:3], atol=1e-5)
