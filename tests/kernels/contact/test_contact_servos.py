"""Drive laws, motors and accounts of the compiled loop around MuJoCo against a plain loop with public calls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from naive_contact_loop import NaiveLoop

from serpenoid.control import Command
from serpenoid.engines.base import Initial
from serpenoid.engines.contact.engine import ContactEngine
from serpenoid.kernels.accounts import ABSOLUTE, CONTACT, DAMPING, DRIVE, EXTERNAL
from serpenoid.robots import PD, Cascade, SeaSnake, SeriesElastic
from serpenoid.worlds import Floor

STEPS, NONE = 40, np.nan  # later, rounding changes the number of iterations of the contact solver
SNAKE = SeaSnake(modules=4, joint_damping=0.02)
DRIVES = {
    "stiff": PD(30.0, 0.3, 7.0),
    "stiff at its limit": PD(30.0, 0.3, 0.8),
    "elastic": SeriesElastic(30.0, 0.5, 4.0),
    "elastic at its limit": SeriesElastic(30.0, 0.5, 0.5),
    "cascade, direct": Cascade(strategy=1),
    "cascade, torque inside": Cascade(strategy=2),
    "cascade, torque outside": Cascade(strategy=3),
    "cascade, torque between": Cascade(strategy=4),
}
# Rows: angles, rates, torques. Each joint has another combination of commanded quantities.
COMMAND = np.array([[0.4, -0.3, NONE, 0.2], [NONE, 0.5, 1.0, NONE], [NONE, NONE, NONE, 0.3]])


def runs(robot, wrenches, command=COMMAND):
    """Return states of the compiled loop after every step, the naive loop, and its coordinates after every step."""
    engine = ContactEngine(robot, Floor(), 0.001)
    start = Initial(joint_position=(0.1, -0.2, 0.15, 0.3), joint_velocity=(0.5, -1.0, 0.8, -3.3))
    state = engine.initial(start, None, np.random.default_rng(0))
    given = Command(command[0], command[1], np.full(4, NONE), command[2])
    states = engine.run(0, state, engine.lead(0, state, given, STEPS), STEPS, 1, wrenches)
    naive, path = NaiveLoop(engine, state), []
    for _ in range(STEPS):
        naive.step(command, np.zeros((len(robot.link_names), 6)) if wrenches is None else wrenches)
        path.append(np.concatenate([naive.data.qpos, naive.data.qvel]))
    return engine, states, naive, np.array(path)


@pytest.mark.parametrize("name", DRIVES)
def test_states_and_accounts_are_those_of_the_plain_loop(name):
    engine, states, naive, path = runs(replace(SNAKE, drive=DRIVES[name]), None)
    part = engine.layout.part
    found = np.hstack([part(states, key) for key in ("base_pose", "joints", "base_velocity", "joint_rates")])
    np.testing.assert_allclose(found, path, atol=1e-10)
    assert np.abs(part(states, "joint_rates")).max() > 1.0
    for key in ("impulse", "square", "work"):
        np.testing.assert_allclose(part(states, key + "s")[-1], getattr(naive, key), atol=1e-9, err_msg=key)
    np.testing.assert_allclose(part(states, "heat")[-1], naive.heat, rtol=1e-9)
    accounts = part(states, "accounts")[-1]
    for account, value in ((DRIVE, naive.drive_work), (ABSOLUTE, naive.absolute), (DAMPING, naive.damping),
                           (CONTACT, naive.contact), (EXTERNAL, 0.0)):  # fmt: skip
        assert accounts[account] == pytest.approx(value, rel=1e-7, abs=1e-9), account
    if part(states, "motors").size:
        np.testing.assert_allclose(part(states, "motors")[-1], naive.motor, atol=1e-10)
        np.testing.assert_allclose(part(states, "motor_rates")[-1], naive.motor_rate, atol=1e-9)


def test_pushes_do_the_work_of_their_forces():
    wrenches = np.random.default_rng(2).normal(size=(5, 6)) * ([5.0] * 3 + [0.2] * 3)
    engine, states, naive, path = runs(SNAKE, wrenches)
    accounts = engine.layout.part(states, "accounts")[-1]
    np.testing.assert_allclose(engine.layout.part(states, "joints")[-1], path[-1, 7:11], atol=1e-10)
    assert abs(accounts[EXTERNAL]) > 1e-3
    assert accounts[EXTERNAL] == pytest.approx(naive.external, rel=1e-7)
    assert accounts[DRIVE] == pytest.approx(naive.drive_work, rel=1e-7)


def test_a_joint_without_a_command_is_free():
    """Without torque, the drive has no impulse and does no work."""
    engine, states, _, _ = runs(SNAKE, None, np.full((3, 4), NONE))
    for key in ("impulses", "squares", "works"):
        assert not engine.layout.part(states, key).any()


def test_a_drive_does_not_push_beyond_its_top_speed():
    """At the top speed the limit is zero in the direction of motion and unchanged against it."""
    top = SNAKE.speed_limit
    engine = ContactEngine(SNAKE, Floor(), 0.001)
    rates = np.array([top, -top, 0.975 * top, 0.9 * top])
    for side in (1.0, -1.0):
        state = engine.initial(Initial(joint_velocity=tuple(rates)), None, np.random.default_rng(0))
        command = Command.empty(4)._replace(torque=np.full(4, side * 100.0))
        end = engine.run(0, state, engine.lead(0, state, command, 1), 1, 1, None)[-1]
        torque = engine.layout.part(end, "impulses") / engine.step
        shares = {1.0: (0.0, 1.0, 0.5, 1.0), -1.0: (-1.0, 0.0, -1.0, -1.0)}[side]
        np.testing.assert_allclose(torque, 7.0 * np.array(shares), atol=1e-9)
