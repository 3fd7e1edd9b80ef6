"""Prescribed joints under held commands: closed forms of the filter, and its limits."""

import numpy as np
import pytest

from serpenoid.control.base import Command
from serpenoid.engines.command_tracking import acceleration, following
from serpenoid.errors import Unsupported
from serpenoid.kernels.laws.following import BANDWIDTH, FASTEST, HARDEST
from serpenoid.kernels.motion import motion_samples
from serpenoid.robots import Cascade, PlanarSnake, SeaSnake
from serpenoid.simulation import simulate
from serpenoid.worlds import FreeSpace

NOTHING = np.full(1, np.nan)


def angles_after(time, position=NOTHING, velocity=NOTHING, pushed=NOTHING, start=0.0, rate=0.0):
    command = Command(position, velocity, pushed, NOTHING)
    steps = round(time / 1e-4)
    motion = following(np.array([start]), np.array([rate]), command, 2.0, 1e-4, steps)
    return [part[0, 0] for part in motion_samples(motion, np.array([2.0 + time - 1e-9]))]


def test_a_position_is_reached_as_by_a_critically_damped_filter():
    angle, rate, _ = angles_after(0.03, position=np.array([0.1]))
    x = BANDWIDTH * 0.03
    np.testing.assert_allclose(angle, 0.1 * (1.0 - (1.0 + x) * np.exp(-x)), rtol=5e-3)
    np.testing.assert_allclose(rate, 0.1 * BANDWIDTH * x * np.exp(-x), rtol=5e-3)


def test_an_acceleration_is_taken_as_it_is_and_a_free_joint_comes_to_rest():
    np.testing.assert_allclose(angles_after(0.02, pushed=np.array([30.0]))[:2], (0.006, 0.6), rtol=1e-6)
    _, rate, _ = angles_after(0.05, rate=1.0)
    np.testing.assert_allclose(rate, np.exp(-2.0 * BANDWIDTH * 0.05), rtol=0.05)


def test_rate_and_acceleration_stay_within_their_limits():
    _, rate, hardest = angles_after(1e-3, pushed=np.array([1e5]))
    np.testing.assert_allclose((rate, hardest), (HARDEST * 1e-3, HARDEST), rtol=1e-5)
    assert angles_after(0.1, pushed=np.array([1e5]))[1] <= FASTEST + 1e-9


def test_what_a_record_says_is_what_the_joint_did():
    command = Command(*(np.array([[value, np.nan]]) for value in (0.3, 0.1, np.nan, np.nan)))
    found = acceleration(np.array([[0.2, 0.5]]), np.array([[1.0, 2.0]]), command, 1e-3)
    expected = [[BANDWIDTH**2 * 0.1 + 2.0 * BANDWIDTH * (0.1 - 1.0), -2.0 * BANDWIDTH * 2.0]]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_record_knows_the_limits_of_a_filter_and_that_a_motion_has_none():
    far = Command(*(np.array([[value]]) for value in (3.0, np.nan, np.nan, np.nan)))
    assert acceleration(np.zeros((1, 1)), np.zeros((1, 1)), far, 1e-3)[0, 0] == 2000.0
    assert acceleration(np.zeros((1, 1)), np.full((1, 1), 19.0), far, 1e-3)[0, 0] == pytest.approx(1000.0)
    led = Command(*(np.array([[value]]) for value in (0.5, 60.0, 9000.0, np.nan)))
    assert acceleration(np.full((1, 1), 0.5), np.full((1, 1), 60.0), led, 1e-3)[0, 0] == 9000.0


@pytest.mark.parametrize("robot", [SeaSnake(drive=Cascade()), PlanarSnake(drive=Cascade())], ids=["tree", "planar"])
def test_a_cascade_is_refused_where_no_loop_runs_it(robot):
    with pytest.raises(Unsupported, match="engine contact"):
        simulate(robot, FreeSpace(), duration=0.01)
