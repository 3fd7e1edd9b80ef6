"""What a solve is given, the arrays it works in, and what it tells."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.ilqr.backward import Riccati, new_riccati, padded
from serpenoid.kernels.ilqr.costs import MOST_RESIDUALS, Knot
from serpenoid.kernels.ilqr.curvature import Curvature, new_curvature
from serpenoid.kernels.ilqr.dynamics import CYCLIC
from serpenoid.kernels.simd import WIDTH, aligned


class Task(NamedTuple):
    """What a solve is given beside dynamics and costs."""

    time: float  # of the first knot [s]
    step: float  # between knots [s]
    lower: NDArray  # (controls,)
    upper: NDArray  # (controls,)
    damping: NDArray  # (states,) weights of the regularisation
    floor: float  # least regularisation
    nudge: NDArray  # (horizon, controls) torque that leaves a stationary start; zeros: stay
    iterations: int  # at most
    curved_from: int  # iterations after which, at the latest, the dynamics' curvature counts; not at all if no fewer
    tolerance: float  # stop where the promised descent is below this share of the cost
    deadline: float  # [s] of the clock, inf for none


class Vectors(NamedTuple):
    """Four at a time: trial plans of four lengths of step in the line search, or four knots for the derivatives."""

    states: NDArray  # (horizon + 1, states, 4)
    controls: NDArray  # (horizon, controls, 4)
    deviation: NDArray  # (states, 4) from the plan
    length: NDArray  # (1, 4) of the step
    state: NDArray  # (states, 4) of four knots
    control: NDArray  # (controls, 4)
    jacobian: NDArray  # (states, padded, 4)


class Work(NamedTuple):
    """The plan and all arrays of a solve; one set per thread, kept from solve to solve."""

    start: NDArray  # (states,) from which to plan
    states: NDArray  # (horizon + 1, states)
    controls: NDArray  # (horizon, controls)
    gains: NDArray  # (horizon, controls, padded states) of the last backward pass
    feedforward: NDArray  # (horizon, controls)
    memory: NDArray  # (3,) regularisation, its rate of change, last length of a step; carried from solve to solve
    trial_states: NDArray
    trial_controls: NDArray
    jacobians: NDArray  # (horizon, states, padded) of the dynamics by non-cyclic states and controls
    vectors: Vectors
    riccati: Riccati
    curvature: Curvature
    no_torque: NDArray  # (controls,) zeros
    clock: NDArray  # (2,) int64
    knot: Knot
    dynamics: Any  # the working arrays of the dynamics, four at a time


class Outcome(NamedTuple):
    """How a solve went."""

    status: int
    iterations: int  # completed
    cost: float
    seconds: float


def new_work(horizon: int, states: int, controls: int, reach: NDArray, dynamics: Any) -> Work:
    """Fresh arrays; `reach` (points, links) places the ends of the links, (0, 0) where there is no chain."""
    z, links = states + controls, reach.shape[1]
    wide, width = padded(states), padded(z - CYCLIC)
    knot = Knot(
        np.zeros(states), np.zeros(controls), 0.0, False, np.zeros((reach.shape[0], 2)), np.zeros((links, 2)),
        np.ascontiguousarray(reach), np.zeros((2, links)), np.zeros(links), np.zeros((MOST_RESIDUALS, z + 1)),
    )  # fmt: skip
    four = Vectors(
        aligned((horizon + 1, states, WIDTH)), aligned((horizon, controls, WIDTH)), aligned((states, WIDTH)),
        aligned((1, WIDTH)), aligned((states, WIDTH)), aligned((controls, WIDTH)), aligned((states, width, WIDTH)),
    )  # fmt: skip
    return Work(
        np.zeros(states), np.zeros((horizon + 1, states)), np.zeros((horizon, controls)),
        aligned((horizon, controls, wide)), np.zeros((horizon, controls)), np.array([0.0, 1.0, 1.0]),
        np.zeros((horizon + 1, states)), np.zeros((horizon, controls)),
        aligned((padded(horizon), states, width)), four, new_riccati(states, controls),
        new_curvature(horizon, states, controls), np.zeros(controls), np.zeros(2, dtype=np.int64), knot, dynamics,
    )  # fmt: skip
