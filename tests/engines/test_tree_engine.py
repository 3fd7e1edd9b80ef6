"""Trees in free space: conserved quantities and their errors."""

from dataclasses import dataclass

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.control.base import Command, Controller
from serpenoid.engines.base import Initial
from serpenoid.errors import InvalidValue
from serpenoid.gaits import Bending, Undulation
from serpenoid.robots import PD, MovingFrameChain, Natrix
from serpenoid.worlds import FreeSpace


def test_bending_leaves_the_centre_of_mass_where_it_is():
    """Claim N4: the drift over 20 s stays below 1e-9 m."""
    run = sp.simulate(Natrix(), FreeSpace(), Bending(), duration=20.0)
    assert np.abs(run["joint_position"]).max() > 0.9
    assert np.linalg.norm(run["center_of_mass"] - run["center_of_mass"][0], axis=1).max() < 1e-9


def test_work_of_the_drive_is_the_gain_of_kinetic_energy():
    run = sp.simulate(Natrix(), FreeSpace(), Undulation(amplitude=0.4), duration=2.0, sample_period=0.001)
    power, energy = run["power_drive"], run["energy_kinetic"]
    gained = np.concatenate([[0.0], np.cumsum(0.001 * power[1:])])
    assert np.ptp(energy) > 1e-3
    assert np.abs(energy - energy[0] - gained).max() < 1e-5 * np.ptp(energy)


def test_a_free_chain_keeps_energy_and_momentum():
    robot = MovingFrameChain(5, fixed_tail=False, drive=PD())
    start = Initial(joint_velocity=(1.0, -0.5, 0.8, 0.4, -1.0), base_twist=(0.1, 0.0, -0.1, 0.3, -0.2, 0.5))
    run = sp.simulate(robot, FreeSpace(), None, duration=10.0, initial=start)
    energy = run["energy_kinetic"]
    assert np.ptp(run["joint_position"], axis=0).min() > 0.3
    assert np.ptp(energy) < 1e-8 * energy[0]
    for name in ("momentum_linear", "momentum_angular"):
        assert np.ptp(run[name], axis=0).max() < 1e-12 * np.linalg.norm(run[name][0])


def test_a_hanging_chain_swings_without_loss():
    robot = MovingFrameChain(5, drive=PD())
    run = sp.simulate(robot, FreeSpace(gravity=True), None, duration=1.0)
    assert run["energy_kinetic"].max() > 1.0
    assert np.ptp(run["energy_kinetic"] + run["energy_potential"]) < 1e-7


def test_a_falling_tree_falls_as_a_stone():
    start = Initial(base_twist=(0.1, 0.2, 0.0, 1.0, 0.5, -0.7))
    run = sp.simulate(Natrix(), FreeSpace(gravity=True), Undulation(), duration=1.0, initial=start)
    centre, times = run["center_of_mass"], run.times
    expected = centre[0] + run["center_velocity"][0] * times[:, None]
    expected[:, 2] -= 0.5 * 9.81 * times**2
    assert np.abs(centre - expected).max() < 1e-12


def test_a_held_base_cannot_move():
    with pytest.raises(InvalidValue, match="base_twist"):
        sp.simulate(MovingFrameChain(3), FreeSpace(), None, duration=0.1, initial=Initial(base_twist=(1,) * 6))


@dataclass(frozen=True)
class Curl(Controller):
    """Asks for a step of all joints."""

    def start(self, robot, period, rng):
        return lambda observation: Command.empty(robot.joints)._replace(position=np.full(14, 0.5))


def test_prescribed_joints_follow_a_controller_smoothly_and_keep_the_centre_of_mass():
    run = sp.simulate(Natrix(), FreeSpace(), Curl(), duration=1.0)
    assert np.abs(run["joint_position"][-1] - 0.5).max() < 1e-3
    assert np.abs(run["joint_velocity"]).max() < 20.0
    assert np.ptp(run["center_of_mass"], axis=0).max() < 1e-12
    assert np.isfinite(run["joint_torque"]).all() and np.abs(run["joint_torque"]).max() > 0.1


def test_a_still_chain_feels_its_weight():
    run = sp.simulate(MovingFrameChain(3), FreeSpace(gravity=True), None, duration=0.1)
    assert np.abs(run["accelerometer"] - (0.0, 0.0, 9.81)).max() < 1e-9
    hanging = 0.2 * 9.81 * 0.1 * (0.5 + 1.5)  # moment of modules 2 and 3 about joint 2, which turns about y
    assert np.abs(np.abs(run["joint_torque"][:, 1]) - hanging).max() < 1e-9
