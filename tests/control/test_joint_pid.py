"""PID control of joints: its law against the formula, its integral term, and its limit."""

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.control import JointPID, Observation
from serpenoid.errors import InvalidValue
from serpenoid.gaits import Serpenoid
from serpenoid.robots.drives import PD, Prescribed

PERIOD = 0.01
STILL = Serpenoid(amplitude=0.0, offset=0.1)  # hold a bend


def law_of(integral, **drive):
    robot = sp.robots.PlanarSnake(drive=PD(**drive))
    return JointPID(STILL, integral).start(robot, PERIOD, np.random.default_rng(0))


def seen(time, angle, rate=0.0):
    return Observation(time, {"joint_position": np.full(4, angle), "joint_velocity": np.full(4, rate)})


def test_the_torque_is_that_of_the_formula():
    law = law_of(5.0, stiffness=2.0, damping=0.3, torque_limit=10.0)
    errors = [0.05, 0.02, -0.01]
    for tick, error in enumerate(errors):
        torque = law(seen(tick * PERIOD, 0.1 - error, 0.4)).torque
        expected = 2.0 * error + 5.0 * PERIOD * sum(errors[:tick]) - 0.3 * 0.4
        np.testing.assert_allclose(torque, expected, rtol=1e-12)
    np.testing.assert_allclose(law.signals()["joint_error"].value, errors[-1])


def test_errors_are_not_summed_at_the_limit():
    law = law_of(5.0, stiffness=2.0, damping=0.0, torque_limit=0.1)
    for tick in range(50):
        np.testing.assert_allclose(law(seen(tick * PERIOD, -1.0)).torque, 0.1)
    assert not law.summed.any()


def test_the_integral_term_removes_the_error_that_a_load_leaves():
    """A joint of no friction with a constant load: rest at load / P by PD, at the target by PID."""
    rests = []
    for integral in (0.0, 4.0):
        law, angle, rate = law_of(integral, stiffness=2.0, damping=0.5, torque_limit=10.0), 0.0, 0.0
        for tick in range(3000):
            torque = law(seen(tick * PERIOD, angle, rate)).torque[0]
            for _ in range(10):
                rate += 0.1 * PERIOD * (torque - 0.06) / 0.05
                angle += 0.1 * PERIOD * rate
        rests.append(angle)
    assert rests == pytest.approx([0.1 - 0.06 / 2.0, 0.1], abs=1e-6)


def test_drives_without_gains_are_refused():
    with pytest.raises(InvalidValue, match=r"robot\.drive"):
        JointPID().start(sp.robots.PlanarSnake(drive=Prescribed()), PERIOD, np.random.default_rng(0))
