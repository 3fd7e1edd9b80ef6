"""Compiled control laws: their readings, their memory, and the functions that implement the record of each law.

Register a law by one line in the table below, which maps the class of its record to three functions. The record is a
NamedTuple, one class for all configurations of a law. None of the functions may allocate.

    numbers(law) -> size of its memory; also callable from Python (register_jitable)
    start(law, memory)
        Fill the flat memory (float64) for the first tick.
    tick(law, memory, sensed, target)
        Advance by one period: read `sensed`, change the memory in place, write target (joints,), in
        [rad] or [N m] as its controller states; NaN = not commanded.

Our engines call start_law and tick_law inside their compiled rollouts; control/kernel_law.py calls law_start and
law_tick once per period from Python. Compiled callers are cached under the stamp of this file and of everything it
imports. A law's module must therefore be imported here.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba.extending import overload

from serpenoid.kernels.compile import CHOSEN, bare_kernel
from serpenoid.kernels.laws.cpg import CpgLaw, cpg_numbers, cpg_start, cpg_tick
from serpenoid.kernels.laws.joint_admittance import (
    JointAdmittanceLaw,
    joint_admittance_numbers,
    joint_admittance_start,
    joint_admittance_tick,
)
from serpenoid.kernels.laws.joint_policy import (
    JointPolicyLaw,
    joint_policy_numbers,
    joint_policy_start,
    joint_policy_tick,
)
from serpenoid.kernels.laws.open_loop import OpenLoopLaw, open_loop_numbers, open_loop_start, open_loop_tick
from serpenoid.kernels.laws.sensed import Sensed
from serpenoid.kernels.laws.shape import shape_numbers, shape_start, shape_tick
from serpenoid.kernels.laws.shape_records import ShapeLaw
from serpenoid.kernels.laws.wave_policy import (
    WavePolicyLaw,
    wave_policy_numbers,
    wave_policy_start,
    wave_policy_tick,
)

__all__ = [
    "LAWS",
    "LawFunctions",
    "Sensed",
    "law_numbers",
    "law_start",
    "law_tick",
    "law_ticks",
    "start_law",
    "tick_law",
]


class LawFunctions(NamedTuple):
    """Compiled functions of a law."""

    numbers: Any
    start: Any
    tick: Any


LAWS: dict[type, LawFunctions] = {
    OpenLoopLaw: LawFunctions(open_loop_numbers, open_loop_start, open_loop_tick),
    ShapeLaw: LawFunctions(shape_numbers, shape_start, shape_tick),
    JointAdmittanceLaw: LawFunctions(joint_admittance_numbers, joint_admittance_start, joint_admittance_tick),
    CpgLaw: LawFunctions(cpg_numbers, cpg_start, cpg_tick),
    JointPolicyLaw: LawFunctions(joint_policy_numbers, joint_policy_start, joint_policy_tick),
    WavePolicyLaw: LawFunctions(wave_policy_numbers, wave_policy_start, wave_policy_tick),
}


def law_numbers(law):
    """Return the size of a law's memory."""
    return LAWS[type(law)].numbers(law)


def start_law(law, memory):
    """Fill the memory for the first tick; see the module."""
    LAWS[type(law)].start(law, memory)


def tick_law(law, memory, sensed, target):
    """Advance a law by one period; see the module."""
    LAWS[type(law)].tick(law, memory, sensed, target)


@overload(law_numbers, jit_options=CHOSEN)
def choose_numbers(law):
    numbers = LAWS[law.instance_class].numbers
    return lambda law: numbers(law)


@overload(start_law, jit_options=CHOSEN)
def choose_start(law, memory):
    start = LAWS[law.instance_class].start

    def chosen(law, memory):
        start(law, memory)

    return chosen


@overload(tick_law, jit_options=CHOSEN)
def choose_tick(law, memory, sensed, target):
    tick = LAWS[law.instance_class].tick

    def chosen(law, memory, sensed, target):
        tick(law, memory, sensed, target)

    return chosen


@bare_kernel
def law_start(law, memory):
    """Call `start_law` from Python."""
    start_law(law, memory)


@bare_kernel
def law_tick(law, memory, sensed, target):
    """Call `tick_law` from Python."""
    tick_law(law, memory, sensed, target)


@bare_kernel
def law_ticks(law, memory, sensed, target, count):
    """Run many ticks with the same readings from Python, to measure the cost of a law in a rollout."""
    for _ in range(count):
        tick_law(law, memory, sensed, target)
