"""Motions: exact derivatives and the right side of every knot."""

import numpy as np

from serpenoid.kernels.motion import motion_at, motion_samples, motion_segment
from serpenoid.kernels.records import Motion
from serpenoid.kernels.trigonometry import sine_cosine


def random_motion(rng, joints=3, segments=4, degree=5):
    knots = np.cumsum(rng.uniform(0.2, 0.5, segments + 1))
    return Motion(
        0.3, 0.7, *rng.normal(2.0, size=(4, joints)),
        knots, rng.normal(size=(segments, degree + 1, joints)),
    )  # fmt: skip


def naive_angle(motion, time, joint):
    s = int(np.clip(np.searchsorted(motion.knots, time, side="right") - 1, 0, motion.coefficients.shape[0] - 1))
    local = np.clip(time, motion.knots[0], motion.knots[-1]) - motion.knots[s]
    wave = motion.amplitude[joint] * np.sin(
        motion.phase_start + motion.rate[joint] * (time - motion.time_start) + motion.lag[joint]
    )
    return motion.offset[joint] + wave + sum(c * local**k for k, c in enumerate(motion.coefficients[s, :, joint]))


def test_sine_and_cosine_agree_with_the_library():
    angles = np.concatenate([np.linspace(-10, 10, 4001), np.linspace(-1e5, 1e5, 4001)])
    ours = np.array([sine_cosine(a) for a in angles])
    assert np.abs(ours - np.stack([np.sin(angles), np.cos(angles)], axis=1)).max() < 5e-16
    assert np.isnan(sine_cosine(np.nan)).all()


def test_angles_agree_with_a_naive_evaluation():
    motion = random_motion(np.random.default_rng(1))
    times = np.linspace(motion.knots[0] - 0.5, motion.knots[-1] + 0.5, 301)
    position, _, _ = motion_samples(motion, times)
    naive = [[naive_angle(motion, t, j) for j in range(3)] for t in times]
    np.testing.assert_allclose(position, naive, rtol=0, atol=1e-13)


def test_rates_and_accelerations_are_the_derivatives():
    motion = random_motion(np.random.default_rng(2))
    middles = 0.5 * (motion.knots[1:] + motion.knots[:-1])
    times = np.concatenate([middles, [motion.knots[0] - 0.3, motion.knots[-1] + 0.3]])
    h = 1e-4
    before, here, after = (motion_samples(motion, times + shift) for shift in (-h, 0.0, h))
    np.testing.assert_allclose(here[1], (after[0] - before[0]) / (2 * h), atol=3e-6)
    np.testing.assert_allclose(here[2], (after[1] - before[1]) / (2 * h), atol=3e-6)


def test_a_knot_takes_the_side_that_is_asked_for():
    motion = random_motion(np.random.default_rng(3))
    knot = motion.knots[2]
    assert motion_segment(motion, knot - 1e-9) == 1 and motion_segment(motion, knot) == 2
    left, right = np.empty((3, 3)), np.empty((3, 3))
    motion_at(motion, 1, knot, *left)
    motion_at(motion, 2, knot, *right)
    nearly = [part[0] for part in motion_samples(motion, np.array([knot - 1e-10]))]
    np.testing.assert_allclose(left, nearly, atol=1e-7)
    assert np.abs(left - right).max() > 1e-2
