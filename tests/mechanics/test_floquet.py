"""Floquet multipliers of the levelled head against the growth that a simulation shows."""

import numpy as np
import pytest

from serpenoid.errors import InvalidValue
from serpenoid.gaits import Undulation
from serpenoid.mechanics.floquet import floquet, orbits
from serpenoid.robots import Natrix
from serpenoid.worlds import WaterSurface
from serpenoid_papers.natrix.explanation import simulated_growth
from serpenoid_papers.natrix.runs import level_head


def test_growth_in_the_tongue_and_rest_beside_it():
    """0.226 /s in the spec; multipliers come in pairs m, 1/m."""
    world = WaterSurface()
    robot = level_head(Natrix(), world)
    inside = floquet(robot, world, Undulation(0.25, 1.38))
    assert inside.growth == pytest.approx(0.226, abs=0.01) and not inside.stable
    assert np.abs(inside.multipliers[0] * inside.multipliers[-1]) == pytest.approx(1.0, abs=1e-4)
    grown, rate = simulated_growth(robot, 0.25, 1.38, 40.0)
    assert grown and rate == pytest.approx(inside.growth, abs=0.01)
    assert floquet(robot, world, Undulation(0.25, 1.30)).stable


def test_a_gait_that_does_not_repeat_is_refused():
    with pytest.raises(InvalidValue, match="frequency"):
        floquet(Natrix(), WaterSurface(), Undulation(0.25, 0.0))


def test_an_orbit_followed_over_frequency_is_the_one_found_at_its_end():
    """The light head forces roll: the orbit is not at rest, and it grows towards resonance."""
    robot, world = Natrix(), WaterSurface()
    way = orbits(robot, world, Undulation(0.25, 2.0), 1.95)
    direct = floquet(robot, world, Undulation(0.25, 1.95))
    assert 1.0 / way[-1].period == pytest.approx(1.95, abs=1e-12)
    np.testing.assert_allclose(way[-1].state[2:], direct.state[2:], atol=1e-7)
    assert way[-1].largest_roll > way[0].largest_roll > np.radians(2.0)
    assert way[-1].stable and max(orbit.residual for orbit in way) < 1e-8
    assert np.abs(np.prod(way[-1].multipliers)) == pytest.approx(1.0, abs=1e-4)


def test_a_gait_beyond_a_joint_limit_is_refused():
    with pytest.raises(InvalidValue, match="joint's limit"):
        floquet(Natrix(), WaterSurface(), Undulation(3.0, 1.0))
