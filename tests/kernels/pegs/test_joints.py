"""Steps of a chain without contacts against dense dynamics, joint torques found by bisection of the implicit law."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import brentq

from serpenoid.control import Command
from serpenoid.engines.pegs import PegEngine
from serpenoid.kernels.accounts import ABSOLUTE, CONTACT, DAMPING, DRIVE
from serpenoid.kernels.pegs.joints import DRIVE_ACCURACY, STOP_DAMPING, STOP_STIFFNESS
from serpenoid.robots import PD, PlanarSnake
from serpenoid.worlds import PegBoard

STEP = 0.001
SLICK = PegBoard(density=0.0, friction=0.0)


@dataclass(frozen=True)
class Stopped(PlanarSnake):
    """Snake whose joints have stops and a top speed."""

    joint_limit: float = 0.6
    speed_limit: float = 3.0

    @property
    def joint_range(self):
        return np.tile((-self.joint_limit, self.joint_limit), (self.joints, 1))


def dense_equations(chain, angles, rates):
    """Return mass matrix and inertial forces by x, y of the head's front end, heading and joints at a state."""
    links = chain.mass.size
    heading, turning = np.cumsum(angles), np.cumsum(rates)
    along = np.stack([np.cos(heading), np.sin(heading)], axis=1)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    mass, force = np.zeros((links + 2, links + 2)), np.zeros(links + 2)
    for k in range(links):
        levers = np.where(np.arange(links) < k, chain.length, np.where(np.arange(links) == k, chain.center, 0.0))
        by_angle = levers[:, None] * across  # velocity of this centre by the rates of all links' angles
        jacobian, spin = np.zeros((2, links + 2)), np.zeros(links + 2)
        jacobian[:, :2] = np.eye(2)
        for j in range(links):  # the angle of link i has all joints up to i in it
            jacobian[:, 2 + j] = by_angle[j:].sum(axis=0)
        spin[2 : 3 + k] = 1.0
        mass += chain.mass[k] * jacobian.T @ jacobian + chain.inertia[k] * np.outer(spin, spin)
        force -= chain.mass[k] * jacobian.T @ (-(levers * turning**2) @ along)
    return mass, force


def drive_torque(engine, target, angle, rate, after):
    """Evaluate the implicit law: PD at the mid-step angle and rate, a limit, and a fade by the final rate."""
    drive, h, top = engine.robot.drive, STEP, engine.robot.speed_limit
    late = max(0.5, 1.0 - engine.scene.stops.lightest / (h * drive.damping)) if drive.damping else 0.5
    middle = angle + 0.25 * h * (after - rate)
    wanted = drive.stiffness * (target - middle) - drive.damping * (rate + late * (after - rate))
    torque = np.clip(wanted, -drive.torque_limit, drive.torque_limit)
    side = 1.0 if after > 0.0 else -1.0
    room = max(drive.torque_limit * (top - side * after) / (0.05 * top), 0.0)
    return side * room if side * torque > room else torque


def stop_torque(limit, angle, after):
    """Return the torque of the stop's spring and damper at the end of the step, which only push."""
    side = 1.0 if angle > 0.0 else -1.0
    deep = side * (angle + 0.5 * STEP * after) - limit
    push = STOP_STIFFNESS * deep + STOP_DAMPING * side * after
    return -side * push if deep > 0.0 and push > 0.0 else 0.0


def implicit_step(engine, target, angle, rates):
    """Return the rate of a single joint after a step and its drive's torque, by bisection of the torque balance.

    Returns None if no rate balances them: the joint would pass a stop without its damper and rebound with it.
    """
    chain = engine.scene.chain
    mass, force = dense_equations(chain, np.array([0.0, angle]), rates[2:])
    free = np.linalg.solve(mass, force)
    by_torque = np.linalg.solve(mass, np.eye(4)[3])
    friction = engine.robot.each("joint_damping")[0]

    def missing(after):
        total = drive_torque(engine, target, angle, rates[3], after)
        total += stop_torque(engine.robot.joint_limit, angle, after) - friction * after
        return after - rates[3] - STEP * (free[3] + by_torque[3] * total)

    after = brentq(missing, rates[3] - 2000.0, rates[3] + 2000.0, xtol=1e-13, rtol=1e-14)
    jumps = abs(missing(after)) > 1e-9  # at the edge of a stop, whose damper acts at once
    return None if jumps else (after, drive_torque(engine, target, angle, rates[3], after))


def one_step(engine, target, angle, rates):
    """Compute the same by the engine: rates of all coordinates, torque of the drive, accounts."""
    state = engine.layout.state(joints=(angle,), head_rate=rates[:2], heading_rate=rates[2], joint_rates=rates[3:])
    command = Command.empty(1)._replace(position=np.array([target]))
    end = engine.run(0, state, engine.lead(0, state, command, 1), 1, 1, None)[-1]
    return end[engine.layout["joint_rates"]][0], end[engine.layout["impulses"]][0] / STEP, end


@pytest.mark.parametrize("mass", [4.0, 0.6], ids=["heavy", "light"])
def test_a_joint_solves_its_implicit_law(mass):
    """Within the accuracy of a drive's torque everywhere, and exact where one piece of the law applies.

    Joints are up to 0.01 rad in a stop, four times as deep as a drive presses them. From deeper, a light joint rebounds
    beyond its top speed within the step. Its drive, idle at the step's start, then brakes one step late.
    """
    robot = Stopped(links=2, link_length=0.4, link_mass=mass, joint_damping=0.05, drive=PD(40.0, 0.5, 5.0))
    engine, rng, exact, kinds = PegEngine(robot, SLICK, STEP), np.random.default_rng(0), 0, set()
    for _ in range(300):
        angle, target = (
            np.clip(rng.uniform(-0.9, 0.9), *rng.uniform((-0.61, 0.59), (-0.59, 0.61))),
            rng.uniform(-1.0, 1.0),
        )
        rates = np.concatenate([rng.normal(size=3), [rng.uniform(-3.4, 3.4)]])
        solved = implicit_step(engine, target, angle, rates)
        if solved is None:
            continue
        found, given, _ = one_step(engine, target, angle, rates)
        after, torque = solved
        assert abs(given - torque) <= DRIVE_ACCURACY * 5.0 * (1.0 + 1e-9), (angle, rates[3], target)
        exact += abs(given - torque) < 1e-8 and abs(found - after) < 1e-9
        kinds.add((abs(torque) >= 5.0, abs(after) > 2.85, abs(angle) > 0.6))
    assert exact > 250
    assert len(kinds) >= 5  # limits, top speeds and stops are among the cases


def test_a_free_chain_has_the_dense_dynamics():
    """Six links without friction and drives: M(q) (v' - v) = h F."""
    robot = PlanarSnake(links=6, link_length=(0.1, 0.2, 0.13, 0.15, 0.1, 0.12), link_mass=0.4, joint_damping=0.0,
                        drive=PD(20.0, 0.3, 5.0))  # fmt: skip
    engine, rng = PegEngine(robot, SLICK, STEP), np.random.default_rng(1)
    for _ in range(30):
        angles, rates = rng.uniform(-1.0, 1.0, 6), rng.normal(size=8)
        state = engine.layout.state(
            heading=angles[0], joints=angles[1:], head_rate=rates[:2], heading_rate=rates[2], joint_rates=rates[3:]
        )
        end = engine.run(0, state, engine.lead(0, state, Command.empty(5), 1), 1, 1, None)[-1]
        mass, force = dense_equations(engine.scene.chain, angles, rates[2:])
        after = rates + STEP * np.linalg.solve(mass, force)
        np.testing.assert_allclose(end[8:16], after, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(end[:8], state[:8] + STEP * after, rtol=1e-9, atol=1e-10)


def test_accounts_of_a_step_are_torque_times_mean_rate():
    robot = Stopped(links=2, link_length=0.4, link_mass=2.0, joint_damping=0.05, drive=PD(40.0, 0.5, 5.0))
    engine = PegEngine(robot, SLICK, STEP)
    for angle, rate, target in ((0.1, 0.4, 0.3), (0.61, 0.2, 1.0), (-0.2, -1.0, 0.9)):
        rates = np.array([0.1, -0.2, 0.3, rate])
        found, given, end = one_step(engine, target, angle, rates)
        mean, accounts = 0.5 * (rate + found), engine.layout.part(end, "accounts")
        assert accounts[DRIVE] == pytest.approx(STEP * given * mean, rel=1e-10)
        assert accounts[ABSOLUTE] == pytest.approx(abs(accounts[DRIVE]))
        assert accounts[DAMPING] == pytest.approx(-STEP * 0.05 * found * mean, rel=1e-10)
        assert accounts[CONTACT] == pytest.approx(STEP * stop_torque(0.6, angle, found) * mean, rel=1e-9, abs=1e-15)
        mass, force = dense_equations(engine.scene.chain, np.array([0.0, angle]), rates[2:])
        after = end[engine.layout["head_rate"].start :][:4]
        total = mass @ (after - rates) / STEP - force  # of the joint alone
        np.testing.assert_allclose(total[:3], 0.0, atol=1e-8)
        assert total[3] == pytest.approx(given + stop_torque(0.6, angle, found) - 0.05 * found, rel=1e-8)
