"""The paper's plain iLQR: its steps converge to the engine's motion, and its plans to the library's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.control.base import Command
from serpenoid.engines.planar import PlanarEngine
from serpenoid.planning import Problem
from serpenoid_papers.references.plain_ilqr import PlainLaw, PlainPlanner, to_center

ROBOT, WORLD = sp.robots.PlanarSnake(), sp.worlds.Plane("viscous")
PROBLEM = Problem(ROBOT, WORLD)


def drawn(seed=0):
    rng = np.random.default_rng(seed)
    return np.r_[rng.normal(size=3), 0.5 * rng.normal(size=11)], rng.uniform(-0.5, 0.5, 4)


def test_coordinates_of_the_head_and_back():
    state, _ = drawn()
    model = PlainLaw(PlainPlanner(PROBLEM)).model
    np.testing.assert_allclose(to_center(model, to_center(model, state[None]), -1.0)[0], state, atol=1e-14)


@pytest.mark.parametrize("integrator", ["euler_head", "euler_center"])
def test_euler_steps_converge_to_the_engine_with_first_order(integrator):
    state, torque = drawn()
    engine = PlanarEngine(ROBOT, WORLD, 0.001)
    start = to_center(engine.model, state[None])[0]
    padded = np.concatenate([start, np.zeros(engine.layout.size - 14)])
    expected = to_center(
        engine.model, engine.advance(0, padded, Command.empty(4)._replace(torque=torque), 10)[None, :14], -1.0
    )
    errors = []
    for count in (20, 40, 80):
        law, now = PlainLaw(PlainPlanner(replace(PROBLEM, step=0.01 / count), integrator)), state[None]
        for _ in range(count):
            now = law.advance(now, torque[None])
        errors.append(np.abs(now - expected).max())
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.15)
    assert errors[1] / errors[2] == pytest.approx(2.0, abs=0.15)


def test_plans_with_the_library_s_step_cost_what_the_library_s_do():
    """From a moving snake, iterated far: the two backward passes differ, their minimum does not."""
    state = np.r_[0.0, 0.0, 0.0, 0.3, -0.2, -0.4, 0.1, -0.3, np.zeros(6)]
    problem = replace(PROBLEM, horizon=8)
    law = PlainLaw(PlainPlanner(problem, "planner", iterations=60))
    law.improve(state)
    plan = sp.planning.solve(problem, to_center(law.model, state[None])[0], iterations=100)
    assert law.cost(law.states[None], law.torques[None])[0] == pytest.approx(plan.cost, abs=2e-3)
