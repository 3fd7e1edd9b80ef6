"""Open loop as a law: the angles of a motion, once a period, whatever is sensed."""

from __future__ import annotations

from typing import NamedTuple

from numba.extending import register_jitable

from serpenoid.kernels.compile import inner
from serpenoid.kernels.motion import joint_motion, motion_segment
from serpenoid.kernels.records import Motion


class OpenLoopLaw(NamedTuple):
    """A motion as position targets."""

    motion: Motion


@register_jitable
def open_loop_numbers(law):
    """Nothing is remembered; one number, because no array is empty."""
    return 1


@inner
def open_loop_start(law, memory):
    """Nothing to remember."""
    memory[0] = 0.0


@inner
def open_loop_tick(law, memory, sensed, target):
    """target_j = q_j(t) of the motion [rad]."""
    segment = motion_segment(law.motion, sensed.time)
    for joint in range(target.size):
        target[joint], _, _ = joint_motion(law.motion, segment, sensed.time, joint)
