"""Runge-Kutta method: order, rounding, the slope at the end, and detection of divergence."""

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.runge_kutta import is_bounded, new_stages, runge_kutta_step, slope_of


class Swing(NamedTuple):
    """Forced oscillator x'' = -x + sin(2 t), with a record of the times of its evaluations."""

    asked: NDArray  # (5,) [s]


@slope_of(Swing)
@inner
def swing_slope(system, stage, time, state, out):
    system.asked[stage] = time
    out[0] = state[1]
    out[1] = -state[0] + np.sin(2.0 * time)


@kernel
def swing(system, state, step, steps, evaluations):
    stages = new_stages(state.size)
    for i in range(steps):
        runge_kutta_step(system, stages, i * step, step, state, evaluations)
    return stages.slope


@kernel
def is_sound(state, count):
    return is_bounded(state, count)


def exact(time):
    """Return the exact solution from x = 1 at rest."""
    return np.array([np.cos(time) + 2 / 3 * np.sin(time) - np.sin(2 * time) / 3])


def test_fourth_order():
    errors = []
    for steps in (20, 40):
        state = np.array([1.0, 0.0])
        swing(Swing(np.zeros(5)), state, 2.0 / steps, steps, 4)
        errors.append(abs(state[0] - exact(2.0)[0]))
    assert errors[0] / errors[1] == pytest.approx(16.0, rel=0.1)


def test_stages_stand_at_their_moments_and_the_last_slope_is_that_of_the_end():
    system, state = Swing(np.full(5, np.nan)), np.array([1.0, 0.0])
    slope = swing(system, state, 0.1, 1, 5)
    np.testing.assert_allclose(system.asked, [0.0, 0.05, 0.05, 0.1, 0.1])
    np.testing.assert_allclose(slope, [state[1], -state[0] + np.sin(0.2)], rtol=1e-15)
    again = np.array([1.0, 0.0])
    swing(Swing(np.zeros(5)), again, 0.1, 1, 4)
    np.testing.assert_array_equal(again, state)


def test_rounding_does_not_pile_up():
    state = np.array([1.0, 0.0])
    swing(Swing(np.zeros(5)), state, 1e-5, 1_000_000, 4)
    assert abs(state[0] - exact(10.0)[0]) < 2e-15


def test_accounts_may_be_large_and_the_rest_may_not():
    state = np.array([1.0, 2.0, 1e9])
    assert is_sound(state, 2) and not is_sound(state, 3)
    for bad in (np.nan, np.inf, -2e6):
        assert not is_sound(np.array([1.0, bad, 0.0]), 2)
