"""Backward pass on linear-quadratic problems: dense KKT systems, and a plain pass with boxes by enumeration."""

from __future__ import annotations

import inspect
from itertools import product

import numpy as np
import pytest
import quadratic_cost
from quadratic_cost import Quadratic

from serpenoid.kernels.compile import kernel_of_sources
from serpenoid.kernels.ilqr import solve as ilqr
from serpenoid.kernels.ilqr.box_qp import solve_box
from serpenoid.kernels.ilqr.dynamics import LinearDynamics
from serpenoid.kernels.ilqr.work import Task, new_work

STATES, CONTROLS, HORIZON = 6, 2, 9


@pytest.fixture(scope="module")
def solver():
    return kernel_of_sources(ilqr.solve_task.py_func, (inspect.getsource(quadratic_cost),))


def symmetric(rng, size):
    half = rng.normal(size=(size, size))
    return half @ half.T + 0.1 * np.eye(size)


def problem(seed, bound=1e12):
    """Return dynamics, a cost with coupled weights, a task of one iteration, and arrays with a start and a guess."""
    rng = np.random.default_rng(seed)
    A = 0.9 * np.eye(STATES) + 0.1 * rng.normal(size=(STATES, STATES))
    A[:, :2] = np.eye(STATES)[:, :2]  # the planner's dynamics do not depend on the first two states
    dynamics = LinearDynamics(A, rng.normal(size=(STATES, CONTROLS)))
    cost = Quadratic(symmetric(rng, STATES), symmetric(rng, CONTROLS))
    work = new_work(HORIZON, STATES, CONTROLS, np.zeros((0, 0)), None)
    work.start[:] = rng.normal(size=STATES)
    work.controls[:] = np.clip(0.2 * rng.normal(size=work.controls.shape), -bound, bound)
    limits, damping = np.full(CONTROLS, bound), rng.uniform(0.5, 2.0, STATES)
    nothing = np.zeros((HORIZON, CONTROLS))
    return (
        dynamics,
        cost,
        Task(
            time=0.0,
            step=0.01,
            lower=-limits,
            upper=limits,
            damping=damping,
            floor=0.0,
            nudge=nothing,
            iterations=1,
            curved_from=3,
            tolerance=1e-14,
            deadline=np.inf,
        ),
        work,
    )


def rolled_out(dynamics, start, controls):
    states = [start]
    for control in controls:
        states.append(dynamics.state_matrix @ states[-1] + dynamics.control_matrix @ control)
    return np.array(states)


def kkt_plan(dynamics, cost, start, horizon):
    """Return states after the start and controls of least cost, from the equations of all knots at once."""
    A, B = dynamics
    n, size = STATES + CONTROLS, horizon * (STATES + CONTROLS)  # unknowns u_0 x_1 u_1 x_2 ..
    curve, rows, right = np.zeros((size, size)), np.zeros((horizon * STATES, size)), np.zeros(horizon * STATES)
    for k in range(horizon):
        at, line = k * n, slice(k * STATES, (k + 1) * STATES)
        curve[at : at + CONTROLS, at : at + CONTROLS] = cost.control_weight
        curve[at + CONTROLS : at + n, at + CONTROLS : at + n] = cost.state_weight
        rows[line, at : at + CONTROLS], rows[line, at + CONTROLS : at + n] = -B, np.eye(STATES)
        if k:
            rows[line, at - STATES : at] = -A
        else:
            right[line] = A @ start
    system = np.block([[curve, rows.T], [rows, np.zeros((len(rows), len(rows)))]])
    found = np.linalg.solve(system, np.concatenate([np.zeros(size), right]))[:size].reshape(horizon, n)
    return found[:, CONTROLS:], found[:, :CONTROLS]


def enumerated_box(hessian, gradient, lower, upper):
    """Minimise g x + x H x / 2 in a box by trying all sets of free coordinates; return x and the free set."""
    best = (np.inf, None, None)
    for sides in product((-1, 0, 1), repeat=gradient.size):
        free = np.array(sides) == 0
        x = np.where(np.array(sides) < 0, lower, upper)
        x[free] = np.linalg.solve(
            hessian[np.ix_(free, free)], -gradient[free] - hessian[np.ix_(free, ~free)] @ x[~free]
        )
        value = gradient @ x + 0.5 * x @ hessian @ x
        if ((x >= lower - 1e-12) & (x <= upper + 1e-12)).all() and value < best[0] - 1e-14:
            best = (value, x, free)
    return best


def plain_pass(dynamics, cost, task, states, controls, regularisation):
    """Return feedforward, gains, and the predicted slope and curve of the cost, knot by knot from the end."""
    A, B = dynamics
    V, v = cost.state_weight, cost.state_weight @ states[-1]
    feedforward, gains, slope, curve = np.zeros_like(controls), np.zeros((HORIZON, CONTROLS, STATES)), 0.0, 0.0
    for k in range(HORIZON - 1, -1, -1):
        Qx, Qu = cost.state_weight @ states[k] + A.T @ v, cost.control_weight @ controls[k] + B.T @ v
        Qxx, Quu, Qux = cost.state_weight + A.T @ V @ A, cost.control_weight + B.T @ V @ B, B.T @ V @ A
        damped = V + regularisation * np.diag(task.damping)
        Huu, Hux = cost.control_weight + B.T @ damped @ B, B.T @ damped @ A
        _, step, free = enumerated_box(Huu, Qu, task.lower - controls[k], task.upper - controls[k])
        K = np.zeros((CONTROLS, STATES))
        K[free] = -np.linalg.solve(Huu[np.ix_(free, free)], Hux[free])
        feedforward[k], gains[k] = step, K
        slope, curve = slope + step @ Qu, curve + 0.5 * step @ Quu @ step
        v = Qx + K.T @ (Quu @ step + Qu) + Qux.T @ step
        V = Qxx + K.T @ Quu @ K + K.T @ Qux + Qux.T @ K
    return feedforward, gains, slope, curve


def test_one_iteration_solves_the_dense_kkt_system(solver):
    dynamics, cost, task, work = problem(1)
    solver(dynamics, cost, task, work)
    states, controls = kkt_plan(dynamics, cost, work.start, HORIZON)
    np.testing.assert_allclose(work.controls, controls, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(work.states[1:], states, rtol=1e-9, atol=1e-10)


def test_gains_are_how_the_optimum_changes_with_the_state(solver):
    """Compare columns with the dense systems of the remaining knots, from each unit state."""
    dynamics, cost, task, work = problem(2)
    solver(dynamics, cost, task, work)
    for knot in range(HORIZON):
        columns = [kkt_plan(dynamics, cost, unit, HORIZON - knot)[1][0] for unit in np.eye(STATES)]
        np.testing.assert_allclose(work.gains[knot, :, :STATES], np.array(columns).T, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize(("bound", "regularisation"), [(1e12, 0.0), (1e12, 0.7), (0.15, 0.0), (0.15, 0.7)])
def test_a_pass_is_the_plain_pass(solver, bound, regularisation):
    """Gains of controls at their bounds are zero; the regularisation weights states."""
    held = 0
    for seed in range(20):
        dynamics, cost, task, work = problem(seed, bound)
        work.memory[0], guess = regularisation, work.controls.copy()
        states = rolled_out(dynamics, work.start, guess)
        before = 0.5 * sum(x @ cost.state_weight @ x for x in states)
        before += 0.5 * sum(u @ cost.control_weight @ u for u in guess)
        outcome = solver(dynamics, cost, task, work)
        feedforward, gains, slope, curve = plain_pass(dynamics, cost, task, states, guess, regularisation)
        np.testing.assert_allclose(work.feedforward, feedforward, rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(work.gains[:, :, :STATES], gains, rtol=1e-7, atol=1e-8)
        held += int((gains == 0.0).all(axis=2).sum())
        if bound > 1.0:  # no box: a full step achieves the predicted change
            assert outcome.cost - before == pytest.approx(slope + curve, rel=1e-8)
        assert np.abs(work.controls).max() <= bound
    assert (held > 50) == (bound < 1.0)


def test_programs_in_a_box_against_every_combination():
    rng = np.random.default_rng(5)
    for size in (1, 2, 4):
        for _ in range(60):
            hessian, gradient = symmetric(rng, size), rng.normal(size=size)
            lower, upper = -rng.uniform(0.0, 0.5, size), rng.uniform(0.0, 0.5, size)
            found, free = rng.normal(size=size), np.ones(size, np.int64)
            assert solve_box(hessian, gradient, lower, upper, found, free, np.zeros((size, size)), np.zeros((2, size)))
            value, best, _ = enumerated_box(hessian, gradient, lower, upper)
            np.testing.assert_allclose(found, best, atol=1e-7)
            assert gradient @ found + 0.5 * found @ hessian @ found == pytest.approx(value, abs=1e-10)
            np.testing.assert_array_equal(free == 1, (found > lower) & (found < upper))
