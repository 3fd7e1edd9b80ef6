"""Scenario mpc: its summary, its saved run, real time, and invalid input."""

from __future__ import annotations

import numpy as np
import pytest
from runs import made, made_run

from serpenoid import analysis
from serpenoid.configuration import changed
from serpenoid.errors import InvalidValue, SerpenoidError, SimulationDiverged
from serpenoid.planning import Obstacle, Problem, Torque
from serpenoid.robots import PlanarSnake
from serpenoid.scenarios.mpc import PredictiveControl, solve_summary
from serpenoid.scenarios.sanity_checks import remarks
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import Disc, PegBoard, Plane, Wall

SHORT = PredictiveControl(duration=0.6, settle=0.2)


def test_the_summary_tells_gait_and_solves(tmp_path):
    scenario = changed(SHORT, {"world.medium": "viscous"})
    run = scenario.run()
    summary = scenario.summary(run)
    for name in (
        "speed",
        "power",
        "frequency",
        "amplitude_joint_3",
        "solve_mean",
        "solve_99th_percentile",
        "solve_worst",
    ):
        assert np.isfinite(summary[name].value)
    assert 0.0 <= summary["solves_inside_deadline"].value <= 100.0
    assert np.sum(~np.isnan(run["solve_time"])) == 61
    again = Trajectory.load(run.save(tmp_path / "run.zarr"))
    np.testing.assert_array_equal(again["joint_position"], scenario.run()["joint_position"])


@pytest.mark.parametrize("way", [{"goal": (-0.3, 0.0)}, {"path": (0.0, 0.0, -0.3, 0.0)}], ids=["goal", "path"])
def test_means_end_where_the_head_arrives(way):
    scenario = changed(SHORT, {"duration": 3.0, "settle": None, **way})
    run = scenario.run()
    summary = scenario.summary(run)
    start, end = scenario.averaged(run)
    assert 0.0 < start < end == summary["arrived_at"].value < 1.5
    assert summary["speed"].value == pytest.approx(analysis.speed(run, start, end)) and summary["speed"].value > 0.1
    assert summary["power"].value == pytest.approx(analysis.power(run, start, end))
    assert not remarks(run, scenario)  # about friction, because the snake rests for the rest of the run


def test_against_the_clock():
    scenario = changed(SHORT, {"realtime": True, "deadline": 0.009})
    run = scenario.run()
    summary = scenario.summary(run)
    missed = 1.0 - summary["ticks_in_time"].value / 100.0
    assert summary["ticks_missed"].value == pytest.approx(59 * missed)  # the first of 60 is not timed
    assert np.isfinite(run["joint_torque"]).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "ready, in_time", [((np.nan, np.nan), np.nan), ((np.nan, 0.004), 100.0), ((0.02, 0.004), 50.0)]
)
def test_a_run_of_one_tick_has_no_share_of_ticks_in_time(ready, in_time):
    solves = (1e-3, 2e-3)
    run = made((0.0, 0.01), solve_time=solves, solve_processor_time=solves, command_ready=ready)
    assert solve_summary(run, 0.01, 0.01)["ticks_in_time"].value == pytest.approx(in_time, nan_ok=True)


def test_obstacles_are_kept_clear_of():
    post = Disc((-0.4, 0.25), 0.2)
    run = changed(SHORT, {"world.obstacles": (post,), "duration": 1.5}).run()
    front = run["link_pose"][:, :, :2]
    assert np.linalg.norm(front - np.array(post.center), axis=2).min() > post.radius


def test_a_thicker_body_keeps_as_clear():
    """The radius of the body counts like that of the obstacle, in plans and in the reported clearance."""
    thin, thick = (
        changed(SHORT, {"world.obstacles": (Disc((-0.4, 0.25), radius),), "robot.radius": body})
        for radius, body in ((0.15, 0.02), (0.1, 0.07))
    )
    for ours, theirs in zip(thin.problem().cost_record(), thick.problem().cost_record()):
        np.testing.assert_allclose(ours, theirs, rtol=1e-14)
    least = [s.summary(s.run())["least_clearance"].value for s in (thin, thick)]
    assert least[0] == pytest.approx(least[1], abs=1e-9) and least[0] > 0.0
    with pytest.raises(InvalidValue, match="inside obstacle"):
        changed(SHORT, {"world.obstacles": (Disc((0.5, 0.2), 0.15),), "robot.radius": 0.06})


def test_among_pegs_plans_keep_clear_and_the_run_has_contact():
    """Check pegs beside the path: plans keep the body's skin clear, and the engine collides with them."""
    board = PegBoard(layout="list", places=((-0.3, 0.2), (0.5, 0.3)), friction=0.9, friction_along=0.1, start_area=0.0)
    scenario = changed(SHORT, {"world": board, "sample_period": 0.01})
    record = scenario.problem().cost_record().obstacles
    np.testing.assert_array_equal(record[:, :2], board.places)
    np.testing.assert_allclose(record[:, 4], board.peg_radius + scenario.robot.radius)
    run = scenario.run()
    np.testing.assert_allclose(run["base_pose"][0, :2], scenario.start_pose()[:2])
    assert "touch_force" in run and run.times[-1] == pytest.approx(0.6)
    moved = np.linalg.norm(run["center_of_mass"][-1] - run["center_of_mass"][0])
    assert moved > 0.02 and np.isfinite(scenario.summary(run)["speed"].value)


def test_obstacles_of_the_world_and_among_the_costs_are_the_same_problem():
    post, wall = Disc((-0.4, 0.25), 0.2), Wall((-1.0, 0.8), (0.0, 0.8), 0.05)
    scenario = changed(SHORT, {"world.obstacles": (post, wall), "obstacle_slope": 40.0})
    costs = Obstacle(post.center, None, post.radius, slope=40.0) + Obstacle(
        wall.start, wall.end, wall.radius, slope=40.0
    )
    named = Problem(scenario.robot, Plane(), scenario.target() + Torque(0.01) + costs, limits=scenario.limits)
    for ours, theirs in zip(scenario.problem().cost_record(), named.cost_record()):
        np.testing.assert_array_equal(ours, theirs)
    assert scenario.problem().landmarks() == named.landmarks()


def test_a_goal_may_move():
    scenario = changed(SHORT, {"goal": (-0.2, 0.0), "goal_velocity": (-0.2, 0.0), "duration": 2.5, "settle": 1.5})
    summary = scenario.summary(scenario.run())
    assert summary["distance_left"].value < 0.03
    assert summary["goal_distance_mean"].value <= summary["goal_distance_worst"].value < 0.03


def test_a_path_takes_the_place_of_the_goal():
    scenario = changed(SHORT, {"path": (0.0, 0.0, -0.3, 0.0, -1.3, 1.0), "duration": 1.5})
    summary = scenario.summary(scenario.run())
    assert summary["distance_left"].value < 1.5  # of 1.71
    assert summary["path_deviation_worst"].value < 0.1


@pytest.mark.parametrize(
    "changes",
    [
        {"goal": (float("nan"), 0.0)}, {"horizon": 0}, {"deadline": 0.0}, {"settle": 9.0},
        {"world.obstacles": (1.0, 2.0)}, {"world.obstacles": (Wall((0.1, -0.1), (0.1, 0.1), 0.01),)},
        {"limits.torque_upper": -2.0}, {"actions": 0}, {"goal_weight": -1.0},
        {"control_period": 0.5, "duration": 3.0}, {"path": (0.0, 1.0, 2.0)}, {"path": (1.0, 1.0)},
        {"goal_velocity": (float("inf"), 0.0)}, {"goal_velocity": (-0.1, 0.0), "path": (0.0, 0.0, -1.0, 0.0)},
        {"path": (0.0, 0.0, float("nan"), 1.0)}, {"path": (0.0, 0.0, -1.0, 0.0), "path_weight": -1.0},
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_one_line(changes):
    with pytest.raises(SerpenoidError) as caught:
        changed(PredictiveControl(), changes)
    assert "\n" not in str(caught.value)


def test_sweeps_hold_no_times_of_the_clock_and_two_are_the_same_to_the_byte(tmp_path):
    from serpenoid.sweeps import sweep

    stores = []
    for name in ("one", "two"):
        folder = tmp_path / name
        sweep(changed(SHORT, {"duration": 0.1, "settle": 0.05}), {"torque_weight": [0.01, 0.1]}, folder)
        files = [path.relative_to(folder) for path in folder.rglob("c.*")]
        results = [path for path in files if path.parts[0] not in ("chunks", "sessions")]  # times and hosts
        stores.append({path: (folder / path).read_bytes() for path in results})
    quantities = {path.parts[0] for path in stores[0]}
    assert {"speed", "power"} <= quantities and not any("solve" in name or "tick" in name for name in quantities)
    assert stores[0] == stores[1]


def test_a_diverged_run_keeps_its_scenario_and_its_solves():
    wild = changed(
        SHORT,
        {
            "robot.drive.torque_limit": 1e9, "limits.torque_lower": -1e9, "limits.torque_upper": 1e9,
            "limits.joint_angle": None, "torque_weight": 0.0, "goal_weight": 1e6, "iterations": 30,
        },
    )  # fmt: skip
    with pytest.raises(SimulationDiverged) as caught:
        wild.run()
    kept = caught.value.trajectory
    assert "scenario" in kept.configuration and not kept.complete
    assert np.isfinite(kept["solve_time"]).any() and kept["command_torque"].shape[1] == 4


def test_clearance_is_told_where_something_stands_that_the_snake_does_not_touch():
    scenario = PredictiveControl()
    near = made_run(PlanarSnake(), Plane(obstacles=(Disc((-0.5, 0.6), 0.2),)), duration=0.2)
    assert scenario.kept_clear(near)["least_clearance"].value == analysis.clearance(near).min() > 0.0
    assert scenario.kept_clear(made_run(PlanarSnake(), Plane(), duration=0.2)) == {}
    near.variables["contact_force"] = (("time", "link"), np.zeros((21, 5)), "N", "force")
    assert scenario.kept_clear(near) == {}
