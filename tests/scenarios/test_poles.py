"""Shape laws on poles: they hold from the start with the commanded press. Laws that cannot wind are refused."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from serpenoid.control import ShapeCompliance
from serpenoid.errors import InvalidValue
from serpenoid.scenarios.presets import ClimbPole
from serpenoid.scenarios.roll_to_pole import RollToPole, normal_load
from serpenoid.worlds import Pole
from serpenoid.worlds.initial_pose import base_to_world, line_of, links_of, skin_of
from serpenoid_papers.sea_snake.pole_trial import cover_arc


@pytest.mark.parametrize("name", ["helix", "helix_central"])
def test_a_compliant_helix_holds_its_pole_and_climbs(name):
    """Check that its squeeze answers tau_D, and that it neither slides at the start nor falls (regression)."""
    law = ShapeCompliance.presets()[name]()
    trial = RollToPole(controller=law, wound=True, duration=2.0)
    run = trial.run()
    height = run["link_pose"][:, 1:, 2].mean(axis=1)
    assert height.min() > height[0] - 0.02 and height[-1] > height[0] + 0.03
    force = np.reshape(run["force_winding"], (run["force_winding"].shape[0], -1))[100:]
    assert np.nansum(force, axis=1).mean() == pytest.approx(-20.0, rel=0.1)
    assert 150.0 < normal_load(run)[20:].mean() < 450.0
    share = cover_arc(run, trial.robot.arc_positions) if name == "helix" else np.ones((1, 1))
    assert np.allclose(share.sum(axis=1), 1.0, atol=1e-9)


def test_climb_pole_takes_a_compliant_helix():
    law = ShapeCompliance.presets()["helix"]()
    climb = ClimbPole(world=Pole(profile="cone", radius=0.09), controller=law, duration=1.5)
    run = climb.run()
    assert climb.summary(run)["climbed"].value > 0.0
    assert "shape_winding" in run


def test_laws_that_cannot_wind_are_refused():
    with pytest.raises(InvalidValue, match="winding"):
        RollToPole(controller=ShapeCompliance.presets()["slithering_a"]())
    with refused("world.radius"):
        RollToPole(world=Pole(radius=0.5)).parts()


@pytest.mark.parametrize("phase", [1.3, 2.5, 4.0])
def test_a_snake_that_starts_in_another_phase_lies_as_in_the_first(phase):
    """Check that its modules are rolled, and its arc is the same and open to the pole."""
    places = []
    for each in (0.0, phase):
        robot, world, _ = RollToPole(phase=each).parts()
        start = RollToPole(phase=each).usual_start()
        shape = np.array(start.joint_position)
        pose = start.base_pose or world.resting_pose(robot, shape)
        places.append(base_to_world(pose, line_of(robot, shape)))
        assert base_to_world(pose, skin_of(robot, links_of(robot, shape)))[:, 2].min() == pytest.approx(0.0, abs=1e-9)
    assert np.abs(places[1] - places[0]).max() < 0.02
    assert places[1][len(places[1]) // 2, 1] < places[1][[0, -1], 1].min() - 0.2  # the centre is farthest from the pole


def test_whether_a_snake_fell_is_unknown_while_it_rolls_up():
    trial = RollToPole(duration=0.2)
    assert np.isnan(trial.summary(trial.run())["fell"].value)
