"""Gait transitions: no jump of target, rate or acceleration between any two gaits."""

from __future__ import annotations

import numpy as np
import pytest

from serpenoid.gaits import Accordion, Bending, CompoundSerpenoid, JointTrajectory, Serpenoid, Undulation
from serpenoid.gaits.transition import Lead, with_polynomial
from serpenoid.kernels.motion import motion_samples
from serpenoid.robots import MovingFrameChain, Natrix, PlanarSnake

CHAIN, NATRIX = MovingFrameChain(bodies=8), Natrix()
SHAPES = JointTrajectory((0.0, 1.0, 2.0), ((), (0.2,) * 14, (-0.1,) * 14), Undulation(0.1, 0.7))
PAIRS = [
    (PlanarSnake(), Serpenoid(0.5, 1.0), Serpenoid(0.2, 3.0, 1.0, 0.3)),
    (NATRIX, Undulation(0.25, 1.35), Undulation(0.25, 0.0)),
    (NATRIX, Undulation(0.25, 1.35), Bending(2.0, 0.01)),
    (NATRIX, SHAPES, JointTrajectory(SHAPES.times, SHAPES.shapes, Undulation(0.2, 1.5))),
    (NATRIX, CompoundSerpenoid(0.3, 0.2, dorsal_frequency=1.0), CompoundSerpenoid(0.1, 0.2, frequency=1.0)),
    (CHAIN, Accordion(), Accordion(travel=1.0)),
]


@pytest.mark.parametrize(("robot", "first", "second"), PAIRS)
@pytest.mark.parametrize("time", [0.37, 1.0, 1.61])
def test_nothing_jumps_and_the_new_gait_is_reached(robot, first, second, time):
    lead = Lead.first(first, robot)
    after = lead.followed_by(second, robot, time)
    again = after.followed_by(first, robot, time + 0.2)
    here = np.array([time])
    for old, new in zip(motion_samples(lead.motion, here), motion_samples(after.motion, here)):
        np.testing.assert_allclose(new, old, atol=1e-9)
    here = np.array([time + 0.2])
    for old, new in zip(motion_samples(after.motion, here), motion_samples(again.motion, here)):
        np.testing.assert_allclose(new, old, atol=1e-9)


def test_after_the_blend_the_gait_is_the_gait_with_its_phase_carried_on():
    robot, gait = NATRIX, Undulation(0.25, 1.0)
    after = Lead.first(gait, robot).followed_by(Undulation(0.25, 2.0), robot, 0.4)
    shifted = gait.motion(robot)._replace(time_start=0.0)
    times = np.linspace(1.0, 2.0, 7)
    same_phase = 2.0 * times - 0.4  # time at 1 Hz that has the phase of 0.4 s at 1 Hz and the rest at 2 Hz
    np.testing.assert_allclose(
        motion_samples(after.motion, times)[0], motion_samples(shifted, same_phase)[0], atol=1e-9
    )


def test_a_dorsal_wave_of_another_frequency_keeps_its_ratio():
    robot, gait = NATRIX, CompoundSerpenoid(0.3, 0.2, frequency=0.5, dorsal_frequency=1.0)
    after = Lead.first(gait, robot).followed_by(gait, robot, 0.77)
    times = np.linspace(0.8, 3.0, 9)
    np.testing.assert_allclose(
        motion_samples(after.motion, times)[0], motion_samples(gait.motion(robot), times)[0], atol=1e-9
    )


def test_sums_of_piecewise_polynomials():
    rng = np.random.default_rng(0)
    motion = Bending(2.0, 0.3).motion(NATRIX)
    knots, coefficients = np.array([0.5, 1.1, 3.0, 5.0]), rng.normal(size=(3, 4, 14))
    total = with_polynomial(motion, knots, coefficients)
    added = motion._replace(knots=knots, coefficients=coefficients)
    times = np.concatenate([rng.uniform(-1.0, 6.0, 40)])
    for one, other, both in zip(*(motion_samples(m, times) for m in (motion, added, total))):
        np.testing.assert_allclose(both, one + other, atol=1e-8)
