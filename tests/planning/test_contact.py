"""Plans through contact: they happen as promised, a run leaves a board, and bad input is one clear line."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.cli import main
from serpenoid.engines.base import Initial
from serpenoid.engines.pegs import PegEngine
from serpenoid.errors import InvalidValue, Unsupported
from serpenoid.planning import (
    ContactPlanner,
    Limits,
    Problem,
    RecedingHorizon,
    SamplingPlanner,
    Torque,
    Velocity,
    solve,
)
from serpenoid.planning.solver import RECEDING_FLOOR, Planner
from serpenoid.robots import PlanarSnake, SeaSnake
from serpenoid.robots.drives import PD, SeriesElastic
from serpenoid.scenarios.slither_pegs import SlitherPegs
from serpenoid.studio.overlays import horizon_of
from serpenoid.worlds import PegBoard

KNOTS = 13  # 0.26 s


def promises(seed, ticks=50):
    """Return promised and kept progress [m] of plans along a run, executed by the engine at 1 ms."""
    scenario = SlitherPegs(world=PegBoard(seed=seed))
    engine = PegEngine(scenario.robot, scenario.world, 0.001)
    state = engine.initial(scenario.initial(), None, np.random.default_rng(0))
    start = engine.chain_state(state)
    ahead = -np.array([np.cos(start[2]), np.sin(start[2])])
    cost = Velocity(tuple((0.4 * ahead).tolist()), 10.0) + Torque(1e-4)
    planner = Planner(Problem(scenario.robot, scenario.world, cost, 25, 0.02, Limits(-7.0, 7.0, 1.5)), RECEDING_FLOOR)
    found = []
    for tick in range(ticks):
        here = engine.chain_state(state)
        planner.solve(here, 0.0, 4, np.inf, 1e-9)
        if tick % 5 == 0:
            executed = state
            for knot in range(KNOTS):
                executed = engine.advance(0, executed, planner.command(knot), 20)
            away = [planner.work.states[KNOTS, :2] - here[:2], engine.chain_state(executed)[:2] - here[:2]]
            found.append(np.array(away) @ ahead)
        state = engine.advance(0, state, planner.command(0), 20)
        planner.shift(1)
    return np.array(found)


def test_plans_keep_their_progress_through_contact():
    """A quarter of a second, open loop, on boards with all pegs, at the engine's own step and 1e6 N/m."""
    made = np.concatenate([promises(seed) for seed in (5, 700000, 700004)])
    promised, kept = made.sum(axis=0)
    assert promised > 0.3, "plans promise progress"
    assert kept > 0.9 * promised


def test_a_run_repeats_bit_for_bit():
    scenario = SlitherPegs(world=PegBoard(seed=3), controller=ContactPlanner(), duration=0.4)
    first, again = scenario.run(), scenario.run()
    for name in set(first.variables) - {"solve_time", "solve_processor_time"}:
        np.testing.assert_array_equal(first[name], again[name], err_msg=name)
    assert first["plan_path"].shape[1:] == (26, 3) and np.isfinite(first["plan_path"]).all()
    np.testing.assert_array_equal(horizon_of(first.variables, 7), first["plan_path"][7])  # as the studio draws it
    assert np.isfinite(first["plan_cost"]).sum() == 21  # every second tick


def test_the_goal_decides_the_direction():
    ends = []
    for goal in ((5.0, 0.0), (-5.0, 0.0)):
        scenario = SlitherPegs(world=PegBoard(seed=3), controller=ContactPlanner(goal=goal), duration=1.5)
        run = scenario.run()
        left = np.linalg.norm(run["center_of_mass"][-1, :2] - goal)
        assert scenario.summary(run)["goal_distance"].value == pytest.approx(left)
        ends.append(run["center_of_mass"][-1, 0] - run["center_of_mass"][0, 0])
    assert ends[0] > ends[1] + 0.05


def test_pegs_known_by_touch_enter_the_plan():
    planner = ContactPlanner(map="felt")
    run = SlitherPegs(world=PegBoard(seed=5), controller=planner, duration=0.6).run()
    assert np.isfinite(run["plan_path"][-1]).all() and np.isfinite(run["touch_force"]).any()


def test_in_real_time_the_last_plan_goes_on():
    planner = ContactPlanner(deadline=1e-6)
    run = SlitherPegs(world=PegBoard(seed=3), controller=planner, duration=0.3).run()
    assert (run["plan_iterations"][np.isfinite(run["plan_iterations"])] == 0).all()
    assert np.isfinite(run["command_position"][1:]).all()


def test_open_ground_controllers_plan_through_contact():
    """The same Problem and RecedingHorizon as on open ground, for a planar snake; a solve of its own."""
    snake = PlanarSnake(links=5, link_length=0.13, link_mass=0.4, drive=PD(20.0, 0.3, 5.0))
    board = PegBoard(seed=3)
    problem = Problem(snake, board, sp.planning.Goal((-3.0, 0.0)) + Torque(1e-3), 10, 0.01, Limits(-5.0, 5.0))
    x, y, heading = board.clear_start(snake.chain().length, snake.radius, np.zeros(4))
    pose = (x, y, 0.0, float(np.cos(0.5 * heading)), 0.0, 0.0, float(np.sin(0.5 * heading)))
    start = Initial(base_pose=pose)
    run = sp.simulate(snake, board, RecedingHorizon(problem), 0.2, initial=start, engine="pegs", control_period=0.01)
    assert np.isfinite(run["command_position"][1:]).all() and (run["plan_iterations"] > 0).any()
    state = np.zeros(14)
    state[:3] = x + 0.325 * np.cos(heading), y + 0.325 * np.sin(heading), heading
    plan = solve(problem, state, iterations=5)
    assert plan.torques.shape == (10, 4) and np.isfinite(plan.cost)
    avoiding = replace(problem, pegs="avoid")
    assert len(avoiding.obstacles) == len(board.pegs()) and not problem.obstacles


def test_bad_input_is_one_line(capsys):
    board = PegBoard(seed=3)
    inside = tuple(board.pegs()[4].tolist())
    for planner in (ContactPlanner(goal=inside), SamplingPlanner(goal=inside)):
        with pytest.raises(InvalidValue, match="outside the pegs"):
            SlitherPegs(world=board, controller=planner, duration=0.1).run()
    words = ["run", "slither-pegs", "--controller", "contact_planner", "--out", "none"]
    assert main([*words, "--controller.knot", "0.015"]) == 2
    assert "knot = 0.015: must be a multiple of the control period" in capsys.readouterr().err
    with pytest.raises(InvalidValue, match="pd in a plan through contact"):
        Problem(SeaSnake(drive=SeriesElastic()), board)
    with pytest.raises(InvalidValue, match="horizon = 1000: must be at most"):
        Planner(Problem(PlanarSnake(links=500), board, horizon=1000, limits=Limits(-0.5, 0.5)))
    with pytest.raises(Unsupported, match="needs a peg board"):
        sp.simulate(PlanarSnake(), sp.worlds.Plane(), ContactPlanner(), 0.1)


def test_a_board_without_pegs_and_a_start_in_contact_give_plans():
    empty = SlitherPegs(world=PegBoard(density=0.0), controller=ContactPlanner(), duration=0.1).run()
    assert np.isfinite(empty["plan_cost"]).any()
    scenario = SlitherPegs(world=PegBoard(seed=5))
    planner = Planner(
        Problem(scenario.robot, scenario.world, Velocity((0.3, 0.0)) + Torque(1e-4), 10, 0.02, Limits(-7.0, 7.0))
    )
    engine = PegEngine(scenario.robot, scenario.world, 0.001)
    state = engine.chain_state(engine.initial(scenario.initial(), None, np.random.default_rng(0)))
    state[:2] += scenario.world.pegs()[0] - sp.planning.estimators.head_place(planner.model, state) + 0.03
    outcome = planner.solve(state, 0.0, 4, np.inf, 1e-9)
    assert np.isfinite(outcome.cost) and np.isfinite(planner.work.states).all()
