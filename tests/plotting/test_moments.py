"""Figures of long runs: windows of a few cycles, envelopes, distinct snapshots, and display."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from runs import made_run

from serpenoid import plotting
from serpenoid.plotting import style
from serpenoid.plotting.moments import curve, snapshot_samples, start_of_sight, swings, window
from serpenoid.robots import PlanarSnake
from serpenoid.scenarios.slither import Slither
from serpenoid.worlds import Plane


@pytest.fixture(scope="module")
def long():
    return made_run(PlanarSnake(), Plane(), duration=30.0, frequency=2.0)


def test_a_long_run_shows_its_last_cycles(long):
    shown = window(long)
    assert long.times[-1] - long.times[shown][0] == pytest.approx(3.0, abs=0.02)
    axes = plotting.joints(long)
    assert axes.get_xlabel() == "time [s], the last 3 of 30 s"
    assert axes.lines[1].get_ydata() == pytest.approx(long["joint_position"][shown, 1])
    short = made_run(PlanarSnake(), Plane(), duration=5.0, frequency=2.0)
    assert window(short) == slice(0, 501) and plotting.joints(short).get_xlabel() == "time [s]"


def test_an_envelope_holds_the_series_and_its_middle_the_mean():
    times = np.linspace(0.0, 60.0, 6001)
    values = 0.5 * times + (1.0 + times / 60.0) * np.sin(2 * np.pi * 3.0 * times)
    axes = Figure().add_subplot()
    curve(axes, times, values, "series")
    assert axes.lines[0].get_label() == "series (mean and range)"
    corners = axes.collections[0].get_paths()[0].vertices
    assert corners[:, 1].max() == pytest.approx(values.max()) and corners[:, 1].min() == pytest.approx(values.min())
    middle = axes.lines[0].get_xydata()
    assert middle[:, 1] == pytest.approx(0.5 * middle[:, 0], abs=0.35)
    curve(axes, times, np.sin(times), "slow")
    assert axes.lines[-1].get_ydata() == pytest.approx(np.sin(times))
    assert (swings(np.sin(2 * np.pi * times)), swings(times), swings(np.zeros(9))) == (60, 0, 0)


@pytest.mark.parametrize("frequency", [0.7, 1.0, 2.37])
def test_the_middle_of_a_steady_envelope_is_a_straight_line(frequency):
    times = np.linspace(0.0, 90.0, 9001)
    phase = 2 * np.pi * frequency * times
    values = 3.0 + np.sin(phase) + 2.0 * np.sin(2 * phase + 0.4) + 0.5 * np.abs(np.sin(phase))
    axes = Figure().add_subplot()
    curve(axes, times, values, "steady", frequency)
    middle = axes.lines[0].get_ydata()
    assert middle.size >= 20 and np.ptp(middle) < 0.005 * np.ptp(values)
    corners = axes.collections[0].get_paths()[0].vertices
    assert corners[:, 1].max() == pytest.approx(values.max()) and corners[:, 1].min() == pytest.approx(values.min())
    assert axes.lines[0].get_xdata()[-1] > 85.0


def test_the_power_panel_of_a_steady_run_has_straight_means():
    run = Slither(duration=40.0).run()
    axes = plotting.power(run, start=2.0)
    means = [line for line in axes.lines if "mean and range" in line.get_label()]
    assert len(means) >= 2
    for line in means:
        steady = line.get_ydata()[line.get_xdata() > 5.0]
        assert np.ptp(steady) < 0.02 * np.abs(run["power"]).max()


def test_snapshots_a_period_apart_are_moved(long):
    chosen = snapshot_samples(long, 7)  # 5 s apart, ten periods of 2 Hz
    assert chosen[0] == 0 and chosen[-1] == long.times.size - 1 and chosen.size == 7
    phases = (2.0 * long.times[chosen[:-1]]) % 1.0
    assert np.diff(np.sort(phases)).min() > 0.05
    assert np.abs(long.times[chosen] - np.linspace(0.0, 30.0, 7)).max() <= 0.26  # half a period
    slow = made_run(PlanarSnake(), Plane(), duration=2.0, frequency=1.0)
    assert list(snapshot_samples(slow, 5)) == [0, 50, 100, 150, 200]


def test_the_body_is_shown_where_its_shape_can_be_seen(long):
    start = start_of_sight(long, 0.01)
    left = long["center_of_mass"][long.times >= start] - long["center_of_mass"][-1]
    assert 0.0 < start < 30.0 and np.linalg.norm(left, axis=1).max() <= 0.08
    assert start_of_sight(long, 1e6) is None


def test_early_is_dark_and_late_is_light(long):
    def light(colour):
        return np.dot(np.asarray(colour)[:3], (0.3, 0.59, 0.11))

    for axes in (plotting.path(long), plotting.snapshots(long)):
        bodies = [line for line in axes.lines if line.get_linewidth() == 2.6]
        tones = [light(line.get_color()) for line in bodies]
        assert len(tones) > 1 and tones == sorted(tones)


def test_figures_are_of_pyplot_where_somebody_looks(long, monkeypatch):
    from matplotlib import pyplot

    before = pyplot.get_fignums()
    plotting.joints(long)
    assert pyplot.get_fignums() == before
    monkeypatch.setattr(style, "figures_displayed", lambda: True)
    axes = plotting.joints(long)
    assert axes.figure in [pyplot.figure(number) for number in pyplot.get_fignums()]
    pyplot.close(axes.figure)


def test_a_figure_that_is_written_does_not_appear_as_well(long, tmp_path, monkeypatch):
    from matplotlib import pyplot

    monkeypatch.setattr(style, "figures_displayed", lambda: True)
    before = pyplot.get_fignums()
    plotting.overview(long, tmp_path / "page.png")
    assert pyplot.get_fignums() == before
