"""Projectors and force ellipsoids of a push, against its solver, the paper's closed forms and sampled torques."""

import numpy as np
import pytest
from naive_pushing import closed_form, naive_push

from serpenoid.mechanics import constraint_maps, input_torques, pushing
from serpenoid.mechanics.slippage import input_ball
from serpenoid.robots.planar import PlanarSnake
from serpenoid.worlds.pushing import PushedObject, Wheels

ROBOT = PlanarSnake(links=3, link_length=0.15, link_mass=1.0, link_inertia=0.002)
KAPPA = 10.0
OBJECT = PushedObject(mass=KAPPA)
SHAPES = np.random.default_rng(3).uniform(-2.3, 2.3, (20, 2))


@pytest.mark.parametrize("shape", SHAPES)
def test_maps_give_the_response_of_the_solver(shape):
    maps = constraint_maps(ROBOT, shape, OBJECT, heading=0.4)
    found = pushing(ROBOT, shape, OBJECT, heading=0.4)
    held = found.contact_holds
    force = found.torque[held] @ (maps.force_map @ maps.torque_map).T
    np.testing.assert_allclose(force, found.force[held], rtol=1e-8, atol=1e-10 * np.abs(force).max())
    moved = found.torque[held] @ (maps.inverse_inertia @ maps.projector @ maps.torque_map).T
    expected = np.hstack([found.acceleration, found.object_acceleration[:, :2]])[held]
    np.testing.assert_allclose(moved, expected, rtol=1e-7, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("shape", SHAPES[:5])
def test_projectors(shape):
    maps = constraint_maps(ROBOT, shape, OBJECT)
    np.testing.assert_allclose(maps.projector @ maps.projector, maps.projector, atol=1e-9)
    # (15): -force_map is a left inverse of A^T
    np.testing.assert_allclose(maps.force_map @ maps.constraint.T, -np.eye(len(maps.rows)), atol=1e-9)
    # what passes the projector separates no constraint
    np.testing.assert_allclose(maps.constraint @ maps.inverse_inertia @ maps.projector, 0.0, atol=1e-9)


@pytest.mark.parametrize("shape", SHAPES[:5])
def test_against_the_closed_form_in_the_coordinates_of_the_paper(shape):
    rows = [(0, 0.075, 1.0, True), (1, 0.075, 1.0, False), (2, 0.075, 1.0, False)]
    parts = naive_push(ROBOT.chain(), shape, 0.0, rows, KAPPA)
    maps = constraint_maps(ROBOT, shape, OBJECT)
    moved = (maps.inverse_inertia @ maps.projector @ maps.torque_map)[-2:]
    np.testing.assert_allclose(moved, closed_form(parts, 1.0, KAPPA)[24], rtol=1e-9, atol=1e-12)


def test_ellipsoids_bound_the_sampled_region():
    shape = SHAPES[0]
    maps = constraint_maps(ROBOT, shape, OBJECT)
    torques = input_torques(ROBOT, shape, input_ball(2, 4000, 1))
    force = torques @ (maps.force_map @ maps.torque_map).T
    pushed = torques @ (maps.inverse_inertia @ maps.projector @ maps.torque_map)[-2:].T
    for axes, image in ((maps.force_axes, force), (maps.object_axes, pushed)):
        lengths = np.linalg.norm(axes, axis=0)
        reach = np.abs(image @ axes).max(axis=0) / np.maximum(lengths, 1e-12)
        np.testing.assert_allclose(reach, lengths, rtol=1e-5, atol=1e-9)
    assert np.linalg.norm(maps.object_axes[:, 1]) < 1e-9  # the contact pushes along its normal alone


def test_redundant_wheels_give_the_motion_of_the_solver():
    wheels = Wheels("ideal", links=(1, 2), stations=(-0.3, 0.0, 0.3))
    found = pushing(ROBOT, SHAPES[1], OBJECT, wheels=wheels)
    assert found.redundant
    maps = constraint_maps(ROBOT, SHAPES[1], OBJECT, wheels=wheels)
    held = found.contact_holds
    moved = found.torque[held] @ (maps.inverse_inertia @ maps.projector @ maps.torque_map).T
    np.testing.assert_allclose(moved[:, :-2], found.acceleration[held], atol=1e-8)
