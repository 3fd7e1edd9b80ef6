"""A quadratic cost of state and control, the planner's check against the Riccati equation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.kernels.compile import kernel
from serpenoid.kernels.ilqr.costs import register


class Quadratic(NamedTuple):
    """x^T Q x / 2 + u^T R u / 2."""

    state_weight: np.ndarray
    control_weight: np.ndarray


@kernel
def quadratic_value(term, knot):
    total = 0.0
    for i in range(knot.state.size):
        for j in range(knot.state.size):
            total += 0.5 * knot.state[i] * term.state_weight[i, j] * knot.state[j]
    for i in range(knot.torque.size):
        for j in range(knot.torque.size):
            total += 0.5 * knot.torque[i] * term.control_weight[i, j] * knot.torque[j]
    return total


@kernel
def quadratic_expand(term, knot, gradient, hessian):
    n = knot.state.size
    for i in range(n):
        for j in range(n):
            gradient[i] += term.state_weight[i, j] * knot.state[j]
            hessian[i, j] += term.state_weight[i, j]
    for i in range(knot.torque.size):
        for j in range(knot.torque.size):
            gradient[n + i] += term.control_weight[i, j] * knot.torque[j]
            hessian[n + i, n + j] += term.control_weight[i, j]


register(Quadratic, quadratic_value, quadratic_expand)
