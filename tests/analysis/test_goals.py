"""Distances from goals, routes and obstacles: against points by hand and against the planner's own kernel."""

import numpy as np
import pytest
from runs import made_run

from serpenoid import analysis
from serpenoid.analysis.goals import body_line, segment_distances
from serpenoid.kernels.segments import segment_distance
from serpenoid.planning import Goal, Obstacle, Path, Problem, RecedingHorizon
from serpenoid.robots import PlanarSnake
from serpenoid.worlds import Disc, Plane


def test_segments_are_as_far_apart_as_the_planner_finds():
    rng = np.random.default_rng(3)
    start, end = rng.normal(size=(2, 300, 2))
    for other, far in rng.normal(size=(5, 2, 2)):
        expected = [segment_distance(a, b, other, far)[0] for a, b in zip(start, end)]
        assert segment_distances(start, end, other, far) == pytest.approx(np.array(expected), abs=1e-12)
        assert min(expected) < 0.0 < max(expected)  # some cross
    point = segment_distances(start, end, other, other)  # a disc: a segment of no length
    assert point == pytest.approx([segment_distance(other, other, a, b)[0] for a, b in zip(start, end)], abs=1e-12)


def test_goals_routes_and_obstacles_of_a_run():
    robot, world = PlanarSnake(), Plane(obstacles=(Disc((-0.5, 0.6), 0.2),))
    cost = Goal((-1.2, 0.1), velocity=(-0.3, 0.0)) + Path(((0.0, 0.0), (-9.0, 0.0))) + Obstacle((0.5, -0.6), radius=0.1)
    run = made_run(robot, world, duration=1.0, controller=RecedingHorizon(Problem(robot, world, cost)))
    head = run["base_pose"][:, :2]
    away = np.hypot(head[:, 0] + 1.2 + 0.3 * run.times, head[:, 1] - 0.1)
    assert analysis.goal_distance(run)[:, 0] == pytest.approx(away)
    inside = head[:, 0] <= 0.0
    assert analysis.path_distance(run)[inside] == pytest.approx(np.abs(head[inside, 1]))
    start, end = body_line(run)
    dense = start[:, :, None] + np.linspace(0.0, 1.0, 2001)[:, None] * (end - start)[:, :, None]
    gaps = [
        np.linalg.norm(dense - c, axis=-1).min(axis=(1, 2)) - r - robot.radius
        for c, r in (((-0.5, 0.6), 0.2), ((0.5, -0.6), 0.1))
    ]
    assert analysis.clearance(run) == pytest.approx(np.minimum(*gaps), abs=1e-6)
    free = made_run(robot, Plane(), duration=0.1)
    assert np.isinf(analysis.clearance(free)).all() and analysis.goal_distance(free).shape == (11, 0)
