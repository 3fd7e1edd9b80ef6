"""Coefficients of the water found again in the motion that they made."""

from dataclasses import replace

import numpy as np
import pytest

from serpenoid.errors import UnknownName
from serpenoid.gaits import Undulation
from serpenoid.mechanics.identification import Recording, growing, identify, predict
from serpenoid.robots import Natrix
from serpenoid.scenarios.natrix import start_pose
from serpenoid.worlds import WaterSurface
from serpenoid.worlds.water import Hydrodynamics

ROBOT, GAIT = Natrix(), Undulation(0.3, 1.0)


def recording(world, duration):
    """A clean recording at 20 Hz that claims the noise of a camera."""
    times = 0.05 * np.arange(1, round(duration / 0.05) + 1)
    start = np.array(start_pose(ROBOT, world, GAIT, np.radians(15.0)))
    blank = Recording(times, np.zeros((times.size, 7)), start, 0.002, 0.01)
    return replace(blank, poses=predict(ROBOT, world, GAIT, blank))


def test_two_coefficients_are_found_again():
    world = WaterSurface(hydrodynamics=Hydrodynamics(quadratic_drag=0.8, roll_damping=0.02))
    found = identify(ROBOT, WaterSurface(), GAIT, recording(world, 2.0), ("quadratic_drag", "roll_damping"))
    assert found.values["quadratic_drag"] == pytest.approx(0.8, rel=1e-4)
    assert found.values["roll_damping"] == pytest.approx(0.02, rel=1e-4)
    assert found.residual < 1e-3 and found.hydrodynamics.roll_damping == found.values["roll_damping"]


def test_a_long_recording_is_fitted_from_its_first_seconds_on():
    times = 0.05 * np.arange(1, 401)
    parts = list(growing(Recording(times, np.zeros((400, 7)), np.zeros(7), 1.0, 1.0)))
    assert [part.times[-1] for part in parts] == pytest.approx([6.0, 12.0, 20.0])
    assert all(len(part.poses) == len(part.times) for part in parts)


def test_an_unknown_coefficient_is_refused():
    with pytest.raises(UnknownName, match="coefficient"):
        identify(ROBOT, WaterSurface(), GAIT, recording(WaterSurface(), 0.2), ("stickiness",))
