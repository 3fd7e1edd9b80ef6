"""Speed, slip and Pareto fronts against answers found by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runs import made, planar_poses

from serpenoid import analysis
from serpenoid.errors import InvalidValue


def gliding(heading, velocity, link_names=("head", "body")):
    """Two links that keep their heading while everything moves at one velocity."""
    times = np.linspace(0.0, 2.0, 101)
    place = times[:, None] * np.asarray(velocity)[None]
    pose = planar_poses(place[:, :1] + [[0.0, 0.2]], place[:, 1:2], np.full((101, 2), heading))
    track = np.column_stack([place, np.zeros(101)])
    return made(times, {"link": link_names}, link_pose=pose, center_of_mass=track)


@pytest.mark.parametrize("heading", [0.0, 0.7, np.pi, -2.0])
def test_speed_is_positive_head_first(heading):
    """x runs from head to tail, so head first is against x of the links."""
    forward = -np.array([np.cos(heading), np.sin(heading)])
    assert analysis.speed(gliding(heading, 0.3 * forward)) == pytest.approx(0.3)
    assert analysis.speed(gliding(heading, -0.3 * forward)) == pytest.approx(-0.3)
    assert analysis.speed(gliding(heading, 0.3 * forward[::-1] * [1, -1])) == pytest.approx(0.0, abs=1e-12)
    assert analysis.speed(gliding(heading, 0.3 * forward, ("tail", "module"))) == pytest.approx(-0.3)


def round_a_circle(turns, radius=2.0, wiggle=0.05, frequency=1.3):
    """A centre of mass that circles at 0.2 m/s, in and out by a wiggle at a frequency."""
    times = np.arange(0.0, turns * 2.0 * np.pi * radius / 0.2, 0.02)
    out, angle = radius + wiggle * np.sin(2.0 * np.pi * frequency * times), 0.2 * times / radius
    return made(times, center_of_mass=np.column_stack([out * np.cos(angle), out * np.sin(angle), 0.0 * times]))


@pytest.mark.parametrize("turns", [0.2, 1.0, 4.0])
def test_the_speed_along_a_way_does_not_fall_with_its_turns(turns):
    run = round_a_circle(turns)
    assert analysis.path_speed(run, 1.0 / 1.3, 1.0) == pytest.approx(0.2, rel=0.002)
    stretch = run.duration - 1.0 - 1.0 / 1.3
    assert analysis.path_rotation(run, 1.0 / 1.3, 1.0) == pytest.approx(0.2 * stretch / 2.0, rel=0.01)


def test_on_a_straight_way_it_is_the_speed():
    run = gliding(0.3, (0.3, 0.4))
    for cycle in (0.0, 0.37, 2.0, 9.0):  # none, some, as long as the run, longer
        assert analysis.path_speed(run, cycle) == pytest.approx(0.5)
        assert analysis.path_rotation(run, cycle) == pytest.approx(0.0, abs=1e-9)


def test_speed_over_a_window():
    times = np.linspace(0.0, 4.0, 401)
    x = np.where(times < 2.0, 0.0, -0.5 * (times - 2.0))
    pose = planar_poses(x[:, None], 0.0 * x[:, None], np.zeros((401, 1)))
    run = made(times, link_pose=pose, center_of_mass=np.column_stack([x, 0 * x, 0 * x]))
    assert analysis.speed(run) == pytest.approx(0.25)
    assert analysis.speed(run, 2.0) == pytest.approx(0.5)
    assert analysis.speed(run, 0.0, 2.0) == pytest.approx(0.0)
    with pytest.raises(InvalidValue, match="end"):
        analysis.speed(run, 2.0, 5.0)


def test_mean_velocity_is_that_of_the_samples_taken():
    """A start between two samples leaves out the time up to the next one."""
    run = gliding(0.4, [0.3, -0.1])
    for start in (None, 0.5, 0.513):
        np.testing.assert_allclose(analysis.mean_velocity(run, start), [0.3, -0.1, 0.0], atol=1e-12)


@pytest.mark.parametrize(("angle", "expected"), [(0.0, 0.0), (np.pi / 6, 0.5), (np.pi / 2, 1.0), (np.pi, 0.0)])
def test_slip_is_the_share_across(angle, expected):
    run = gliding(0.4, 0.2 * np.array([np.cos(0.4 + angle), np.sin(0.4 + angle)]))
    assert analysis.slip(run) == pytest.approx([expected, expected], abs=1e-6)


def test_slip_of_a_robot_at_rest_is_zero():
    assert np.all(analysis.slip(gliding(0.0, (0.0, 0.0))) == 0.0)


def beaten(speed, power):
    """Naive reference: which points some other point beats, or equals earlier in the list."""
    out = []
    for i, (v, p) in enumerate(zip(speed, power)):
        other = [
            (w >= v and q <= p) and (w > v or q < p or j < i) for j, (w, q) in enumerate(zip(speed, power)) if j != i
        ]
        out.append(any(other))
    return np.array(out)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=25))
def test_front_is_what_nothing_beats(points):
    speed, power = np.array(points, dtype=float).T
    front = analysis.pareto_front(speed, power)
    assert sorted(front) == list(np.flatnonzero(~beaten(speed, power)))
    assert np.all(np.diff(power[front]) > 0) and np.all(np.diff(speed[front]) > 0)


def test_front_leaves_failed_runs_out():
    assert list(analysis.pareto_front([np.nan, 1.0, 2.0], [0.0, 1.0, np.nan])) == [1]
    assert analysis.pareto_front([np.nan], [1.0]).size == 0
    with pytest.raises(InvalidValue, match="power"):
        analysis.pareto_front([1.0, 2.0], [1.0])


def test_tracking_error_of_a_delayed_wave_is_that_of_the_triangle_of_phases():
    phase = 2.0 * np.pi * np.arange(1000)[:, None] / 1000 + np.array([0.3, 1.1])
    wave, late = 0.2 + 0.7 * np.sin(phase), 0.2 + 0.7 * np.sin(phase - 0.4)
    assert analysis.tracking_error(wave, late) == pytest.approx(2.0 * np.sin(0.2))
    assert analysis.tracking_error(wave, wave) == 0.0
    assert np.isnan(analysis.tracking_error(np.full((5, 2), 0.3), np.zeros((5, 2))))  # no motion to track
