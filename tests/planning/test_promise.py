"""Agreement of plans with the engine: the planner's step against RK4, and the cost of a delay."""

from __future__ import annotations

import math

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.control.base import Command
from serpenoid.engines.planar import PlanarEngine
from serpenoid.planning.solver import RECEDING_FLOOR, Planner, link_ends

P = sp.planning
ROBOT = sp.robots.PlanarSnake()
HORIZON = 30


class Loop:
    """A planner in closed loop with the engine, tick by tick."""

    def __init__(self, medium, iterations=4):
        world = sp.worlds.Plane(medium)
        self.engine, self.iterations = PlanarEngine(ROBOT, world, 0.001), iterations
        self.planner = Planner(P.Problem(ROBOT, world, horizon=HORIZON), RECEDING_FLOOR)
        self.state = np.zeros(14)

    def plan(self):
        self.planner.solve(self.state, 0.0, self.iterations, math.inf, 1e-9)
        return self.planner.work

    def carry_on(self):
        self.state = self.after(self.state, self.planner.work.controls[:1])
        self.planner.shift(1)

    def after(self, state, torques):
        state = np.concatenate([state, np.zeros(self.engine.layout.size - state.size)])
        for torque in torques:
            state = self.engine.advance(0, state, Command.empty(4)._replace(torque=torque), 10)
        return state[:14]

    def head(self, state):
        return link_ends(self.planner.model, state)[0, 0]


@pytest.mark.parametrize("medium", ["dry", "viscous", "fluid"])
def test_plans_of_30_steps_keep_what_they_promise(medium):
    """Torques held open loop; a plan for another model would lose its progress within a few steps."""
    loop = Loop(medium)
    promised, kept = 0.0, 0.0
    for tick in range(110):
        plan = loop.plan()
        if tick >= 50 and tick % 10 == 0:
            start = loop.head(loop.state)
            promised += start - loop.head(plan.states[-1])
            kept += start - loop.head(loop.after(loop.state, plan.controls))
        loop.carry_on()
    assert promised > 0.5
    assert kept > 0.95 * promised


def test_the_prediction_is_the_plan_and_the_engine_s():
    loop = Loop("fluid")
    for _ in range(20):
        plan = loop.plan()
        loop.carry_on()
    plan = loop.plan()
    torques, states = plan.controls[:3].copy(), plan.states[:4].copy()
    for steps in range(4):
        ahead = loop.planner.predict(loop.state, torques[:steps])
        np.testing.assert_allclose(ahead, states[steps], atol=1e-12)
    np.testing.assert_allclose(ahead, loop.after(loop.state, torques), atol=0.02 * np.abs(ahead).max())


@pytest.mark.parametrize("medium", ["dry", "viscous", "fluid"])
def test_a_delay_that_is_predicted_costs_little(medium):
    scenario = sp.scenarios.find_scenario("mpc")
    options = {"world": sp.worlds.Plane(medium), "duration": 3.0, "settle": 1.0}
    prompt, foreseen, ignored = (
        run.summary(run.run())["speed"].value
        for run in (scenario(**options), scenario(delay=1, **options), scenario(delay=1, predict=False, **options))
    )
    assert foreseen > 0.99 * prompt
    assert ignored < 0.7 * prompt
