"""Errors of the planner's model: the scaled quantities, and true values in the simulation."""

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.configuration import changed
from serpenoid.errors import InvalidValue
from serpenoid.planning import Believed
from serpenoid.scenarios import find_scenario


def test_factors_scale_the_chain():
    snake = sp.robots.PlanarSnake(links=4, link_length=(0.1, 0.2, 0.1, 0.3), joint_damping=0.02)
    true, wrong = snake.chain(), Believed(mass=2.0, length=0.5, inertia=3.0, joint_damping=4.0).robot(snake).chain()
    for name, factor in {"mass": 2.0, "length": 0.5, "center": 0.5, "inertia": 6.0, "joint_damping": 4.0}.items():
        np.testing.assert_allclose(getattr(wrong, name), factor * getattr(true, name), rtol=1e-14)
    assert Believed().robot(snake) is snake


@pytest.mark.parametrize("medium", ["dry", "viscous", "fluid"])
def test_factors_scale_the_medium(medium):
    world, chain = sp.worlds.Plane(medium), sp.robots.PlanarSnake().chain()
    true = world.medium_record(chain)
    wrong = Believed(longitudinal=2.0, transverse=3.0).world(world).medium_record(chain)
    np.testing.assert_allclose(wrong.longitudinal, 2.0 * np.asarray(true.longitudinal))
    np.testing.assert_allclose(wrong.transverse, 3.0 * np.asarray(true.transverse))


def test_only_the_planner_is_wrong():
    scenario = changed(find_scenario("mpc")(), {"believed.mass": 1.25, "world.medium": "viscous"})
    robot, world, planner = scenario.parts()
    assert robot == sp.robots.PlanarSnake() and world == sp.worlds.Plane("viscous")
    assert planner.problem.robot.mass == pytest.approx(1.25 * robot.mass)


def test_peg_boards_have_no_medium_to_misjudge():
    with pytest.raises(InvalidValue) as caught:
        Believed(transverse=2.0).world(sp.worlds.PegBoard())
    assert caught.value.field == "believed.transverse"
