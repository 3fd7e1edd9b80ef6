"""Spectra against sines whose frequency and amplitude are known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runs import made

from serpenoid import analysis
from serpenoid.errors import InvalidValue, UnknownName


@settings(max_examples=60, deadline=None)
@given(
    frequency=st.floats(0.8, 20.0),
    height=st.floats(1e-3, 10.0),
    phase=st.floats(-3.0, 3.0),
    offset=st.floats(-5.0, 5.0),
)
def test_line_between_bins_is_read_right(frequency, height, phase, offset):
    times = np.arange(400) * 0.01
    values = offset + height * np.sin(2 * np.pi * frequency * times + phase)
    found = analysis.oscillation_of(times, values)
    assert found.frequency == pytest.approx(frequency, rel=2e-3)
    assert found.amplitude[0] == pytest.approx(height, rel=5e-3)
    assert analysis.spectrum_of(times, values).amplitude.max() == pytest.approx(height, rel=2e-2)


def test_without_a_window_the_same_line_reads_low():
    """Why there is a window: half a bin off, the plain transform loses a third."""
    times = np.arange(400) * 0.01
    values = np.sin(2 * np.pi * 6.375 * times)
    plain = 2.0 * np.abs(np.fft.rfft(values)).max() / times.size
    assert plain < 0.7
    assert analysis.oscillation_of(times, values).amplitude[0] == pytest.approx(1.0, rel=1e-3)


def test_amplitude_and_phase_per_joint():
    times = np.arange(600) * 0.01
    heights, phases = np.array([0.25, 0.32, 0.36, 0.37]), np.array([0.0, 0.9, 1.8, -2.7])
    angles = heights * np.sin(2 * np.pi * 6.2 * times[:, None] + phases) + np.array([0.1, 0.0, -0.3, 0.0])
    run = made(times, joint_position=angles)
    assert analysis.dominant_frequency(run) == pytest.approx(6.2, rel=1e-4)
    assert analysis.amplitude(run) == pytest.approx(heights, rel=1e-3)
    assert analysis.oscillation(run).phase == pytest.approx(phases, abs=0.02)


def test_window_chooses_the_stretch():
    times = np.arange(1001) * 0.01
    values = np.where(times < 5.0, np.sin(2 * np.pi * 2.0 * times), 0.1 * np.sin(2 * np.pi * 4.0 * times))
    run = made(times, joint_position=values[:, None])
    assert analysis.dominant_frequency(run, end=5.0) == pytest.approx(2.0, rel=1e-3)
    assert analysis.dominant_frequency(run, start=5.0) == pytest.approx(4.0, rel=1e-3)


def test_a_trend_is_no_oscillation():
    times = np.arange(500) * 0.01
    run = made(times, joint_position=(0.3 * np.sin(2 * np.pi * 3.0 * times) + 0.2 * times)[:, None])
    assert analysis.dominant_frequency(run) == pytest.approx(3.0, rel=1e-2)


def test_a_run_at_rest_has_no_frequency():
    run = made(np.arange(100) * 0.01, joint_position=np.full((100, 3), 0.2))
    assert analysis.dominant_frequency(run) == 0.0
    assert np.all(analysis.amplitude(run) == 0.0)


def test_bad_input_is_refused_in_words():
    run = made(np.arange(100) * 0.01, joint_position=np.zeros((100, 3)))
    with pytest.raises(UnknownName, match="joint_positions"):
        analysis.spectrum(run, "joint_positions")
    with pytest.raises(InvalidValue, match="start"):
        analysis.spectrum(run, start=3.0)
    with pytest.raises(InvalidValue, match="at least 8 samples"):
        analysis.spectrum(run, start=0.9, end=0.92)
    with pytest.raises(InvalidValue, match="evenly spaced"):
        analysis.spectrum_of(np.geomspace(1, 2, 50), np.zeros(50))


def test_less_than_two_cycles_have_no_frequency():
    times = np.arange(200) * 0.01
    for cycles, told in ((0.6, False), (1.5, False), (1.8, False), (2.1, True), (6.0, True)):
        found = analysis.oscillation_of(times, np.sin(np.pi * cycles * times))
        assert np.isfinite(found.frequency) == told == np.isfinite(found.amplitude).all(), cycles
    assert analysis.oscillation_of(times, np.zeros(200)).frequency == 0.0
    assert np.isnan(analysis.oscillation_of(times, times**2).frequency)  # what only drifts
