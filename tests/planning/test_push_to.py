"""Pushes to a goal: paths of bounded curvature, the trail of the links, deliveries, and bad input."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.cli import main
from serpenoid.control.base import Command, Controller
from serpenoid.errors import InvalidValue, Unsupported
from serpenoid.planning.approach import Cup, approach, line_to
from serpenoid.planning.dubins import Pose, along, dubins_paths
from serpenoid.planning.push_to import PushTo
from serpenoid.planning.trail import Trail, Wave
from serpenoid.scenarios.base import Scenario
from serpenoid.scenarios.push_to import PushToGoal
from serpenoid.worlds import FreeSpace, PushedObject, PushingFloor
from serpenoid_papers.contact_planning.push_to import PushTrial

SHORT = PushToGoal(object_at=(0.45, -0.05), goal=(0.8, 0.0), duration=30.0)


@cache
def delivery() -> sp.Trajectory:
    return SHORT.run()


def poses(rng):
    return Pose(*rng.uniform(-1.0, 1.0, 2), rng.uniform(-4.0, 4.0))


def test_dubins_paths_end_at_their_pose_and_a_line_is_straight():
    rng = np.random.default_rng(0)
    for _ in range(200):
        start, end = poses(rng), poses(rng)
        found = list(dubins_paths(start, end, 0.35))
        assert len(found) >= 2
        for segments in found:
            x, y, heading, _ = along(start, segments, 0.01)[-1]
            turn = (heading - end.heading + np.pi) % (2.0 * np.pi) - np.pi
            np.testing.assert_allclose([x - end.x, y - end.y, turn], 0.0, atol=1e-9)
            assert all(part.length >= 0.0 and abs(part.curvature) <= 1.0 / 0.35 + 1e-12 for part in segments)
    ahead = dubins_paths(Pose(0.0, 0.0, 0.5), Pose(2.0 * np.cos(0.5), 2.0 * np.sin(0.5), 0.5), 0.3)
    assert min(sum(part.length for part in segments) for segments in ahead) == pytest.approx(2.0)


def test_an_approach_ends_behind_the_object_and_keeps_clear_of_it():
    rng, cup = np.random.default_rng(1), Cup(0.07, 0.45, 0.05)
    for _ in range(30):
        goal, center = rng.uniform(-2.0, 2.0, 2), np.zeros(2)
        start = Pose(*(rng.uniform(0.5, 1.5) * np.array([1.0, -1.0])), rng.uniform(-3.0, 3.0))
        line = line_to(goal, center)
        points = approach(start, center, line, cup, 0.3, 0.25)
        assert np.linalg.norm(points[:, :2], axis=1).min() > 0.15
        assert np.cos(points[-1, 2] - np.arctan2(goal[1], goal[0])) == pytest.approx(1.0)
        assert line.relative(points[-1, :2])[0] > np.linalg.norm(goal)


def test_links_take_the_heading_that_the_front_had_at_their_place_and_retrace_it():
    trail, seen = Trail(Wave(0.5, 0.4), 0.3), {}
    for tick in range(400):
        trail.advance(0.005, 2.0 * np.sin(0.02 * tick))
        seen[tick] = float(trail.heading(np.array(trail.s)))
    behind = 0.005 * np.array([0.0, 20.0, 50.0])
    expected = [seen[379] - seen[399], seen[349] - seen[379]]
    np.testing.assert_allclose(trail.bends(behind), expected, atol=2e-3)
    for _ in range(100):
        trail.advance(-0.005, 9.0)
    assert float(trail.heading(np.array(trail.s))) == pytest.approx(seen[299], abs=2e-3)
    np.testing.assert_allclose(trail.bends(behind), [seen[279] - seen[299], seen[249] - seen[279]], atol=2e-3)


def test_the_object_is_brought_to_its_goal_and_left_there():
    run = delivery()
    found = {name: quantity.value for name, quantity in SHORT.summary(run).items()}
    assert found["delivered"] == 1.0 and found["goal_distance"] <= 0.03 and found["object_speed"] == 0.0
    assert run.times[-1] < 29.0 and found["done_at"] == pytest.approx(run.times[-1] - 1.0, abs=0.1)
    assert run["contact_force"][-1].max() == 0.0 and run["gap"][-1].min() > 0.03  # the snake is gone
    assert list(dict.fromkeys(run["push_phase"])) == [0.0, 1.0, 2.0, 3.0]


def test_the_goal_is_that_of_the_object():
    run = delivery()
    away = np.linalg.norm(run["object_position"][:, :2] - np.array(SHORT.goal), axis=1)
    np.testing.assert_allclose(sp.analysis.goal_distance(run)[:, 0], away)
    assert sp.plotting.aim(run).get_lines()[0].get_label().startswith("object from the goal")


def test_the_cup_does_not_turn_after_the_delivery():
    run = delivery()
    last = np.searchsorted(run.ticks, SHORT.summary(run)["done_at"].value)
    steps = np.abs(np.diff(run["command_position"][last - 5 :, 1]))
    assert steps.max() < 0.1


def test_contacts_press_without_depth_and_the_energy_balance_closes():
    run = delivery()
    assert run["contact_force"].min() >= 0.0 and run["contact_force"].max() > 0.1
    assert run["gap"].min() >= -1e-9
    assert (run["contact_force"] * np.maximum(run["gap"], 0.0)).max() <= 1e-9
    assert sp.analysis.energy_residual(run) <= 1e-3


def test_a_delivery_repeats_bit_for_bit():
    run = delivery()
    again = sp.repeat(run)
    for name in run.variables:
        np.testing.assert_array_equal(run[name], again[name], err_msg=name)


def test_an_object_at_its_goal_is_left_alone():
    run = replace(SHORT, goal=SHORT.object_at).run()
    assert run.times[-1] == pytest.approx(1.0, abs=0.1) and np.ptp(run["object_position"], axis=0).max() == 0.0
    assert run["push_attempts"][-1] == 0.0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--goal", "50", "0"], "goal = (50.0, 0.0): must be nearer, or duration longer"),
        (["--goal", "1"], "goal = '1': must be 2 values"),
        (["--goal", "nan", "1"], "goal[0] = nan"),
        (["--object_at", "0", "0"], "object_at = (0.0, 0.0): must be clear of the snake"),
        (["--controller.goal", "1", "1"], "controller.goal = (1.0, 1.0): must be omitted"),
        (["--object.friction", "0"], "object.friction = 0.0: must be above 0"),
        (["--robot.links", "4"], "robot.links = 4: must be 6 or more"),
    ],
)
def test_bad_input_is_one_line(words, message, capsys):
    assert main(["run", "push-to", *words]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


def test_a_goal_and_an_object_are_needed():
    with pytest.raises(InvalidValue, match="goal"):
        PushTo().start(SHORT.robot, 0.02, np.random.default_rng(0))
    with pytest.raises(Unsupported, match="object"):
        sp.simulate(SHORT.robot, FreeSpace(), PushTo(goal=(1.0, 0.0)), 0.1, control_period=0.02)


def test_the_world_places_the_object():
    floor = PushingFloor(PushedObject(1.0, 0.05, 0.1), object_at=(1.0, 0.25))
    run = sp.simulate(sp.robots.PlanarSnake(links=3), floor, duration=0.01)
    np.testing.assert_array_equal(run["object_position"][0], [1.0, 0.25, 0.0])


class Counting(Controller):
    """Ends its run after five ticks."""

    def start(self, robot, period, rng):
        class Law:
            calls = 0

            def __call__(self, observation):
                self.calls += 1
                return Command.empty(robot.joints)

            def finished(self):
                return self.calls >= 5

        return Law()


def test_a_law_ends_its_run():
    run = sp.simulate(sp.robots.PlanarSnake(links=3), PushingFloor(gap=1.0), Counting(), 1.0)
    assert run.times[-1] == pytest.approx(0.05)


def test_the_scenario_is_listed(capsys):
    assert issubclass(PushToGoal, Scenario) and main(["list"]) == 0
    listed = capsys.readouterr().out
    assert "push-to " in listed and "push_to " in listed


def test_figures_and_pages_show_the_path_of_the_object(tmp_path):
    axes = sp.plotting.path(delivery())
    lines = {line.get_label(): line for line in axes.get_lines()}
    np.testing.assert_array_equal(lines["path of the object"].get_xydata(), delivery()["object_position"][:, :2])
    page = sp.studio.export_html(delivery(), tmp_path / "push.html").read_text()
    assert "path of the object" in page and "contact force" in page


def test_random_starts_are_clear_of_the_object_and_those_on_it_are_drawn_again():
    for seed in (40_000, 40_029, 40_030):  # the first draw of 40,029 lies on the object
        push = PushTrial(seed=seed).drawn()
        assert push.free_space() >= 0.05 and np.hypot(*push.goal) <= 2.0 and np.hypot(*push.snake_at) <= 2.0
