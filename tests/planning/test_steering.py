"""Closed loops along a path and at a wanted velocity, and distances of points from a path."""

from __future__ import annotations

import numpy as np
import pytest

from serpenoid.planning import Goal, Path, Torque, Velocity
from serpenoid_papers.mpc_gaits.steering import steer_head


def test_the_nearest_point_of_a_path():
    path = Path(((0.0, 0.0), (-1.0, 0.0), (-2.0, 1.0)))
    places = np.random.default_rng(3).uniform(-2.5, 1.0, (50, 2))
    distance, left = path.nearest(places)
    way = np.linspace(0.0, 1.0, 20_001)[:, None]
    line = np.concatenate([way * [-1.0, 0.0], [-1.0, 0.0] + way * [-1.0, 1.0]])
    rest = np.concatenate([1.0 - way[:, 0] + np.sqrt(2.0), np.sqrt(2.0) * (1.0 - way[:, 0])])
    gaps = np.linalg.norm(places[:, None] - line, axis=2)
    np.testing.assert_allclose(distance, gaps.min(axis=1), atol=1e-4)
    np.testing.assert_allclose(left, rest[gaps.argmin(axis=1)], atol=1e-3)


def test_the_head_follows_a_path():
    path = Path(((0.0, 0.0), (-0.5, 0.0), (-1.2, 0.7)))
    head = steer_head("dry", path + Torque(), 3.0)
    distance, left = path.nearest(head)
    assert left[-1] < 0.1
    assert distance.max() < 0.1
    assert np.hypot(*(head[-1] - path.points[-1])) < 0.1


@pytest.mark.parametrize("medium", ["dry", "viscous"])
def test_the_head_stays_with_a_goal_that_moves(medium):
    head = steer_head(medium, Goal((-0.3, 0.0), velocity=(-0.3, 0.1)) + Torque(), 4.0)
    goal = np.array([-0.3, 0.0]) + np.outer(0.01 * np.arange(len(head)), (-0.3, 0.1))
    assert np.linalg.norm(head - goal, axis=1)[250:].max() < 0.02


def test_a_wanted_velocity_is_kept_along_a_line():
    cost = Velocity((-0.3, 0.0), 10.0) + Path(((1.0, 0.0), (-50.0, 0.0)), weight=0.0) + Torque(0.001)
    head = steer_head("viscous", cost, 3.0)
    assert (head[100, 0] - head[-1, 0]) / 2.0 == pytest.approx(0.3, rel=0.2)


@pytest.mark.parametrize("medium", ["dry", "viscous", "fluid"])
def test_a_snake_at_rest_sets_out_along_a_path(medium):
    """Rest is nearly an optimum there: with a smaller nudge at the start the snake never leaves it in viscous drag."""
    path = Path(((0.0, 0.0), (-1.0, 0.0), (-2.0, 1.0)))
    distance, left = path.nearest(steer_head(medium, path + Torque(), 1.5))
    assert left[-1] < left[0] - 0.4
    assert distance.max() < 0.15
