"""The curvature of the dynamics against casadi's, and optimality conditions of converged plans."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.kernels.ilqr.curvature import take_positive
from serpenoid.planning.solver import Planner

P = sp.planning
ROBOT = sp.robots.PlanarSnake()
HORIZON = 12


def problem(medium):
    cost = P.Goal((-20.0, 0.0)) + P.Torque(0.01)
    return P.Problem(ROBOT, sp.worlds.Plane(medium), cost, HORIZON, limits=P.Limits(joint_angle=None))


def random_start(seed, links=5):
    rng = np.random.default_rng(seed)
    place, bend, rates = rng.normal(size=3) * 0.1, rng.normal(size=links - 1) * 0.4, rng.normal(size=links + 2) * 0.5
    return np.concatenate([place, bend, rates]), rng.uniform(-0.3, 0.3, (HORIZON, links - 1))


@pytest.mark.parametrize("size", [1, 4, 16])
def test_the_positive_part_is_numpy_s(size):
    rng = np.random.default_rng(size)
    matrix = rng.normal(size=(size, size))
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    positive = np.zeros_like(matrix)
    take_positive(matrix.copy(), positive, np.zeros_like(matrix), np.zeros_like(matrix))
    np.testing.assert_allclose(positive, (vectors * np.maximum(values, 0.0)) @ vectors.T, atol=1e-13)
    take_positive(np.full((size, size), np.nan), positive, np.zeros_like(matrix), np.zeros_like(matrix))  # comes back


@pytest.mark.parametrize(("medium", "links"), [("dry", 5), ("viscous", 6), ("fluid", 3)])
def test_curvature_is_casadi_s(medium, links):
    ca = pytest.importorskip("casadi")
    from serpenoid_papers.mpc_gaits.symbolic import SymbolicSnake

    robot = sp.robots.PlanarSnake(links=links)
    planner = Planner(replace(problem(medium), robot=robot))
    state, guess = random_start(4, links)
    planner.guess(guess)
    outcome = planner.solve(state, 0.0, 1000, np.inf, 1e-9)
    assert planner.plan(outcome).converged
    snake = SymbolicSnake(robot, sp.worlds.Plane(medium), 0.01, *planner.dynamics[2:])
    x, u, costate = (ca.SX.sym("x", size) for size in (state.size, links - 1, state.size))
    gap = snake.head(x) - ca.DM([-20.0, 0.0])
    distance = ca.sqrt(ca.sumsqr(gap) + 1e-6)
    z, following = ca.vertcat(x[2:], u), ca.dot(costate, snake.function()(x, u))
    bent = ca.Function("bent", [x, u, costate], [ca.hessian(following, z)[0], ca.gradient(following + distance, x)])
    slope = np.array(ca.Function("slope", [x], [ca.gradient(distance, x)])(planner.work.states[-1])).ravel()
    for knot in range(HORIZON - 1, -1, -1):
        expected, slope = (np.array(a) for a in bent(planner.work.states[knot], planner.work.controls[knot], slope))
        atol = 1e-6 * np.abs(expected).max()
        np.testing.assert_allclose(planner.work.curvature.full[knot], expected, atol=atol, rtol=1e-5)
        slope = slope.ravel()


@pytest.mark.parametrize("medium", ["dry", "viscous", "fluid"])
def test_no_small_step_lowers_a_converged_plan(medium):
    state, guess = random_start(2)
    plan = P.solve(problem(medium), state, guess=guess, iterations=1000)
    assert plan.converged, plan.reason
    rng = np.random.default_rng(0)
    for size in (1e-2, 1e-3):
        for _ in range(40):
            beside = np.clip(plan.torques + size * rng.normal(size=plan.torques.shape), -1.0, 1.0)
            assert rolled_out(medium, state, beside) > plan.cost - 1e-7


def rolled_out(medium, state, torques):
    """The cost of torques as they stand."""
    planner = Planner(problem(medium))
    planner.guess(torques)
    return planner.solve(state, 0.0, 0, np.inf, 0.0).cost


@pytest.mark.parametrize("links", [3, 4, 7])
def test_an_exact_saddle_is_left(links):
    planner = Planner(replace(problem("viscous"), robot=sp.robots.PlanarSnake(links=links), horizon=30))
    planner.nudge[:] = 0.0
    state = np.zeros(2 * (links + 2))
    idle = planner.solve(state, 0.0, 0, np.inf, 1e-9)
    assert planner.solve(state, 0.0, 400, np.inf, 1e-9).cost < idle.cost - 0.05


def test_a_saddle_is_left_without_a_nudge_and_a_minimum_is_not():
    state = np.zeros(14)
    costs = {}  # the head lies half a metre before the centre: 19.5 m to go at every knot
    for horizon in (HORIZON, 25):
        for nudged in (True, False):
            planner = Planner(replace(problem("viscous"), horizon=horizon))
            planner.nudge *= nudged
            outcome = planner.solve(state, 0.0, 200, np.inf, 1e-9)
            assert planner.plan(outcome).converged
            costs[horizon, nudged] = outcome.cost
    assert costs[25, False] < 19.5 * 26 - 0.1
    assert costs[25, False] == pytest.approx(costs[25, True], abs=1e-6)
    assert costs[HORIZON, False] == pytest.approx(19.5 * 13, abs=1e-5)  # rest is the optimum of so short a plan
