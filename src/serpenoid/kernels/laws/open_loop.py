"""Open-loop law: the joint angles of a motion, once per period, independent of the readings."""

from __future__ import annotations

from typing import NamedTuple

from numba.extending import register_jitable

from serpenoid.kernels.compile import inner
from serpenoid.kernels.motion import joint_motion, motion_segment
from serpenoid.kernels.records import Motion


class OpenLoopLaw(NamedTuple):
    """Motion whose joint angles are position targets."""

    motion: Motion


@register_jitable
def open_loop_numbers(law):
    """Return 1: the law has no memory, but arrays must not be empty."""
    return 1


@inner
def open_loop_start(law, memory):
    """Clear the unused memory."""
    memory[0] = 0.0


@inner
def open_loop_tick(law, memory, sensed, target):
    """Write target_j = q_j(t) of the motion [rad]."""
    segment = motion_segment(law.motion, sensed.time)
    for joint in range(target.size):
        target[joint], _, _ = joint_motion(law.motion, segment, sensed.time, joint)
