"""Inputs, working arrays and results of a solve."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.ilqr.backward import Riccati, new_riccati, pad_size
from serpenoid.kernels.ilqr.costs import MOST_RESIDUALS, Knot
from serpenoid.kernels.ilqr.curvature import Curvature, new_curvature
from serpenoid.kernels.ilqr.dynamics import CYCLIC
from serpenoid.kernels.simd import WIDTH, allocate_aligned


class Task(NamedTuple):
    """Inputs of a solve besides dynamics and costs."""

    time: float  # of the first knot [s]
    step: float  # between knots [s]
    lower: NDArray  # (controls,)
    upper: NDArray  # (controls,)
    damping: NDArray  # (states,) weights of the regularisation
    floor: float  # smallest regularisation
    nudge: NDArray  # (horizon, controls) torque that leaves a stationary start; zeros keep it
    iterations: int  # limit
    curved_from: int  # iteration from which, at the latest, the dynamics' curvature is used; never if >= `iterations`
    tolerance: float  # stop if the predicted descent is below this fraction of the cost
    deadline: float  # [s] of the clock, inf for none


class Vectors(NamedTuple):
    """Arrays for four trial plans in the line search, or for four knots in the derivatives."""

    states: NDArray  # (horizon + 1, states, 4)
    controls: NDArray  # (horizon, controls, 4)
    deviation: NDArray  # (states, 4) from the plan
    length: NDArray  # (1, 4) of the step
    state: NDArray  # (states, 4) of four knots
    control: NDArray  # (controls, 4)
    jacobian: NDArray  # (states, padded, 4)


class Work(NamedTuple):
    """Plan and all arrays of a solve; one set per thread, reused between solves."""

    start: NDArray  # (states,) start of the plan
    states: NDArray  # (horizon + 1, states)
    controls: NDArray  # (horizon, controls)
    gains: NDArray  # (horizon, controls, padded states) of the last backward pass
    feedforward: NDArray  # (horizon, controls)
    memory: NDArray  # (3,) regularisation, its rate of change, last step length; kept between solves
    trial_states: NDArray
    trial_controls: NDArray
    jacobians: NDArray  # (horizon, states, padded) of the dynamics by non-cyclic states and controls
    vectors: Vectors
    riccati: Riccati
    curvature: Curvature
    no_torque: NDArray  # (controls,) zeros
    clock: NDArray  # (2,) int64
    knot: Knot
    dynamics: Any  # working arrays of the dynamics, four at a time


class Outcome(NamedTuple):
    """Result of a solve."""

    status: int
    iterations: int  # completed
    cost: float
    seconds: float


def new_work(horizon: int, states: int, controls: int, reach: NDArray, dynamics: Any, cyclic: int = CYCLIC) -> Work:
    """Allocate the arrays; `reach` (points, links) defines the ends of the links, (0, 0) without a chain.

    The dynamics do not depend on the first `cyclic` states.
    """
    z, links = states + controls, reach.shape[1]
    wide, width = pad_size(states), pad_size(z - cyclic)
    knot = Knot(
        state=np.zeros(states),
        torque=np.zeros(controls),
        time=0.0,
        final=False,
        points=np.zeros((reach.shape[0], 2)),
        direction=np.zeros((links, 2)),
        reach=np.ascontiguousarray(reach),
        jacobian=np.zeros((2, links)),
        curvature=np.zeros(links),
        columns=np.zeros((MOST_RESIDUALS, z + 1)),
    )
    four = Vectors(
        states=allocate_aligned((horizon + 1, states, WIDTH)),
        controls=allocate_aligned((horizon, controls, WIDTH)),
        deviation=allocate_aligned((states, WIDTH)),
        length=allocate_aligned((1, WIDTH)),
        state=allocate_aligned((states, WIDTH)),
        control=allocate_aligned((controls, WIDTH)),
        jacobian=allocate_aligned((states, width, WIDTH)),
    )
    return Work(
        start=np.zeros(states),
        states=np.zeros((horizon + 1, states)),
        controls=np.zeros((horizon, controls)),
        gains=allocate_aligned((horizon, controls, wide)),
        feedforward=np.zeros((horizon, controls)),
        memory=np.array([0.0, 1.0, 1.0]),
        trial_states=np.zeros((horizon + 1, states)),
        trial_controls=np.zeros((horizon, controls)),
        jacobians=allocate_aligned((pad_size(horizon), states, width)),
        vectors=four,
        riccati=new_riccati(states, controls, cyclic),
        curvature=new_curvature(horizon, states, controls, cyclic),
        no_torque=np.zeros(controls),
        clock=np.zeros(2, dtype=np.int64),
        knot=knot,
        dynamics=dynamics,
    )
