"""Wrenches from outside on the links of a planar chain, against Newton's laws for the whole."""

from dataclasses import dataclass

import numpy as np
import pytest
from refusals import refused

from serpenoid.control.base import Command
from serpenoid.engines.base import NO_DRAWS, Initial, Log
from serpenoid.engines.planar import PlanarEngine
from serpenoid.engines.pushing import PushingEngine
from serpenoid.gaits import Serpenoid
from serpenoid.kernels.records import Chain
from serpenoid.robots import PD, PlanarSnake, Prescribed, SeriesElastic
from serpenoid.robots.base import PlanarRobot
from serpenoid.robots.drives import Drive
from serpenoid.worlds import FreeSpace, Plane
from serpenoid.worlds.pushing import Contact, PushedObject, PushingFloor, Wheels

STEP, STEPS = 5e-4, 400
IDLE = Command.empty(2)


@dataclass(frozen=True)
class Lopsided(PlanarRobot):
    """Three links of unequal length and mass, their centres of mass off their middles."""

    drive: Drive = PD()
    joints = 2
    joint_names = ("a", "b")
    link_names = ("head", "middle", "end")

    def chain(self):
        return Chain(
            np.array([0.2, 0.3, 0.25]), np.array([0.05, 0.22, 0.1]), np.array([0.4, 0.7, 0.3]),
            np.array([2e-3, 5e-3, 1e-3]), np.zeros(2),
        )  # fmt: skip


def carried(engine, wrenches, steps=STEPS, every=1):
    """Variables of a run under held wrenches and no command."""
    state = engine.initial(Initial(joint_position=(0.4, -0.7)), None, NO_DRAWS)
    states = [state]
    for first in range(0, steps, every):
        states.append(engine.advance(first, states[-1], IDLE, every, wrenches))
    count = len(states)
    commands = Command(*(np.full((count, 2), np.nan) for _ in range(4)))
    wrench = None if wrenches is None else np.repeat(wrenches[None], count, axis=0)
    return engine.variables(Log(every * engine.step * np.arange(count), np.array(states), commands, wrench))


@pytest.mark.parametrize("drive", [PD(), Prescribed()])
def test_a_force_shared_by_weight_moves_the_centre_like_a_stone(drive):
    engine = PlanarEngine(Lopsided(drive=drive), FreeSpace(), STEP)
    force, mass = np.array([0.6, -0.2]), engine.model.chain.mass
    wrenches = np.zeros((3, 6))
    wrenches[:, :2] = mass[:, None] / mass.sum() * force
    found = carried(engine, wrenches)
    time = STEP * np.arange(STEPS + 1)
    moved = found["center_of_mass"] - found["center_of_mass"][0]
    np.testing.assert_allclose(moved[:, :2], 0.5 * time[:, None] ** 2 * force / mass.sum(), atol=1e-13)
    start = found["center_of_mass"][0]
    turning = time * (start[0] * force[1] - start[1] * force[0])
    np.testing.assert_allclose(found["momentum_angular"], turning, atol=1e-12)
    work = 0.5 * time**2 * (force @ force) / mass.sum()
    np.testing.assert_allclose(found["work_external"], work, atol=1e-12)


@pytest.mark.parametrize("drive", [PD(), Prescribed(), SeriesElastic()])
def test_any_wrench_changes_the_momenta_as_newton_says(drive):
    engine = PlanarEngine(Lopsided(drive=drive), FreeSpace(), STEP)
    wrenches = np.random.default_rng(3).normal(0.0, 0.3, (3, 6))
    wrenches[:, 2:5] = 0.0
    found = carried(engine, wrenches)
    time = STEP * np.arange(STEPS + 1)
    total = wrenches[:, :2].sum(axis=0)
    np.testing.assert_allclose(found["momentum_linear"][:, :2], time[:, None] * total, atol=1e-12)
    poses = found["link_pose"]
    angle = 2.0 * np.arctan2(poses[..., 6], poses[..., 3])
    along = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    center = poses[..., :2] + engine.model.chain.center[:, None] * along
    moment = (center[..., 0] * wrenches[:, 1] - center[..., 1] * wrenches[:, 0] + wrenches[:, 5]).sum(axis=1)
    expected = np.r_[0.0, np.cumsum(0.5 * STEP * (moment[1:] + moment[:-1]))]
    np.testing.assert_allclose(found["momentum_angular"], expected, atol=1e-7)
    stored = sum(part for name, part in found.items() if name.startswith("energy_"))
    work = sum(found[name] for name in ("work_drive", "work_damping", "work_external"))
    np.testing.assert_allclose(stored, work, atol=1e-7 * stored.max())


def test_accelerometers_feel_a_wrench():
    engine = PlanarEngine(Lopsided(), FreeSpace(), STEP)
    wrenches = np.zeros((3, 6))
    wrenches[:, 0] = engine.model.chain.mass
    felt = carried(engine, wrenches, 1)["accelerometer"][0]
    np.testing.assert_allclose(np.linalg.norm(felt[:, :2], axis=1), 1.0, rtol=1e-12)
    assert np.abs(carried(engine, None, 1)["accelerometer"][0, :, :2]).max() < 1e-12


def test_a_wrench_pulls_the_same_in_a_rollout():
    robot, gait = PlanarSnake(), Serpenoid()
    engine, motion = PlanarEngine(robot, Plane(), 1e-3), gait.motion(robot)
    wrenches = np.zeros((5, 6))
    wrenches[0, 0] = -0.5
    start = engine.initial(Initial(), motion, NO_DRAWS)
    pulled, free = (engine.rollout(0, start, motion, 500, 500, push)[-1] for push in (wrenches, None))
    assert pulled[0] < free[0] - 0.01


def test_what_leaves_the_plane_is_refused():
    engine = PlanarEngine(Lopsided(), FreeSpace(), STEP)
    wrenches = np.zeros((3, 6))
    wrenches[1, 2] = 0.5
    with refused("push"):
        engine.advance(0, engine.initial(Initial(), None, NO_DRAWS), IDLE, 1, wrenches)


def test_a_push_feels_the_same_wrench_while_the_object_is_far():
    robot = PlanarSnake(3, 0.15, 1.0, 0.002, drive=PD(torque_limit=10.0))
    floor = PushingFloor(PushedObject(5.0), Wheels("none"), Contact(), gap=5.0)
    wrenches = np.random.default_rng(5).normal(0.0, 0.3, (3, 6))
    wrenches[:, 2:5] = 0.0
    ours, theirs = (
        carried(engine, wrenches, 200, 20)
        for engine in (PushingEngine(robot, floor, STEP), PlanarEngine(robot, FreeSpace(), STEP))
    )
    for name in ("joint_position", "base_pose", "work_external", "momentum_linear", "accelerometer"):
        np.testing.assert_allclose(ours[name], theirs[name], atol=1e-10)
