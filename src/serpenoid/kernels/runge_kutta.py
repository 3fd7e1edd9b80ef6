"""Fixed-step RK4 with Kahan summation, of single runs (floats) and of batches (wide vectors).

A system is a NamedTuple with all that its slope needs, working arrays included. It joins in where its slope is written:

    @slope_of(DrivenChain)
    @inner
    def driven_slope(system, stage, time, state, out):

out = d(state)/dt; stage is 0 at a step's start, 1 and 2 in its middle, 3 at its end (4: once more there, with the new
state). The slope may set parts of `state` that are given from outside, such as prescribed joints: it is a copy. What
holds for all stages of a step, such as the segment of a motion, the caller sets before the step.

The kernel that calls `runge_kutta_step` must stand in the module of the slope, or import it: it is then compiled anew
when the slope changes. The step itself is compiled into it and cached nowhere else.
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
    carry: NDArray  # what rounding has cost the state so far


@kernel
def new_stages(size):
    """Fresh arrays for a state of so many numbers."""
    return Stages(np.empty(size), np.empty(size), np.empty(size), np.zeros(size))


def slope_of(record: type) -> Callable[[Any], Any]:
    """Register a compiled function as the slope of systems of one record class."""

    def register(law: Any) -> Any:
        SLOPES[record] = law
        return law

    return register


def slope(system, stage, time, state, out):
    """d(state)/dt of a system; see the module."""
    SLOPES[type(system)](system, stage, time, state, out)


@overload(slope, jit_options=CHOSEN)
def choose_slope(system, stage, time, state, out):
    law = SLOPES[system.instance_class]

    def chosen(system, stage, time, state, out):
        law(system, stage, time, state, out)

    return chosen


@register_jitable(**CHOSEN)
def runge_kutta_step(system, stages, time, step, state, evaluations):
    """One RK4 step in place; with 5 `evaluations` instead of 4 the slope at the step's end is left in stages.slope.

    The slope stands at one place, in a loop: compiled code contains it once. Cached nowhere by itself, because this
    file does not import the slopes.
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
    """The first stage's state, and nothing summed yet."""
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
    """Move the state on by the sum of the slopes; what each sum loses to rounding is carried into the next (Kahan)."""
    for i in range(state.size):
        state[i], stages.carry[i] = compensated_sum(state[i], stages.carry[i], step / 6.0 * stages.total[i])
        stages.trial[i] = state[i]


@exact_kernel
def compensated_sum(value, carry, change):
    """(value + change, new carry): the carry is what the last sum had too much."""
    wanted = change - carry
    result = value + wanted
    return result, (result - value) - wanted


@inner
def sound(state, count):
    """Whether the first `count` numbers of a state are finite and not absurd; accounts behind them may be large."""
    good = True
    for i in range(count):
        good = good and abs(state[i]) < LARGEST
    return good
