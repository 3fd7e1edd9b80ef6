"""iLQR on linear-quadratic problems: the Riccati solution in one iteration, and box constraints against scipy."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import quadratic_cost
from quadratic_cost import Quadratic
from scipy.linalg import solve_discrete_are
from scipy.optimize import minimize

from serpenoid.kernels.compile import kernel_of_sources
from serpenoid.kernels.ilqr import solve as ilqr
from serpenoid.kernels.ilqr.dynamics import LinearDynamics
from serpenoid.kernels.ilqr.work import Task, new_work

STATES, CONTROLS = 6, 2


@pytest.fixture(scope="module")
def solver():
    return kernel_of_sources(ilqr.solve_task.py_func, (inspect.getsource(quadratic_cost),))


def problem(horizon, bound=np.inf, iterations=1, deadline=np.inf):
    rng = np.random.default_rng(3)
    dynamics = LinearDynamics(
        0.9 * np.eye(STATES) + 0.02 * rng.normal(size=(STATES, STATES)), rng.normal(size=(STATES, CONTROLS))
    )
    dynamics.state_matrix[:, :2] = np.eye(STATES)[:, :2]
    cost = Quadratic(np.eye(STATES), 0.1 * np.eye(CONTROLS))
    work = new_work(horizon, STATES, CONTROLS, np.zeros((0, 0)), None)
    work.start[:] = rng.normal(size=STATES)
    limits = np.full(CONTROLS, bound if np.isfinite(bound) else 1e12)
    task = Task(
        time=0.0,
        step=0.01,
        lower=-limits,
        upper=limits,
        damping=np.ones(STATES),
        floor=0.0,
        nudge=np.zeros((horizon, CONTROLS)),
        iterations=iterations,
        curved_from=3,
        tolerance=1e-14,
        deadline=deadline,
    )
    return dynamics, cost, task, work


def test_one_iteration_is_the_riccati_solution(solver):
    dynamics, cost, task, work = problem(200)
    outcome = solver(dynamics, cost, task, work)
    A, B = dynamics
    value, gain = cost.state_weight, None
    for _ in range(200):
        gain = np.linalg.solve(cost.control_weight + B.T @ value @ B, B.T @ value @ A)
        value = cost.state_weight + A.T @ value @ (A - B @ gain)
    assert outcome.cost == pytest.approx(0.5 * work.start @ value @ work.start, rel=1e-12)
    np.testing.assert_allclose(work.gains[0, :, :STATES], -gain, atol=1e-10)
    stationary = solve_discrete_are(A, B, cost.state_weight, cost.control_weight)
    np.testing.assert_allclose(value, stationary, rtol=1e-8)
    assert solver(dynamics, cost, task._replace(iterations=5), work).status == ilqr.CONVERGED


def test_box_constraints_against_scipy(solver):
    dynamics, cost, task, work = problem(8, bound=0.05, iterations=50)
    outcome = solver(dynamics, cost, task, work)
    A, B = dynamics

    def total(flat):
        state, value = work.start, 0.0
        for control in flat.reshape(-1, CONTROLS):
            value += 0.5 * state @ cost.state_weight @ state + 0.5 * control @ cost.control_weight @ control
            state = A @ state + B @ control
        return value + 0.5 * state @ cost.state_weight @ state

    best = minimize(total, np.zeros(8 * CONTROLS), bounds=[(-0.05, 0.05)] * (8 * CONTROLS), options={"ftol": 1e-14})
    assert outcome.status == ilqr.CONVERGED
    assert np.abs(work.controls).max() == 0.05
    assert outcome.cost == pytest.approx(best.fun, rel=1e-7)


def test_a_deadline_that_is_past_leaves_the_guess(solver):
    dynamics, cost, task, work = problem(8, deadline=-1.0)
    outcome = solver(dynamics, cost, task, work)
    assert outcome.status == ilqr.DEADLINE
    assert outcome.iterations == 0
    assert not work.controls.any()


def test_what_is_not_finite_is_said(solver):
    dynamics, cost, task, work = problem(8)
    work.start[0] = np.nan
    assert solver(dynamics, cost, task, work).status == ilqr.NOT_FINITE
    dynamics, cost, task, work = problem(8)
    work.controls[0, 0] = np.nan
    solver(dynamics, cost, task, work)
    assert np.isfinite(work.controls).all()
