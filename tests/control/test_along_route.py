"""Steering along a route: the line itself, and snakes that keep to it where unsteered ones do not."""

from __future__ import annotations

from dataclasses import replace
from math import hypot, pi

import numpy as np
import pytest
from runs import made_run

from serpenoid.control import AlongRoute, ShapeCompliance
from serpenoid.control.along_route import Route
from serpenoid.errors import InvalidValue
from serpenoid.robots import SeaSnake
from serpenoid.scenarios.along_route import SidewindRoute, distances, off_route
from serpenoid.scenarios.slither_goal import SlitherGoal
from serpenoid.worlds import Floor, PegBoard

CORNER = np.array([(0.0, 0.0), (0.0, 2.0), (2.0, 2.0)])


def test_a_route_tells_distance_side_and_progress():
    route = Route(CORNER)
    assert route.go_on(np.array([0.3, 1.0])) == pytest.approx(-0.3, abs=2e-3)  # right of a way upwards
    assert route.along == pytest.approx(1.0, abs=2e-3)
    route.go_on(np.array([0.0, 1.9]))
    assert route.go_on(np.array([1.0, 2.2])) == pytest.approx(0.2, abs=2e-3)
    assert route.along == pytest.approx(3.0, abs=2e-3)
    route.go_on(np.array([0.5, 2.0]))
    assert route.along == pytest.approx(3.0, abs=2e-3)  # it does not go back
    assert np.allclose(route.at(5.0), [3.0, 2.0])  # beyond the end straight on


def test_distances_are_those_of_the_nearest_points():
    """Against the nearest of many points on the line."""
    rng = np.random.default_rng(0)
    places = rng.uniform(-1.0, 3.0, (50, 2))
    fine = Route(CORNER).at(np.linspace(0.0, 4.0, 40_001))
    nearest = [min(hypot(*(place - point)) for point in fine[::40]) for place in places]
    assert np.allclose(distances(CORNER, places), nearest, atol=0.05)
    assert np.all(distances(CORNER, places) <= np.array(nearest) + 1e-12)


def test_a_cycle_longer_than_the_run_is_not_averaged():
    run = made_run(SeaSnake(modules=4), Floor(), duration=0.2)
    found = off_route(((0.0, 0.0), (1.0, 0.0)), run, 10**12)
    middle = run["link_pose"][:, :, :2].mean(axis=1)
    assert found["greatest_distance"].value == distances(np.array([(0.0, 0.0), (1.0, 0.0)]), middle).max()


@pytest.mark.full
@pytest.mark.parametrize("swing", [0.8, -0.8])
def test_a_sidewinding_snake_follows_a_winding_route(swing):
    led = SidewindRoute(swing=swing, duration=30.0)
    found, free = (each.summary(each.run()) for each in (led, replace(led, gain=0.0)))
    assert found["greatest_distance"].value < 0.5 * free["greatest_distance"].value
    assert found["forward"].value > 1.0


def test_a_way_to_a_goal_begins_in_the_middle_of_the_body():
    run = SlitherGoal(world=PegBoard(seed=1001, density=24.0), duration=0.5)
    trajectory = run.run()
    assert np.allclose(run.route()[0], trajectory["link_pose"][0, :, :2].mean(axis=0), atol=0.02)
    found = run.summary(trajectory)
    assert not found["reached"].value
    apart = np.linalg.norm(trajectory["link_pose"][:, 0, :2] - np.array(run.goal), axis=1).min()
    assert found["nearest_to_goal"].value == pytest.approx(apart)


@pytest.mark.full
@pytest.mark.parametrize("seed", [1000, 1001])
def test_a_slithering_snake_reaches_its_goal(seed):
    led = SlitherGoal(world=PegBoard(seed=seed, density=24.0), duration=60.0)
    assert led.summary(led.run())["reached"].value
    free = replace(led, gain=0.0)
    assert not free.summary(free.run())["reached"].value


def test_bad_routes_and_laws_are_refused():
    rigid = ShapeCompliance.presets()["slithering_a"]()
    with pytest.raises(InvalidValue, match="steer"):
        AlongRoute(law=rigid)
    with pytest.raises(InvalidValue, match="two points"):
        AlongRoute(route=((0.0, 0.0),))
    with pytest.raises(InvalidValue, match="turning"):
        steered = ShapeCompliance.presets()["sidewinding_steered"]()
        AlongRoute(law=replace(steered, turning=ShapeCompliance.presets()["sidewinding_rigid"]().turning))
    steered = ShapeCompliance.presets()["sidewinding_steered"]()
    still = replace(steered, gait=replace(steered.gait, frequency=0.0))
    with pytest.raises(InvalidValue, match="law"):
        AlongRoute(law=still).start(SeaSnake(), 0.01, None)
    assert AlongRoute().law.phase_rate(None) == pytest.approx(pi)
