"""Exact maxima of a survey against sampled torques with local searches, and their candidates against brute force."""

import numpy as np
import pytest
from scipy.optimize import minimize

from serpenoid.kernels.push.sphere import CANDIDATES, ball_candidates
from serpenoid.mechanics import input_torques, push_survey, pushing
from serpenoid.mechanics.slippage import input_ball
from serpenoid.robots.planar import PlanarSnake
from serpenoid.worlds.pushing import Contact, PushedObject, Support, Wheels

MEASURES = ("object_norm", "robot_norm", "force_norm", "ratio")
CASES = [  # joints, friction of the wheels, mass of the object, support
    (2, 0.1, 100.0, None),
    (2, 0.02, 5.0, None),
    (3, 0.1, 100.0, None),
    (3, 0.01, 3.0, None),
    (3, 0.05, 20.0, Support(walls=(Contact(3, 0.3, "right"),))),
    (3, 0.05, 20.0, Support(base=3)),
    (2, 0.03, 5.0, Support(contacts=(Contact(2, 0.0, "right"),))),
]


def robot(joints):
    """Return the paper's snake."""
    return PlanarSnake(links=joints + 1, link_length=0.15, link_mass=1.0, link_inertia=0.002)


def searched(values_of, joints, seed):
    """Return the largest values of four measures over the ball: samples, then a local search from the best three."""
    points = input_ball(joints, 1000, 6) if joints < 3 else ball_of(joints, 6000, seed)
    values = values_of(points)
    found = np.nanmax(values, axis=0)
    for k in range(4):
        for start in points[np.argsort(-np.nan_to_num(values[:, k]))[:40:20]]:
            scale = max(found[k], 1e-12)
            ended = minimize(
                lambda x, k=k, scale=scale: -float(np.nan_to_num(values_of(inside(x)[None])[0, k])) / scale,
                start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 400},
            )  # fmt: skip
            found[k] = max(found[k], -ended.fun * scale)
    return found


def inside(point):
    """Return a point pulled back to the unit ball."""
    return point / max(1.0, float(np.linalg.norm(point)))


def ball_of(joints, count, seed):
    """Return random points of the unit ball, half of them on its surface."""
    rng = np.random.default_rng(seed)
    way = rng.standard_normal((count, joints))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    return way * np.where(np.arange(count) % 2, 1.0, rng.uniform(0.0, 1.0, count))[:, None]


@pytest.mark.parametrize(("joints", "friction", "mass", "support"), CASES)
def test_a_survey_is_exact_with_wheels_that_slip(joints, friction, mass, support):
    snake, thing, wheels = robot(joints), PushedObject(mass=mass), Wheels("friction", friction=friction)
    for seed in range(2):
        shape = np.random.default_rng(100 * joints + seed).uniform(-2.3, 2.3, joints)
        found = push_survey(snake, [shape], thing, wheels=wheels, support=support, directions=4, radii=1)
        assert found.exact

        def values_of(points, shape=shape):
            torques = input_torques(snake, shape, np.ascontiguousarray(points))
            answer = pushing(snake, shape, thing, torques, wheels=wheels, support=support)
            return np.stack([getattr(answer, name) for name in MEASURES], axis=1)

        exact = np.array([getattr(found, name)[0] for name in MEASURES])
        brute = searched(values_of, joints, seed)
        assert np.all(brute <= exact * (1 + 1e-9))
        assert np.allclose(brute[:3], exact[:3], rtol=1e-4)
        assert brute[3] >= 0.98 * exact[3]  # its cone is narrow
        at_best = pushing(snake, shape, thing, found.torque[0], wheels=wheels, support=support)
        assert np.allclose([getattr(at_best, name)[k] for k, name in enumerate(MEASURES)], exact, rtol=1e-9)


def test_a_survey_with_too_many_wheels_is_labelled_as_sampled():
    shape = np.full((1, 8), 0.3)
    found = push_survey(robot(8), shape, PushedObject(), wheels="friction", directions=10, radii=1)
    assert not found.exact
    assert push_survey(robot(8), shape, PushedObject(), wheels="ideal", directions=10, radii=1).exact


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4])
def test_candidates_contain_the_maximum_of_a_quadratic_in_a_ball(size):
    rng = np.random.default_rng(size)
    for case in range(20):
        root = rng.standard_normal((size, size))
        hessian, gradient = root + root.T, rng.standard_normal(size) * (case % 3)  # also without a gradient
        if case % 4 == 1:
            hessian = -root @ root.T  # with a maximum inside
        radius = rng.uniform(0.3, 3.0)
        points = np.zeros((CANDIDATES, size))
        points = points[: ball_candidates(hessian, gradient, radius, points)]
        assert np.all(np.linalg.norm(points, axis=1) <= radius * (1 + 1e-9))
        tried = radius * ball_of(size, 20_000, case) if size else np.zeros((1, 0))
        best, brute = (value(hessian, gradient, p).max() for p in (points, tried))
        assert best >= brute - 1e-9 * max(1.0, abs(brute))
        assert best <= brute + 0.2 * max(1.0, abs(brute))


def value(hessian, gradient, points):
    """Return y H y / 2 + g y at every point."""
    return 0.5 * np.einsum("ij,jk,ik->i", points, hessian, points) + points @ gradient


def test_candidates_contain_the_second_local_maximum():
    """Two hills of nearly equal height on a circle: both are candidates."""
    points = np.zeros((CANDIDATES, 2))
    points = points[: ball_candidates(np.diag([4.0, 0.0]), np.array([0.1, 0.05]), 1.0, points)]
    angle = np.linspace(0.0, 2.0 * np.pi, 100_000, endpoint=False)
    rim = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    height = value(np.diag([4.0, 0.0]), np.array([0.1, 0.05]), rim)
    hills = rim[(height > np.roll(height, 1)) & (height > np.roll(height, -1))]
    assert len(hills) == 2
    for hill in hills:
        assert np.linalg.norm(points - hill, axis=1).min() < 1e-3


def test_candidates_are_complete_if_the_gradient_is_orthogonal_to_the_steepest_direction():
    points = np.zeros((CANDIDATES, 2))
    points = points[: ball_candidates(np.diag([0.0, 4.0]), np.array([1.0, 0.0]), 1.0, points)]
    best = points[np.argmax(value(np.diag([0.0, 4.0]), np.array([1.0, 0.0]), points))]
    assert best[0] == pytest.approx(0.25)  # mu = 4: y_0 = 1 / 4, the rest along the other axis
