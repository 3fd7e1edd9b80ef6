"""Pushing from Python: returned values, the best torque against brute force, and bad input in one line."""

import numpy as np
import pytest

from serpenoid.errors import InvalidValue
from serpenoid.mechanics import best_push, input_torques, push_survey, pushing
from serpenoid.mechanics.slippage import input_ball
from serpenoid.robots.planar import PlanarSnake
from serpenoid.worlds.pushing import Contact, PushedObject, Wheels

ROBOT = PlanarSnake(links=3, link_length=0.15, link_mass=1.0, link_inertia=0.002)
OBJECT = PushedObject(mass=100.0)
SHAPE = np.radians([-135.0, -135.0])


def test_one_torque_and_many_agree():
    torques = input_torques(ROBOT, SHAPE, input_ball(2, 12, 2))
    many = pushing(ROBOT, SHAPE, OBJECT, torques, wheels="friction")
    for i, torque in enumerate(torques):
        one = pushing(ROBOT, SHAPE, OBJECT, torque, wheels="friction")
        assert one.acceleration.shape == (5,)
        assert np.array_equal(one.acceleration, many.acceleration[i])
        assert one.ratio == many.ratio[i]
        assert np.array_equal(one.slips, many.slips[i])
    assert many.slips.any()
    assert not many.contact_holds.all()
    assert many.contact_holds.any()


def test_without_a_torque_the_input_region_is_answered():
    response = pushing(ROBOT, SHAPE, OBJECT, wheels="ideal")
    assert response.torque.shape == (500, 2)
    assert 0.0 <= response.ratio.min() < 1e-12
    assert 0.9 < response.ratio.max() <= 1.0
    assert np.all(response.object_norm[~response.contact_holds] == 0.0)


def test_a_survey_is_the_greatest_of_the_responses():
    shapes = np.radians([[-135.0, -135.0], [20.0, 60.0]])
    for wheels in ("none", "friction", "ideal"):
        found = push_survey(ROBOT, shapes, OBJECT, wheels=wheels, directions=40, radii=4)
        for i, shape in enumerate(shapes):
            sampled = pushing(ROBOT, shape, OBJECT, input_torques(ROBOT, shape, input_ball(2, 40, 4)), wheels=wheels)
            at_best = pushing(ROBOT, shape, OBJECT, found.torque[i], wheels=wheels)
            for k, name in enumerate(("object_norm", "robot_norm", "force_norm", "ratio")):
                value = getattr(found, name)[i]
                assert value >= getattr(sampled, name).max() * (1 - 1e-9)
                assert value == pytest.approx(getattr(at_best, name)[k], rel=1e-9)
            assert np.all(np.einsum("ij,jk,ik->i", found.torque[i], region(shape), found.torque[i]) <= 1 + 1e-9)


@pytest.mark.parametrize("wheels", ["none", "ideal"])
def test_a_survey_is_exact_without_slip(wheels):
    shapes = np.random.default_rng(3).uniform(-2.3, 2.3, (5, 2))
    coarse, fine = (push_survey(ROBOT, shapes, OBJECT, wheels=wheels, directions=n, radii=1) for n in (4, 200_000))
    assert np.all(coarse.ratio >= fine.ratio * (1 - 1e-12))
    assert np.allclose(coarse.ratio, fine.ratio, rtol=1e-5)
    assert np.allclose(coarse.object_norm, fine.object_norm, rtol=1e-5)


def test_polar_coordinates_of_the_centre_of_mass():
    straight = push_survey(ROBOT, np.zeros((1, 2)), OBJECT, directions=4, radii=1)
    assert straight.distance[0] == pytest.approx(0.15)
    assert straight.angle[0] == pytest.approx(0.0, abs=1e-12)
    bent = push_survey(ROBOT, np.radians([[90.0, 0.0]]), OBJECT, directions=4, radii=1)
    # centres at (0, 0), (0.075, 0.075), (0.075, 0.225) from the middle of link 0
    assert bent.distance[0] == pytest.approx(np.hypot(0.05, 0.1))
    assert bent.angle[0] == pytest.approx(np.arctan2(0.1, 0.05))


def test_several_wheels_a_link_are_named_where_redundant():
    wheels = Wheels("friction", stations=(-0.2, 0.0, 0.2))
    response = pushing(ROBOT, SHAPE, OBJECT, [0.05, 0.01], wheels=wheels)
    assert response.redundant == ("wheel at link 1, station 0.2", "wheel at link 2, station 0.2")
    assert pushing(ROBOT, SHAPE, OBJECT, [0.05, 0.01], wheels="friction").redundant == ()


def test_a_survey_finds_the_best_torque_of_a_snake_that_its_wheels_lock():
    snake, shape = PlanarSnake(4, 0.15, 1.0, 0.002), np.radians([[-135.0, -125.0, -125.0]])
    found = push_survey(snake, shape, OBJECT, wheels="ideal", directions=4, radii=1)
    best = best_push(snake, shape[0], OBJECT, wheels="ideal")
    assert found.ratio[0] == pytest.approx(best.ratio, rel=1e-5)


@pytest.mark.parametrize("wheels", ["none", "friction", "ideal"])
def test_the_best_push_is_not_beaten_by_brute_force(wheels):
    shape, heavy = np.array([0.9, -1.7]), PushedObject(mass=10.0)
    torques = input_torques(ROBOT, shape, input_ball(2, 4000, 20))
    brute = pushing(ROBOT, shape, heavy, torques, wheels=wheels)
    best = best_push(ROBOT, shape, heavy, wheels=wheels)
    assert best.ratio >= brute.ratio.max() - 2e-6
    assert best.object_norm >= brute.object_norm[brute.ratio >= best.ratio].max(initial=0.0)
    keep = 0.7 * float(best.ratio)
    kept = best_push(ROBOT, shape, heavy, wheels=wheels, keep_ratio=keep)
    assert kept.ratio >= keep - 1e-12
    assert kept.object_norm >= brute.object_norm[brute.ratio >= keep].max() * (1 - 1e-9)
    assert kept.torque @ region(shape) @ kept.torque <= 1.0 + 1e-9


@pytest.mark.parametrize("wheels", ["none", "friction", "ideal"])
def test_the_best_torque_to_move_is_not_beaten_by_brute_force(wheels):
    shape, light = np.array([0.9, -1.7]), PushedObject(mass=10.0)
    torques = input_torques(ROBOT, shape, input_ball(2, 4000, 20))
    brute = pushing(ROBOT, shape, light, torques, wheels=wheels)
    least = best_push(ROBOT, shape, light, wheels=wheels, goal="move")
    assert least.ratio <= brute.ratio.min() + 2e-6
    assert least.robot_norm >= brute.robot_norm[brute.ratio <= least.ratio].max(initial=0.0) * (1 - 1e-9)
    kept = best_push(ROBOT, shape, light, wheels=wheels, goal="move", keep_ratio=0.1)
    assert kept.ratio <= 0.1 + 1e-12
    assert kept.robot_norm >= brute.robot_norm[brute.ratio <= 0.1].max() * (1 - 1e-9)


def region(shape):
    """Matrix of the input region, from three torques on its rim."""
    rim = input_torques(ROBOT, shape, np.eye(2))
    inverse = np.linalg.inv(rim)
    return inverse @ inverse.T


BAD = [
    (lambda: Contact(point=0.6), "point = 0.6: must be from -0.5 to 0.5"),
    (lambda: Contact(link=-1), "link = -1: must be"),
    (lambda: PushedObject(mass=0.0), "mass = 0.0: must be from 0.0001 to 100000 kg"),
    (lambda: PushedObject(mass=-1.0), "mass = -1.0: must be from 0.0001 to 100000 kg"),
    (lambda: PushedObject(friction=-0.1), "friction = -0.1: must be from 0 to"),
    (lambda: Wheels(friction=-0.1), "friction = -0.1: must be from 0 to"),
    (lambda: Wheels("square"), "kind = 'square': must be one of none, friction, ideal"),
    (lambda: PlanarSnake(links=1), "links = 1"),
    (lambda: pushing(ROBOT, SHAPE, OBJECT, wheels="square"), "wheels = 'square'"),
    (lambda: pushing(ROBOT, [0.1], OBJECT), "shape = [0.1]: must be 2 finite numbers"),
    (lambda: pushing(ROBOT, [0.1, np.nan], OBJECT), "finite numbers"),
    (lambda: pushing(ROBOT, SHAPE, OBJECT, [1.0]), "torque = [1.0]: must be 2 numbers, one per joint"),
    (lambda: pushing(ROBOT, SHAPE, OBJECT, [1.0, np.inf]), "finite numbers"),
    (lambda: pushing(ROBOT, SHAPE, OBJECT, contact=Contact(link=3)), "contact.link = 3: must be a link from 0 to 2"),
    (lambda: pushing(ROBOT, SHAPE, OBJECT, wheels=Wheels(links=(7,))), "links = (7,): must be links from 0 to 2"),
    (lambda: best_push(ROBOT, SHAPE, OBJECT, keep_ratio=1.5), "keep_ratio = 1.5: must be from 0 to 1"),
    (lambda: best_push(ROBOT, SHAPE, OBJECT, goal="pull"), "goal = 'pull': must be push or move"),
    (
        lambda: best_push(ROBOT, SHAPE, OBJECT, wheels="none", keep_ratio=0.9),
        "keep_ratio = 0.9: must be at most 0.0168",
    ),
]


@pytest.mark.parametrize(("call", "line"), BAD)
def test_bad_input_is_one_clear_line(call, line):
    with pytest.raises(InvalidValue) as caught:
        call()
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)
