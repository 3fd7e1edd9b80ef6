"""The compiled joint cascades against plain loops, on random signals and random gains."""

from __future__ import annotations

import numpy as np
import pytest
from naive_cascade import NaiveModule

from serpenoid.kernels.laws.cascade import JOINT_MEMORY, voltage_series
from serpenoid.robots.cascade import Cascade, Gains

STEP, SAMPLES = 0.001, 600


def random_gains(rng: np.random.Generator) -> Gains:
    """A loop in which every gain has something to do."""
    return Gains(
        kp=rng.uniform(0.0, 1.0), ki=rng.uniform(0.0, 20.0), kd=rng.uniform(0.0, 0.003),
        feed_forward=rng.uniform(-0.3, 0.3), dead_zone=rng.uniform(0.0, 0.2), i_clamp=rng.uniform(0.02, 0.2),
        punch=rng.uniform(0.0, 0.1), min_target=-rng.uniform(0.5, 1.0), max_target=rng.uniform(0.5, 1.0),
        target_lowpass=rng.uniform(0.2, 1.0), min_output=-rng.uniform(0.3, 2.0), max_output=rng.uniform(0.3, 2.0),
        output_lowpass=rng.uniform(0.2, 1.0), d_on_error=bool(rng.integers(2)),
    )  # fmt: skip


def random_signals(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Commands with stretches that are not commanded, and feedbacks, (samples, 3)."""
    commands, feedbacks = np.cumsum(rng.normal(0.0, 0.08, (2, SAMPLES, 3)), axis=1)
    absent = rng.integers(2, size=(SAMPLES // 50, 3)).astype(bool)
    commands[np.repeat(absent, 50, axis=0)] = np.nan
    return commands, feedbacks


@pytest.mark.parametrize("strategy", [1, 2, 3, 4])
def test_voltages_are_those_of_the_plain_loops(strategy):
    rng = np.random.default_rng(strategy)
    inside, off = 0, 0
    for _ in range(20):
        drive = Cascade(strategy, random_gains(rng), random_gains(rng), random_gains(rng))
        commands, feedbacks = random_signals(rng)
        found = np.empty(SAMPLES)
        voltage_series(drive.record(1), commands, feedbacks, np.zeros(JOINT_MEMORY), STEP, found)
        twin = NaiveModule(drive, STEP)
        plain = [twin.voltage(tuple(c), tuple(f)) for c, f in zip(commands.tolist(), feedbacks.tolist())]
        np.testing.assert_allclose(found, plain, rtol=0.0, atol=1e-12)
        assert np.abs(found).max() <= 1.0
        inside += np.count_nonzero(np.abs(found) < 1.0)
        off += np.count_nonzero(found == 0.0)
    assert off < inside  # signals that say something: neither switched off nor at the stop all the time
    assert inside > 0.3 * 20 * SAMPLES
