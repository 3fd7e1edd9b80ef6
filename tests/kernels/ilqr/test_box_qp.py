"""Small quadratic programs in a box: optimality conditions, from any start, also for ill-conditioned matrices."""

import numpy as np
import pytest

from serpenoid.kernels.ilqr.box_qp import solve_box


@pytest.mark.parametrize("size", [1, 4, 9])
def test_the_solution_is_the_minimum(size):
    rng = np.random.default_rng(size)
    for _ in range(500):
        root = rng.normal(size=(size, size)) * 10.0 ** rng.uniform(-2.0, 1.0, size)
        hessian = root @ root.T + 1e-3 * np.eye(size)
        gradient = rng.normal(size=size)
        lower, upper = -rng.uniform(0.0, 2.0, size), rng.uniform(0.0, 2.0, size)
        solution, free = rng.uniform(-2.0, 2.0, size), np.ones(size, np.int64)
        assert solve_box(hessian, gradient, lower, upper, solution, free, np.zeros((size, size)), np.zeros((2, size)))
        slope = gradient + hessian @ solution
        missing = solution - np.clip(solution - slope, lower, upper)
        assert np.abs(missing).max() < 1e-6 * (1.0 + np.abs(gradient).max())


def test_a_long_step_that_leads_uphill_once_cut_back_is_shortened():
    """Knot of a plan on dry ground, where the first step clipped to the box raises the value by 1.5."""
    hessian = np.array(
        [[0.46, -1.207, 1.311, 0.165], [-1.207, 3.516, -3.846, -0.426], [1.311, -3.846, 4.301, 0.386],
         [0.165, -0.426, 0.386, 0.27]]
    )  # fmt: skip
    gradient = np.array([0.335, -1.187, 1.243, 0.148])
    lower, upper = np.array([-1.16, -1.784, -1.232, -1.408]), np.array([0.84, 0.216, 0.768, 0.592])
    solution, free = np.zeros(4), np.ones(4, np.int64)
    assert solve_box(hessian, gradient, lower, upper, solution, free, np.zeros((4, 4)), np.zeros((2, 4)))
    assert gradient @ solution + 0.5 * solution @ hessian @ solution < -0.2
