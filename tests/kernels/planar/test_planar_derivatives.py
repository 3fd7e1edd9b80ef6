"""Analytic derivatives of the planar chain, continuous and of the implicit step, against central differences."""

import numpy as np
import pytest
from planar_cases import MEDIA, central_differences, model_in, random_state
from planar_kernels import implicit_derivatives, implicit_step

from serpenoid.kernels.planar.chain import forward_dynamics, planar_work
from serpenoid.kernels.planar.derivatives import forward_derivatives
from serpenoid.kernels.planar.implicit import implicit_work
from serpenoid.kernels.planar.slopes import planar_tangent

LINKS = 4
HALF = LINKS + 2
# speed of the state [m/s, rad/s] and step of the differences: far from rest, and within the smoothing of friction
SPEEDS = ((1.0, 1e-6), (1e-3, 1e-7))


def agree(analytic, numeric):
    scale = np.abs(numeric).max(axis=1, keepdims=True) + 1e-3 * np.abs(numeric).max()
    np.testing.assert_array_less(np.abs(analytic - numeric) / scale, 1e-6)


@pytest.mark.parametrize("stations", [1, 3])
@pytest.mark.parametrize("medium", [None, "calm", "printed", *MEDIA])
@pytest.mark.parametrize(("speed", "step"), SPEEDS)
def test_accelerations(medium, stations, speed, step):
    rng = np.random.default_rng(3)
    model, work, tangent = (
        model_in(medium, LINKS, stations, joint_damping=0.02),
        planar_work(LINKS),
        planar_tangent(LINKS),
    )
    acceleration, by_state, by_torque = np.empty(HALF), np.empty((HALF, 2 * HALF)), np.empty((HALF, LINKS - 1))

    def accelerations(point):
        out = np.empty(HALF)
        forward_dynamics(model, work, point[: 2 * HALF].copy(), point[2 * HALF :].copy(), out)
        return out

    for _ in range(5):
        point = np.concatenate([random_state(rng, LINKS, speed), 0.3 * rng.normal(size=LINKS - 1)])
        state, torque = point[: 2 * HALF].copy(), point[2 * HALF :].copy()
        forward_derivatives(model, work, tangent, state, torque, acceleration, by_state, by_torque)
        np.testing.assert_allclose(acceleration, accelerations(point), rtol=1e-10)
        agree(np.c_[by_state, by_torque], central_differences(accelerations, point, step))


@pytest.mark.parametrize("substeps", [1, 3])
@pytest.mark.parametrize("medium", [None, "calm", "printed", *MEDIA])
@pytest.mark.parametrize(("speed", "step"), SPEEDS)
def test_implicit_step(medium, substeps, speed, step):
    rng = np.random.default_rng(4)
    model, space = model_in(medium, LINKS, 2, joint_damping=0.02), implicit_work(LINKS)
    after, by_state, by_torque = np.empty(2 * HALF), np.empty((2 * HALF, 2 * HALF)), np.empty((2 * HALF, LINKS - 1))

    def stepped(point):
        out = np.empty(2 * HALF)
        implicit_step(model, space, point[: 2 * HALF].copy(), point[2 * HALF :].copy(), 0.01, substeps, out)
        return out

    for _ in range(5):
        point = np.concatenate([random_state(rng, LINKS, speed), 0.3 * rng.normal(size=LINKS - 1)])
        state, torque = point[: 2 * HALF].copy(), point[2 * HALF :].copy()
        implicit_derivatives(model, space, state, torque, 0.01, substeps, after, by_state, by_torque)
        np.testing.assert_allclose(after, stepped(point), rtol=1e-10)
        agree(np.c_[by_state, by_torque], central_differences(stepped, point, step))


@pytest.mark.parametrize("medium", [None, *MEDIA])
@pytest.mark.parametrize("links", [4, 12])
def test_the_implicit_matrix_needs_no_pivoting(medium, links):
    """Elements of |L| |U| stay of the size of the matrix itself, up to rates far beyond any plan."""
    rng = np.random.default_rng(5)
    model, space = model_in(medium, links, 2, joint_damping=0.02), implicit_work(links)
    for speed in (1.0, 10.0, 30.0):
        for _ in range(20):
            state, torque = random_state(rng, links, speed), rng.normal(size=links - 1)
            implicit_step(model, space, state, torque, 0.01, 1, np.empty(2 * links + 4))
            factors = space.work.matrix
            lower, upper = (
                np.tril(factors, -1) + np.eye(links + 2),
                np.triu(factors, 1) + np.diag(1 / factors.diagonal()),
            )
            assert upper.diagonal().min() > 0.0
            assert (np.abs(lower) @ np.abs(upper)).max() < 10.0 * np.abs(lower @ upper).max()
