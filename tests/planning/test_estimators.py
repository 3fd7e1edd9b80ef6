"""The planner's state from sensors: conversions, dead reckoning, and corrections by an external pose."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.configuration import changed
from serpenoid.engines.planar import PlanarEngine
from serpenoid.errors import InvalidValue
from serpenoid.planning import Believed, InertialState, Problem, RecedingHorizon, TrueState
from serpenoid.planning.estimators import head_place, state_of
from serpenoid.planning.solver import Planner, link_ends
from serpenoid.robots.sensors import Sensor, Sensors
from serpenoid.scenarios.mpc import PredictiveControl, position_error

ROBOT = sp.robots.PlanarSnake(links=4, link_length=(0.1, 0.2, 0.15, 0.3), link_mass=(0.1, 0.3, 0.2, 0.2))
SHORT = PredictiveControl(duration=1.0, settle=0.5)


def run_with(estimator, medium="dry", sensors=None, believed=None, seed=0):
    robot, world = sp.robots.PlanarSnake(sensors=sensors or Sensors()), sp.worlds.Plane(medium)
    model = believed or Believed()
    controller = RecedingHorizon(Problem(model.robot(robot), model.world(world)), estimator=estimator)
    return sp.simulate(robot, world, controller, 1.0, seed=seed)


def test_states_of_the_head_and_back():
    engine, rng = PlanarEngine(ROBOT, sp.worlds.Plane(), 0.001), np.random.default_rng(2)
    head, rates = rng.normal(size=6), rng.normal(size=6)
    state = state_of(engine.model, head, rates)
    np.testing.assert_allclose(head_place(engine.model, state), head[:2], atol=1e-14)
    ends = link_ends(Planner(Problem(ROBOT, sp.worlds.Plane())).model, state)
    np.testing.assert_allclose(ends[0], head[:2], atol=1e-14)
    step = 1e-6
    ahead, before = (state_of(engine.model, head + sign * step * rates, rates) for sign in (1.0, -1.0))
    np.testing.assert_allclose((ahead - before)[:6] / (2.0 * step), state[6:], atol=1e-9)


@pytest.mark.parametrize(("medium", "error"), [("dry", 0.01), ("viscous", 0.02), ("fluid", 0.01)])
def test_ideal_sensors_follow_the_true_state(medium, error):
    """With the model in fluid, where accelerations jump with the torques; with the accelerometers elsewhere."""
    run = run_with(InertialState(model_gain=1.0 if medium == "fluid" else 0.5), medium)
    assert 0.0 < position_error(run).max() < error
    assert position_error(run_with(TrueState(), medium)).max() < 1e-12


def test_an_external_pose_bounds_the_drift():
    sensors = Sensors(gyroscope=Sensor(bias=0.3), accelerometer=Sensor(bias=1.0))
    free, held = (
        position_error(run_with(estimator, sensors=sensors, seed=3))[-1]
        for estimator in (InertialState(model_gain=0.02), InertialState(model_gain=0.02, pose_period=0.02))
    )
    assert held < 0.2 * free


def test_only_the_truth_and_an_external_pose_need_a_simulation():
    problem = Problem(ROBOT, sp.worlds.Plane())
    needs = [RecedingHorizon(problem, estimator=e).needs_truth for e in (
        TrueState(), InertialState(), InertialState(pose_period=0.1)
    )]  # fmt: skip
    assert needs == [True, False, True]


def test_a_gap_in_the_readings_is_bridged_by_the_model():
    scenario = changed(SHORT, {"estimator": InertialState(model_gain=1.0)})
    _, _, controller = scenario.parts()
    law = controller.start(scenario.robot, 0.01, np.random.default_rng(0))
    rest = {"joint_position": np.zeros(4), "joint_velocity": np.zeros(4), "gyroscope": np.zeros((5, 3))}
    rest["accelerometer"] = np.tile([0.0, 0.0, 9.81], (5, 1))
    blind = {**rest, "gyroscope": np.full((5, 3), np.nan)}
    nothing = law(sp.control.Observation(0.0, blind))
    assert np.isfinite(nothing.torque).all() and np.isnan(law.state).all()
    first = law(sp.control.Observation(0.01, rest)).torque
    law(sp.control.Observation(0.02, blind))
    np.testing.assert_allclose(law.state, law.planner.predict(np.r_[0.5, np.zeros(13)], first[None]), atol=1e-15)


def test_the_summary_reports_the_error_of_estimates():
    scenario = changed(SHORT, {"estimator": InertialState(), "duration": 0.3, "settle": 0.1})
    assert scenario.summary(scenario.run())["position_error_worst"].value > 0.0
    assert "position_error_worst" not in changed(scenario, {"estimator": TrueState()}).summary(scenario.run())


def test_a_period_between_two_ticks_is_refused():
    with pytest.raises(InvalidValue, match="pose_period"):
        changed(SHORT, {"estimator": InertialState(pose_period=0.015)}).run()
