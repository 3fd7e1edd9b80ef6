"""Our solver against ipopt on the same discrete problem, whose dynamics casadi builds a second time."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.planning.solver import Planner

ca = pytest.importorskip("casadi")
from naive_planning import SymbolicPlanner, SymbolicSnake  # noqa: E402

HORIZON = 12
STARTS = {"dry": 8, "viscous": 9, "fluid": 3}


@pytest.mark.parametrize("medium", STARTS)
def test_equal_cost(medium):
    robot, world = sp.robots.PlanarSnake(), sp.worlds.Plane(medium=medium)
    cost = sp.planning.Goal((-20.0, 0.0)) + sp.planning.Torque(0.01)
    problem = sp.planning.Problem(robot, world, cost, HORIZON, limits=sp.planning.Limits(joint_angle=None))
    substeps = Planner(problem).dynamics.substeps
    snake = SymbolicSnake(robot, world, problem.step, substeps)
    peer = SymbolicPlanner(snake, HORIZON, (-20.0, 0.0), 0.01, 1.0)
    rng = np.random.default_rng(11)
    apart = []
    for start in range(STARTS[medium]):
        state = np.concatenate([rng.normal(size=3) * 0.1, rng.normal(size=4) * 0.4, rng.normal(size=7) * 0.5])
        guess = rng.uniform(-0.3, 0.3, (HORIZON, robot.joints))
        ours = sp.planning.solve(problem, state, guess=guess)
        theirs, torques, success = peer.solve(state, guess)
        following = np.array(peer.step(state, ours.torques[0])).ravel()
        np.testing.assert_allclose(ours.states[1], following, atol=1e-9, err_msg="the discrete problems differ")
        assert success, f"ipopt failed on start {start}"
        if abs(ours.cost - theirs) > 1e-3:
            apart.append(start)  # two local minima, if each solver stays in the other's
            assert peer.solve(state, ours.torques)[0] > ours.cost - 1e-3
            assert sp.planning.solve(problem, state, guess=torques).cost > theirs - 1e-3
    assert len(apart) <= STARTS[medium] // 4, f"starts {apart} ended in different minima"
