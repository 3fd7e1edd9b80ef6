"""Floquet multipliers of the levelled head against the growth that a simulation shows."""

import numpy as np
import pytest

from serpenoid.analysis.floquet import floquet
from serpenoid.errors import InvalidValue
from serpenoid.experiments.natrix.explanation import simulated_growth
from serpenoid.experiments.natrix.runs import levelled
from serpenoid.gaits import Undulation
from serpenoid.robots import Natrix
from serpenoid.worlds import WaterSurface


def test_growth_in_the_tongue_and_rest_beside_it():
    """0.226 /s in the spec; multipliers come in pairs m, 1/m."""
    world = WaterSurface()
    robot = levelled(Natrix(), world)
    inside = floquet(robot, world, Undulation(0.25, 1.38))
    assert inside.growth == pytest.approx(0.226, abs=0.01) and not inside.stable
    assert np.abs(inside.multipliers[0] * inside.multipliers[-1]) == pytest.approx(1.0, abs=1e-4)
    grown, rate = simulated_growth(robot, 0.25, 1.38, 40.0)
    assert grown and rate == pytest.approx(inside.growth, abs=0.01)
    assert floquet(robot, world, Undulation(0.25, 1.30)).stable


def test_a_gait_that_does_not_repeat_is_refused():
    with pytest.raises(InvalidValue, match="frequency"):
        floquet(Natrix(), WaterSurface(), Undulation(0.25, 0.0))
