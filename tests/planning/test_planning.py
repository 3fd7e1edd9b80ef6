"""Problems, plans and the receding-horizon controller: behaviour, refused input, messages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from refusals import refused

import serpenoid as sp
from serpenoid.engines.base import Moment
from serpenoid.engines.observation import sensed_at
from serpenoid.errors import InvalidValue, SerpenoidError
from serpenoid.planning.estimators import chain_state
from serpenoid.planning.solver import Planner

P = sp.planning
ROBOT = sp.robots.PlanarSnake()


def problem(medium="viscous", cost=None, **options):
    cost = P.Goal((-20.0, 0.0)) + P.Torque(0.01) if cost is None else cost
    return P.Problem(ROBOT, sp.worlds.Plane(medium=medium), cost, **options)


def straight():
    state = np.zeros(14)
    state[0] = 0.5
    return state


def test_a_straight_snake_at_rest_leaves_its_stationary_point_the_same_way_each_time():
    first, second = (P.solve(problem(), straight(), iterations=30) for _ in range(2))
    assert np.abs(first.torques).max() > 0.1
    np.testing.assert_array_equal(first.torques, second.torques)
    idle = P.solve(problem(), straight(), iterations=1, guess=np.zeros((25, 4)))
    assert first.cost < idle.cost


def test_mirrored_starts_give_mirrored_plans():
    state = np.concatenate([[0.5, 0.0, 0.0, 0.2, -0.1, 0.3, 0.1], np.zeros(7)])
    mirror = np.array([1.0, -1, -1, -1, -1, -1, -1] * 2)
    first, second = (P.solve(problem(), x, iterations=5) for x in (state, mirror * state))
    np.testing.assert_allclose(first.torques, -second.torques, atol=1e-6)


def test_plans_keep_to_their_box_and_their_dynamics():
    limits = P.Limits(torque_lower=-0.2, torque_upper=0.3)
    plan = P.solve(problem(limits=limits), straight(), iterations=30)
    assert plan.torques.min() == pytest.approx(-0.2)
    assert plan.torques.max() == pytest.approx(0.3)
    again = P.solve(problem(limits=limits), straight(), iterations=1, guess=plan.torques)
    assert again.cost <= plan.cost + 1e-9


@pytest.mark.parametrize("medium", ["dry", "viscous", "fluid"])
def test_it_moves_head_first_in_every_medium(medium):
    controller = P.RecedingHorizon(problem(medium))
    run = sp.simulate(ROBOT, sp.worlds.Plane(medium=medium), controller, 1.5)
    assert run["base_pose"][-1, 0] < -0.2
    assert np.abs(run["joint_torque"]).max() <= 1.0 + 1e-12


@pytest.mark.parametrize(("medium", "limit", "goal"), [
    ("viscous", 0.4, (-20.0, 0.0)), ("viscous", 0.8, (-20.0, 0.0)), ("dry", 0.8, (0.5, -1.5)),
])  # fmt: skip
def test_joint_limits_hold(medium, limit, goal):
    cost = P.Goal(goal) + P.Torque(0.01)
    controller = P.RecedingHorizon(problem(medium, cost, limits=P.Limits(joint_angle=limit)))
    run = sp.simulate(ROBOT, sp.worlds.Plane(medium=medium), controller, 1.5)
    assert 0.7 * limit < np.abs(run["joint_position"]).max() < limit


def test_a_run_repeats_bit_for_bit():
    controller = P.RecedingHorizon(problem())
    runs = [sp.simulate(ROBOT, sp.worlds.Plane(medium="viscous"), controller, 0.3) for _ in range(2)]
    np.testing.assert_array_equal(runs[0]["joint_position"], runs[1]["joint_position"])
    again = sp.repeat(runs[0])
    np.testing.assert_array_equal(runs[0]["joint_position"], again["joint_position"])


def test_the_recorded_way_begins_at_the_head_and_is_where_it_then_goes():
    controller = P.RecedingHorizon(problem())
    run = sp.simulate(ROBOT, sp.worlds.Plane(medium="viscous"), controller, 0.3)
    dims, ways, unit, _ = run.variables["plan_path"]
    assert dims == ("tick", "horizon", "axis") and unit == "m" and ways.shape[1:] == (26, 3)
    head = np.array([np.interp(run.ticks, run.times, run["base_pose"][:, i]) for i in range(3)]).T
    np.testing.assert_allclose(ways[:, 0], head, atol=1e-9)
    np.testing.assert_allclose(ways[:-1, 1], head[1:], atol=1e-4)  # its first torque acts until the next tick


def test_the_observed_state_is_the_engine_s():
    from serpenoid.control.base import Command, Truth
    from serpenoid.engines.planar import PlanarEngine

    engine = PlanarEngine(ROBOT, sp.worlds.Plane(), 0.001)
    state = np.zeros(engine.layout.size)
    state[:14] = np.random.default_rng(2).normal(size=14)
    seen = sensed_at(Moment(engine, 0.0, state, Command.empty(4), None))
    np.testing.assert_array_equal(chain_state(engine.model, np.arange(4), seen, seen.truth), state[:14])
    poses = Truth({"base_pose": seen.truth.base_pose, "base_twist": seen.truth.base_twist})
    np.testing.assert_allclose(chain_state(engine.model, np.arange(4), seen, poses), state[:14], atol=1e-12)


def test_feedback_holds_a_plan():
    plan = P.solve(problem(), straight(), iterations=20)
    off = plan.states[3] + 1e-3
    assert not np.array_equal(plan.torque(3, off), plan.torques[3])
    np.testing.assert_array_equal(plan.torque(3, plan.states[3]), plan.torques[3])


def test_a_deadline_too_short_says_so_and_the_controller_holds_its_plan():
    plan = P.solve(problem(), straight(), deadline=1e-9)
    assert plan.iterations == 0
    assert "too short for one iteration" in plan.reason
    assert np.isfinite(plan.torques).all()
    controller = P.RecedingHorizon(problem(), deadline=1e-9)
    run = sp.simulate(ROBOT, sp.worlds.Plane(medium="viscous"), controller, 0.1)
    assert np.isfinite(run["joint_torque"]).all()


def test_a_blind_robot_gets_the_last_plan():
    from serpenoid.control.base import Observation, Truth

    law = P.RecedingHorizon(problem()).start(ROBOT, 0.01, np.random.default_rng(0))
    still = {"joint_position": np.zeros(4), "joint_velocity": np.zeros(4)}
    law(Observation(0.0, still, Truth({"chain_state": straight()})))
    planned = law.plan.torques
    nothing = Observation(0.01, still, Truth({"chain_state": np.full(14, np.nan)}))
    np.testing.assert_array_equal(law(nothing).torque, planned[1])


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: P.Goal((float("nan"), 0.0)), "position"),
        (lambda: P.Goal((1.0,)), "2 numbers"),
        (lambda: problem(horizon=0), "horizon"),
        (lambda: problem(step=0.0), "step"),
        (lambda: problem(cost=3.0), "cost"),
        (lambda: P.Limits(torque_lower=1.0, torque_upper=-1.0), "torque_upper"),
        (lambda: P.Limits(joint_angle=0.0), "joint_angle"),
        (lambda: P.Obstacle((0.0, 0.0)), "radius"),
        (lambda: P.Path(((0.0, 0.0), (0.0, 0.0))), "points"),
        (lambda: P.Torque(-1.0), "weight"),
        (lambda: P.solve(problem(), np.full(14, np.nan)), "state"),
        (lambda: P.solve(problem(), np.zeros(3)), "14 finite numbers"),
        (lambda: P.solve(problem(), straight(), guess=np.zeros((2, 2))), "guess"),
        (lambda: P.solve(problem(), straight(), deadline=-1.0), "deadline"),
        (lambda: P.RecedingHorizon(problem(), actions=99), "actions"),
        (lambda: P.Problem(sp.robots.Natrix(), sp.worlds.FreeSpace()), "planar robot"),
        (lambda: P.Problem(ROBOT, sp.worlds.WaterSurface()), "WaterSurface has no medium"),
    ],
)
def test_bad_input_is_named(build, words):
    with pytest.raises(SerpenoidError, match=words) as caught:
        build()
    assert "\n" not in str(caught.value)


def test_an_obstacle_on_the_snake_is_said():
    cost = P.Goal((-20.0, 0.0)) + P.Torque(0.01) + P.Obstacle((0.5, 0.0), None, 0.05)
    plan = P.solve(problem(cost=cost), straight(), iterations=2)
    assert "inside obstacle 0" in plan.reason
    with refused("world.obstacles"):
        sp.scenarios.find_scenario("mpc")(world=sp.worlds.Plane(obstacles=(sp.worlds.Disc((0.5, 0.0), 0.05),)))


@dataclass(frozen=True)
class HeadRate(P.Cost):
    """A user's own cost: the head should not turn."""

    weight: float = 3.0

    def residuals(self, knot):
        return self.weight * knot.state[9], 0.0 * knot.torque[0]


def test_a_cost_of_one_s_own():
    plain = problem()
    own = problem(cost=plain.cost + HeadRate())
    calm, free = (P.solve(p, straight(), iterations=40) for p in (own, plain))
    assert np.abs(calm.states[:, 9]).max() < 0.5 * np.abs(free.states[:, 9]).max()
    assert Planner(own).kernel is not Planner(plain).kernel
    with pytest.raises(InvalidValue, match="weight"):
        problem(cost=HeadRate(weight=float("nan"))).cost_record()


def test_the_record_of_a_user_s_cost_is_found_again_by_name():
    """Key of the cache of compiled code: a class that came back as another would compile at every start."""
    from numba.core import serialize

    assert serialize.loads(serialize.dumps(HeadRate.Record)) is HeadRate.Record


def test_compilation_is_announced_once(capsys):
    from serpenoid.planning import compiled

    solver = compiled.UserSolver((HeadRate,))
    solver.on_start(None)
    solver.on_start(None)
    assert capsys.readouterr().err.count("first use of HeadRate: compiling") == 1
