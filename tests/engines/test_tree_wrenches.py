"""Wrenches from outside on the bodies of a tree: momentum, torques and accelerometers that they must give."""

import numpy as np
import pytest

from serpenoid.engines.base import NO_DRAWS, Initial, Log
from serpenoid.engines.tree import TreeEngine
from serpenoid.errors import SimulationDiverged
from serpenoid.gaits import JointTrajectory, Undulation
from serpenoid.robots import MovingFrameChain, Natrix
from serpenoid.robots.drives import PD, SeriesElastic
from serpenoid.worlds import FreeSpace

STEP, STEPS = 0.001, 500
WRENCHES = np.zeros((15, 6))
WRENCHES[3], WRENCHES[7, 3:] = (0.3, -0.2, 0.5, 0.0, 0.0, 0.0), (0.01, 0.02, -0.03)
DRIVES = {"prescribed": Natrix(), "pd": Natrix(drive=PD()), "elastic": Natrix(drive=SeriesElastic())}


def pushed(robot, wrenches, steps=STEPS):
    """Times and variables of an undulating robot that is pushed all the time."""
    engine, motion = TreeEngine(robot, FreeSpace(), STEP), Undulation(0.3, 1.2).motion(robot)
    state = engine.initial(Initial(), motion, NO_DRAWS)
    states = np.vstack([state, engine.rollout(0, state, motion, steps, 1, wrenches)])
    times = STEP * np.arange(steps + 1)
    held = np.broadcast_to(wrenches, (steps + 1, *wrenches.shape))
    return times, engine.variables(Log(times, states, engine.motion_commands(times, motion), held)), engine


@pytest.mark.parametrize("drive", DRIVES)
def test_momentum_grows_by_force_and_moment(drive):
    times, found, engine = pushed(DRIVES[drive], WRENCHES)
    linear, angular = found["momentum_linear"], found["momentum_angular"]
    np.testing.assert_allclose(linear - linear[0], np.outer(times, WRENCHES[:, :3].sum(axis=0)), atol=1e-12)
    link = found["link_pose"][:, 3]
    centre = link[:, :3] + turned(link[:, 3:], engine.tree.center[3])
    rate = np.cross(centre, WRENCHES[3, :3]) + WRENCHES[7, 3:]
    grown = np.cumsum((rate[2::2] + 4.0 * rate[1::2] + rate[:-2:2]) * STEP / 3.0, axis=0)  # Simpson
    np.testing.assert_allclose(angular[2::2] - angular[0], grown, atol=1e-11)


@pytest.mark.parametrize("drive", DRIVES)
def test_pushes_have_an_account_and_the_ledger_closes(drive):
    _, found, _ = pushed(DRIVES[drive], WRENCHES)
    stored = sum(part for name, part in found.items() if name.startswith("energy_"))
    works = ("work_drive", "work_medium", "work_damping", "work_external")
    work = sum(found[name] for name in works)
    assert np.abs(stored - stored[0] - work).max() < 1e-6 * found["work_absolute"][-1]
    assert np.abs(found["work_external"]).max() > 1e-4


@pytest.mark.parametrize("drive", ["prescribed", "pd"])
def test_accelerometers_feel_a_push(drive):
    """Specific force without gravity is the acceleration: the rate of the twist and omega x v."""
    _, found, _ = pushed(DRIVES[drive], WRENCHES)
    twist = found["base_twist"]
    rate = (twist[2:, :3] - twist[:-2, :3]) / (2.0 * STEP) + np.cross(twist[1:-1, 3:], twist[1:-1, :3])
    felt = found["accelerometer"][1:-1, 0]
    assert np.abs(felt[2:] - rate[2:]).max() < 1e-3 * np.abs(rate).max()


def test_a_held_chain_carries_a_push_at_its_tip():
    """A force f along z at the tip's centre of mass, x = 0.35 m: hinges about y bear f times their distance to it."""
    robot = MovingFrameChain(3)
    engine, motion = TreeEngine(robot, FreeSpace(), STEP), JointTrajectory((0.0,), ((),)).motion(robot)
    state, wrenches = engine.initial(Initial(), motion, NO_DRAWS), np.zeros((4, 6))
    wrenches[3, 2] = 2.0
    commands = engine.motion_commands(np.zeros(1), motion)
    torque = engine.variables(Log(np.zeros(1), state[None], commands, wrenches[None]))["joint_torque"][0]
    np.testing.assert_allclose(np.abs(torque), (0.0, 2.0 * 0.15, 0.0), atol=1e-12)


@pytest.mark.parametrize("drive", DRIVES)
def test_a_run_that_leaves_the_numbers_says_when_at_any_sample_period(drive):
    """A push that accelerates all bodies equally, by 1e7 m/s^2: beyond 1e6 m/s after a tenth of a second."""
    engine, motion = TreeEngine(DRIVES[drive], FreeSpace(), STEP), Undulation(0.3, 1.2).motion(DRIVES[drive])
    state, wrenches = engine.initial(Initial(), motion, NO_DRAWS), np.zeros((15, 6))
    wrenches[:, 0] = 1e7 * engine.tree.mass
    every = engine.rollout(0, state, motion, 200, 1, wrenches)
    bad = int(np.isnan(every[:, 0]).argmax())
    assert 95 < bad < 105 and np.isnan(every[bad:]).all() and np.abs(every[:bad, :-5]).max() < 1e6
    coarse = engine.rollout(0, state, motion, 200, 10, wrenches)
    assert np.array_equal(np.isnan(coarse[:, 0]), np.arange(10, 201, 10) > bad)
    with pytest.raises(SimulationDiverged) as caught:
        engine.advance(0, state, command(engine, motion), 200, wrenches)
    assert caught.value.time == pytest.approx((bad + 1) * STEP, abs=1.5 * STEP)
    assert np.isfinite(caught.value.state).all()


def command(engine, motion):
    """The motion's command at time zero."""
    return engine.motion_commands(np.zeros(1), motion)._make(
        part[0] for part in engine.motion_commands(np.zeros(1), motion)
    )


def turned(quaternion, vector):
    """A vector of the body in world axes, (samples, 3)."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat(quaternion, scalar_first=True).apply(vector)
