"""Fixed-step RK4 with Kahan summation, for single runs (floats) and batches (wide vectors).

A system is a NamedTuple with everything that its slope needs, working arrays included. Register its slope with:

    @slope_of(DrivenChain)
    @inner
    def driven_slope(system, stage, time, state, out):

The slope writes out = d(state)/dt. The stage is 0 at a step's start, 1 and 2 in its middle, 3 at its end. Stage 4
repeats the evaluation at the end with the new state. `state` is a copy, so the slope may set prescribed parts of it,
such as joints. The caller sets values that are constant within a step, such as the segment of a motion, before the
step.

The kernel that calls `runge_kutta_step` must be in the slope's module or import it, so that it is recompiled when the
slope changes. The step itself is compiled into that kernel and is not cached elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload, register_jitable
from numpy.typing import NDArray

from serpenoid.kernels.compile import CHOSEN, exact_kernel, inner, kernel

LARGEST = 1e6  # a state beyond this [m, rad, m/s, rad/s] has diverged
SLOPES: dict[type, Any] = {}


class Stages(NamedTuple):
    """Arrays of a Runge-Kutta step, each (numbers of the state,)."""

    trial: NDArray  # state of the stage
    slope: NDArray  # its derivative
    total: NDArray  # weighted sum of slopes
    carry: NDArray  # accumulated rounding error of the state


@kernel
def new_stages(size):
    """Allocate the arrays for a state of `size` numbers."""
    return Stages(np.empty(size), np.empty(size), np.empty(size), np.zeros(size))


def slope_of(record: type) -> Callable[[Any], Any]:
    """Register a compiled function as the slope of systems of one record class."""

    def register(law: Any) -> Any:
        SLOPES[record] = law
        return law

    return register


def slope(system, stage, time, state, out):
    """Write d(state)/dt of a system; see the module."""
    SLOPES[type(system)](system, stage, time, state, out)


@overload(slope, jit_options=CHOSEN)
def choose_slope(system, stage, time, state, out):
    law = SLOPES[system.instance_class]

    def chosen(system, stage, time, state, out):
        law(system, stage, time, state, out)

    return chosen


@register_jitable(**CHOSEN)
def runge_kutta_step(system, stages, time, step, state, evaluations):
    """Advance a system by one RK4 step in place.

    With 5 `evaluations` instead of 4, stages.slope holds the slope at the step's end. The slope is called at one point,
    in a loop, so compiled code contains it once. This function is not cached separately, because this file does not
    import the slopes.
    """
    begin(stages, state)
    for stage in range(evaluations):
        reach = (0.0, 0.5, 0.5, 1.0, 1.0)[stage] * step
        slope(system, stage, time + reach, stages.trial, stages.slope)
        accumulate(stages, state, stage, step)
        if stage == 3:
            finish(stages, state, step)


@inner
def begin(stages, state):
    """Set the first stage's state and clear the sum."""
    for i in range(state.size):
        stages.trial[i] = state[i]
        stages.total[i] = 0.0


@inner
def accumulate(stages, state, stage, step):
    """Add a stage's slope with its weight 1, 2, 2, 1 and set the next stage's state."""
    weight = 1.0 if stage == 0 or stage == 3 else 2.0
    reach = step if stage == 2 else 0.5 * step
    for i in range(state.size):
        stages.total[i] += weight * stages.slope[i]
        stages.trial[i] = state[i] + reach * stages.slope[i]


@inner
def finish(stages, state, step):
    """Advance the state by the sum of the slopes; add the rounding error of each sum to the next one (Kahan)."""
    for i in range(state.size):
        state[i], stages.carry[i] = compensated_sum(state[i], stages.carry[i], step / 6.0 * stages.total[i])
        stages.trial[i] = state[i]


@exact_kernel
def compensated_sum(value, carry, change):
    """Return (value + change, new carry); the carry is the excess of the last sum."""
    wanted = change - carry
    result = value + wanted
    return result, (result - value) - wanted


@inner
def is_bounded(state, count):
    """Return whether the first `count` numbers of a state are below LARGEST; accounts after them may be large.

    `&` evaluates both sides, unlike `and`, so the loop vectorises.
    """
    good = True
    for i in range(count):
        good = good & (abs(state[i]) < LARGEST)
    return good
