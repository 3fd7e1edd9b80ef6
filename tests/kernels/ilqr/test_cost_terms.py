"""Planner costs: gradients against central differences, positive curvature, distances between segments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import serpenoid as sp
from serpenoid.kernels.ilqr.cost_terms import terms_expand, terms_value
from serpenoid.kernels.ilqr.costs import Knot, set_points
from serpenoid.kernels.ilqr.work import new_work
from serpenoid.kernels.planar.chain import planar_model
from serpenoid.kernels.segments import segment_distance
from serpenoid.planning.problem import collect_costs
from serpenoid.planning.solver import link_ends, reach

P = sp.planning
COSTS = {
    "goal": [P.Goal((-3.0, 1.0), 2.0)],
    "squared goal": [P.Goal((-3.0, 1.0), 0.3, velocity=(0.5, -4.0), squared=True)],
    "moving goal": [P.Goal((-3.0, 1.0), 2.0, velocity=(0.5, -4.0))],
    "torque": [P.Torque(0.3)],
    "velocity": [P.Velocity((0.4, -0.2), 1.5)],
    "joints": [P.JointLimits(-0.2, 0.1, 3.0)],
    "disc": [P.Obstacle((0.3, 0.5), None, 0.15, slope=5.0)],
    "wall": [P.Obstacle((-1.0, -0.6), (1.0, -0.5), 0.05, slope=4.0)],
    "path": [P.Path(((-2.0, 0.0), (-1.0, 0.5), (2.0, 1.0)), 1.0, 2.0)],
}


def snake():
    robot = sp.robots.PlanarSnake()
    chain = robot.chain()
    return planar_model(chain, sp.worlds.Plane().medium_record(chain))


def knot_of(model, state, torque):
    work = new_work(1, state.size, torque.size, reach(model), None)
    knot = Knot(state, torque, 0.7, False, *work.knot[4:])
    set_points(knot)
    return knot


@pytest.mark.parametrize("name", COSTS)
def test_gradient_and_curvature(name):
    model, terms = snake(), collect_costs(COSTS[name], 0.02)
    rng = np.random.default_rng(5)
    for _ in range(5):
        state, torque = rng.normal(size=14) * 0.4, rng.normal(size=4)
        gradient, hessian = np.zeros(18), np.zeros((18, 18))
        terms_expand(terms, knot_of(model, state, torque), gradient, hessian)

        def value(z):
            return terms_value(terms, knot_of(model, z[:14].copy(), z[14:].copy()))

        z = np.concatenate([state, torque])
        steps = 1e-6 * np.eye(18)
        slopes = [(value(z + d) - value(z - d)) / 2e-6 for d in steps]
        np.testing.assert_allclose(gradient, slopes, atol=2e-7)
        np.testing.assert_allclose(hessian, hessian.T, atol=1e-14)
        assert np.linalg.eigvalsh(hessian).min() > -1e-10


def test_points_are_the_ends_of_the_links():
    model = snake()
    state = np.random.default_rng(1).normal(size=14)
    knot = knot_of(model, state, np.zeros(4))
    np.testing.assert_allclose(knot.points, link_ends(model, state), atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(np.diff(knot.points, axis=0), axis=1), 0.2, atol=1e-14)


coordinates = st.floats(-2.0, 2.0).map(lambda x: round(x, 3))
points = st.tuples(coordinates, coordinates).map(np.array)


@settings(max_examples=200, deadline=None)
@given(points, points, points, points)
def test_segment_distance_against_sampling(a, b, c, d):
    if np.array_equal(a, b):
        return
    distance, share, x, y = segment_distance(a, b, c, d)
    shares = np.linspace(0.0, 1.0, 201)
    first, second = a + shares[:, None] * (b - a), c + shares[:, None] * (d - c)
    nearest = np.linalg.norm(first[:, None] - second[None], axis=2).min()
    spacing = 0.005 * (np.linalg.norm(b - a) + np.linalg.norm(d - c))
    assert np.hypot(x, y) == pytest.approx(1.0)
    if distance >= 0.0:
        assert nearest - spacing <= distance <= nearest + 1e-9
    else:
        assert nearest <= spacing  # they cross
        ends = [np.linalg.norm(second - p, axis=1).min() for p in (a, b)]
        ends += [np.linalg.norm(first - p, axis=1).min() for p in (c, d)]
        assert -distance == pytest.approx(min(ends), abs=spacing)
