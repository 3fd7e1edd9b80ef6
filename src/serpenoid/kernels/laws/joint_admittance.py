"""Joint-space admittance: every joint yields independently about the angles of a shape law, (3.7)."""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

from numba.extending import register_jitable
from numpy.typing import NDArray

from serpenoid.kernels.compile import bare_kernel
from serpenoid.kernels.laws.shape import HELD, TICKS, felt_torque, shape_numbers, shape_places, shape_start, shape_tick
from serpenoid.kernels.laws.shape_records import ShapeLaw


class JointAdmittanceLaw(NamedTuple):
    """M x'' + B x' + K x = sign tau_ext for every joint; x is its deviation from the nominal angle."""

    shape: ShapeLaw  # provides the nominal angles
    carry: NDArray  # (4,) exact solution over a period: x and x' from x and x'
    push: NDArray  # (2,) and from the torque, constant over the period
    sign: float  # +1 yields, -1 resists


@register_jitable
def joint_admittance_numbers(law):
    """Count the numbers of the memory: those of the shape, then deviations and their rates, (J,) each."""
    return shape_numbers(law.shape) + 2 * law.shape.place.size


@bare_kernel
def joint_admittance_start(law, memory):
    """Start without deviations."""
    memory[:] = 0.0
    shape_start(law.shape, memory)


@bare_kernel
def joint_admittance_tick(law, memory, sensed, target):
    """Advance (3.7) by one period with damping on the deviation: a free joint follows its nominal angle without lag."""
    joints, shape = law.shape.place.size, law.shape
    own = shape_numbers(shape)
    good = True
    for joint in range(joints):
        good = good and (shape.moved[joint] != 1 or isfinite(sensed.torque[joint]))
    if good:
        begun = memory[TICKS] > 0.0
        shape_tick(shape, memory, sensed, target)
    else:
        begun = False
        for joint in range(joints):
            target[joint] = memory[shape_places(shape).target + joint]
    memory[HELD] = 0.0 if good else 1.0
    for joint in range(joints):
        if shape.moved[joint] == 1:
            x, rate = memory[own + joint], memory[own + joints + joint]
            if begun:
                torque = law.sign * felt_torque(shape, sensed.torque[joint])
                memory[own + joint] = law.carry[0] * x + law.carry[1] * rate + law.push[0] * torque
                memory[own + joints + joint] = law.carry[2] * x + law.carry[3] * rate + law.push[1] * torque
            angle = target[joint] + memory[own + joint]
            target[joint] = min(max(angle, -shape.angle_limit), shape.angle_limit)
