"""Fourier gait: its motion is the written series, and one harmonic is a serpenoid wave."""

import numpy as np
import pytest

from serpenoid.errors import InvalidValue
from serpenoid.gaits import Fourier, Serpenoid
from serpenoid.gaits.limits import reach_between, reach_outside
from serpenoid.kernels.motion import motion_samples
from serpenoid.robots import PlanarSnake
from serpenoid.support.kernel_inputs import motion_of
from serpenoid.sweeps.gait_problem import as_fourier

RNG = np.random.default_rng(4)
OFFSET, SINE, COSINE = RNG.normal(size=4), RNG.normal(size=(3, 4)), RNG.normal(size=(3, 4))
GAIT, SNAKE, TIMES = Fourier.of(1.3, OFFSET, SINE, COSINE), PlanarSnake(), np.linspace(0.0, 2.0, 41)


def test_motion_is_the_series_with_its_derivatives():
    angle, rate, acceleration = motion_samples(motion_of(GAIT, SNAKE), TIMES)
    wanted = [OFFSET + 0.0 * TIMES[:, None], 0.0, 0.0]
    for m in range(1, 4):
        turn = 2.0 * np.pi * 1.3 * m
        s, c = np.sin(turn * TIMES)[:, None], np.cos(turn * TIMES)[:, None]
        a, b = SINE[m - 1], COSINE[m - 1]
        wanted[0] = wanted[0] + a * s + b * c
        wanted[1] = wanted[1] + turn * (a * c - b * s)
        wanted[2] = wanted[2] - turn**2 * (a * s + b * c)
    for found, value in zip((angle, rate, acceleration), wanted):
        np.testing.assert_allclose(found, value, atol=1e-9 * np.abs(value).max())


def test_bounds_of_the_angles_contain_the_motion():
    motion = motion_of(GAIT, SNAKE)._replace(knots=np.array([0.0, 2.0]))
    angle = motion_samples(motion, TIMES)[0]
    low, high = reach_outside(motion)
    assert np.all(low <= angle.min(axis=0)) and np.all(angle.max(axis=0) <= high)
    between = reach_between(motion)
    np.testing.assert_allclose(between, [angle.min(axis=0), angle.max(axis=0)], atol=0.2)


def test_one_harmonic_is_a_serpenoid_wave():
    wave = Serpenoid(amplitude=0.7, frequency=1.3, spatial_frequency=7.0, phase=0.4, offset=0.1)
    for found, wanted in zip(*(motion_samples(motion_of(gait, SNAKE), TIMES) for gait in (as_fourier(wave, 4), wave))):
        np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_wrong_numbers_of_joints_and_lists_are_refused():
    with pytest.raises(InvalidValue, match="4 numbers each"):
        motion_of(Fourier(sine=((0.1, 0.2),), cosine=((),)), SNAKE)
    with pytest.raises(InvalidValue, match="cosine"):
        Fourier(sine=((), ()), cosine=((),))
