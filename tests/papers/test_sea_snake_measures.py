"""Measures of the experiments on the thesis: waveforms, lags, ratios by board, passed rows, falls, Fig. 3.1."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from serpenoid.scenarios.roll_to_pole import fell
from serpenoid.scenarios.sidewind_pegs import Passing, off_course
from serpenoid.worlds import PegRow
from serpenoid_papers.sea_snake.comparisons import (
    Ratio,
    correct_family,
    pool_ratio,
    rarer_share,
    shown_order,
    spread,
    typical,
)
from serpenoid_papers.sea_snake.connection import connection, integrate_gait
from serpenoid_papers.sea_snake.waveform import lag_events, path_curvature, stretches, waveform_residual


def test_serpenoids_leave_no_residual_and_noise_leaves_most_of_its_own():
    s = np.arange(9) / 9.0
    waves = np.array([0.7 * np.sin(wave * s + phase) for wave in (2 * pi, 3 * pi, 4 * pi) for phase in (0.0, 1.0)])
    assert waveform_residual(waves).max() < 1e-7  # square root of the rounding error of squares
    noise = np.random.default_rng(0).standard_normal((500, 9))
    assert 0.2 < waveform_residual(0.1 * noise).mean() / 0.1 < 1.0
    kink = waves.copy()
    kink[:, 4] += 0.5
    assert waveform_residual(kink).min() > 0.05


def test_lags_are_counted_once_and_only_where_the_run_tells():
    lag = np.zeros(100)
    lag[10:20] = 1.0
    lag[20:25] = 0.3
    lag[60:70] = 1.0
    lag[70:] = 0.3
    assert stretches(lag > 0.5) == [(10, 20), (60, 70)]
    assert lag_events(lag, 10) == (2, 1, 1)
    assert lag_events(lag, 40) == (1, 1, 1)  # the second event has too few samples left
    assert lag_events(np.append(lag, 0.0), 40) == (1, 1, 1)
    lag[20:60] = 0.3 * np.cos(np.arange(40))
    assert lag_events(lag, 40) == (1, 1, 0)  # it only crosses zero


def test_the_curvature_of_a_circle_is_one_by_its_radius():
    angle = np.linspace(0.0, 2.0, 500)
    circle = 0.4 * np.column_stack([np.cos(angle), np.sin(angle)])
    assert path_curvature(circle) == pytest.approx(2.5, rel=0.02)
    assert np.isnan(path_curvature(circle[:2]))


@pytest.fixture(scope="module")
def tables():
    rng, boards = np.random.default_rng(1), np.repeat(np.arange(40), 2)
    distance = rng.uniform(1.5, 2.5, 80)
    slow = {"cycles": 6.0 * distance * rng.uniform(0.9, 1.1, 80), "distance": distance}
    fast = {"cycles": 4.0 * distance * rng.uniform(0.9, 1.1, 80), "distance": distance}
    for table in (slow, fast):
        table["cycles_per_metre"] = table["cycles"] / table["distance"]
    return slow, fast, boards


def test_ratios_hold_what_was_put_in(tables):
    slow, fast, boards = tables
    for ratio in (pool_ratio(slow, fast, boards), typical(slow, fast, "cycles_per_metre", boards)):
        low, high = ratio.interval()
        assert low < 1.5 < high and low > 1.0 and ratio.p < 0.01
    same = spread(slow, fast, "cycles_per_metre", boards)
    assert same.interval()[0] < 1.0 < same.interval()[1] and "would decide" in same.words
    assert pool_ratio(slow, fast, np.zeros(80)).interval() is None  # a single board


def test_a_family_is_corrected_as_one(tables):
    slow, fast, boards = tables
    sure, open_ = pool_ratio(slow, fast, boards), Ratio(1.1, np.linspace(0.98, 1.22, 1000), 80)
    pair = rarer_share(np.arange(80) < 10, np.arange(80) < 20)
    found = correct_family({"sure": sure, "open": open_, "pair": pair})
    assert found["sure"][0] > 1.0
    assert found["open"][0] <= open_.interval()[0] and found["open"][1] >= open_.interval()[1]
    assert found["pair"][:2] == pair[:2] and found["pair"][2] >= pair[2]


def test_samples_of_ten_show_an_order_as_often_as_they_should(tables):
    slow, fast, _ = tables
    rates = {"slow": slow["cycles_per_metre"], "fast": fast["cycles_per_metre"]}
    assert shown_order(rates, 10, 1000) == 1.0
    assert abs(shown_order({"a": rates["slow"], "b": rates["slow"]}, 10, 4000) - 0.5) < 0.05


def test_a_snake_passes_when_all_of_it_is_beyond_the_row():
    row = PegRow(openings=(0.5, 0.5), off_line=0.0)
    way = np.linspace(-0.3, 2.0, 50)
    body = np.column_stack([np.linspace(-0.1, 0.1, 19), np.zeros(19)])
    place = body[None] + np.column_stack([np.full(50, 0.02), way])[:, None]
    passed = Passing.of(row, place)
    assert place[passed.passed, :, 1].min() > row.distance + row.peg_radius
    assert place[passed.passed - 1, :, 1].min() <= row.distance + row.peg_radius
    assert passed.openings == 0
    stays = Passing.of(row, place[:10])
    assert stays.passed == -1
    beside = Passing.of(row, place + np.array([10.0, 0.0]))
    assert beside.passed == -1


def led(points, samples=60):
    """Move the middle of a short body of 19 links along points (n, 2) [m]."""
    body = np.column_stack([np.linspace(-0.1, 0.1, 19), np.zeros(19)])
    way = [np.linspace(a, b, samples) for a, b in zip(points, points[1:])]
    return body[None] + np.concatenate(way)[:, None]


def test_a_snake_that_goes_round_the_end_of_the_row_has_not_passed_it():
    row = PegRow(openings=(0.5, 0.5), off_line=0.0)
    end = row.centers()[-1, 0]
    failed = Passing.of(row, led([(0.0, 0.0), (end + 0.5, 0.0), (end + 0.5, 2.0), (0.3, 2.0)]))
    assert failed.passed == -1
    back = Passing.of(row, led([(0.0, 0.0), (end + 0.5, 0.0), (0.3, 0.0), (0.3, 2.0)]))
    assert back.passed == -1  # it had left the row before it came back
    tried = led([(0.3, 0.0), (0.3, 0.62), (0.3, 0.0), (end + 0.5, 0.0), (end + 0.5, 2.0), (0.3, 2.0)])
    assert Passing.of(row, tried).passed == -1  # it had entered, but then passed around the end of the row


def test_openings_are_counted_from_where_the_row_is_reached_to_the_one_that_is_taken():
    row = PegRow(openings=(0.5, 0.5), off_line=0.0)
    pegs = row.centers()[:, 0]
    middles = 0.5 * (pegs[1:] + pegs[:-1])
    near = row.distance - 0.02
    for side, count in ((0.01, 3), (-0.01, 4)):  # 3, 4 and 5, and the first one; 6 is taken
        first = middles[2] + side
        slid = Passing.of(row, led([(first, 0.0), (first, near), (middles[6], near), (middles[6], 2.0)]))
        assert slid.passed > 0 and slid.openings == count
    there = Passing.of(row, led([(middles[2], 0.0), (middles[6], 0.0), (middles[6], 2.0)]))
    assert there.passed > 0 and there.openings == 0  # it slid along without entering
    never = Passing.of(row, led([(middles[2] - 0.01, 0.0), (middles[2] - 0.01, near), (pegs[-1] + 0.5, near)]))
    assert never.passed == -1 and never.openings == 6


def test_courses_and_falls():
    times = 0.1 * np.arange(200)
    straight, across = (np.column_stack([x * times, y * times]) for x, y in ((0.0, 0.1), (0.1, 0.0)))
    assert off_course(times, straight, 2.0) == pytest.approx(0.0)
    assert off_course(times, across, 2.0) == pytest.approx(90.0)
    assert np.isnan(off_course(times, across, 19.0)) and np.isnan(off_course(times, across, float("nan")))
    up = np.tile(0.2 + 0.01 * times[:, None], (1, 18))
    assert not fell(times, up, 2.0)
    down = up.copy()
    down[100:] -= 0.1
    assert fell(times, down, 2.0) and not fell(times, down, 12.0)
    assert fell(times, up - up.min() - 0.2, 2.0)  # on the floor at the end
    rolling = 3.0 - 0.055 * np.tile(times[:, None], (1, 18))
    assert fell(times, rolling, 2.0) and not fell(times, rolling, 2.0, rolls_down=0.04)


def test_the_connection_gains_nothing_on_a_line_and_something_on_a_circle():
    angle = np.linspace(0.0, 2.0 * pi, 121)
    line = 0.5 * np.column_stack([np.cos(angle), 0.3 * np.cos(angle)])
    assert np.abs(integrate_gait(line)).max() < 1e-4
    circle = 0.5 * np.column_stack([np.cos(angle), np.sin(angle)])
    forward, backward = integrate_gait(circle), integrate_gait(circle[::-1])
    assert np.hypot(*forward[:2]) > 0.02
    assert np.hypot(*forward[:2]) == pytest.approx(np.hypot(*backward[:2]), rel=1e-2)


def middle(weights):
    """Return the mean of points along the chain of Fig. 3.1 in the axes of its first link."""
    joints = np.arange(1, 10) / 10
    heading = np.append(0.0, np.cumsum(weights[0] * np.sin(2 * pi * joints) + weights[1] * np.cos(2 * pi * joints)))
    along = 0.1 * np.stack([np.cos(heading), np.sin(heading)])
    ends = np.hstack([np.zeros((2, 1)), np.cumsum(along, axis=1)])
    return (0.5 * (ends[:, 1:] + ends[:, :-1])).mean(axis=1)


def test_drag_alike_along_and_across_leaves_the_middle_of_the_body_where_it_is():
    weights, step = np.array([0.4, -0.3]), 1e-6
    for k, rate in enumerate(np.eye(2)):
        x, y, turn = connection(weights, 1.0)[:, k]
        own = (middle(weights + step * rate) - middle(weights - step * rate)) / (2.0 * step)
        at = middle(weights)
        assert np.allclose(own + [x - turn * at[1], y + turn * at[0]], 0.0, atol=1e-8)
    assert np.abs(connection(weights, 1.0) - connection(weights)).max() > 1e-3
