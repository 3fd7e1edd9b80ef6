"""Chain of coupled phase oscillators, one per joint, with feedback of the joint torques.

The angle is theta_i = a_i sin(phi_i). The amplitude a_i and the local spatial frequency omega_i between joints i and i
+ 1 are damped springs about their nominal values. The coupling pulls the phases to the differences given by omega_i:

    phi_i' = -omega_T + coupling sum over neighbours j of sin(phi_j - phi_i - d_ij) + gain a_i cos(phi_i) tau_i
    M a'' + B a' + K (a - a_0) = sin(phi_i) tau_i + bias,    d_i,i+1 = omega_i ds
    M omega'' + B omega' + K (omega - omega_0) = ds / 2 (a_i+1 cos(phi_i+1) tau_i+1 - a_i cos(phi_i) tau_i)

tau is the torque of the environment. Only neighbours share information, in space and in time.
"""

from __future__ import annotations

from math import cos, isfinite, nan, sin
from typing import NamedTuple

from numba.extending import register_jitable
from numpy.typing import NDArray

from serpenoid.kernels.compile import bare_kernel, inner

TICKS, HELD, START = range(3)
AMPLITUDE, WAVE = range(2)


class CpgLaw(NamedTuple):
    """Oscillators of n joints; the rows of the admittance are amplitude and spatial frequency."""

    joints: NDArray  # (n,) joints from head to tail, int64
    place: NDArray  # (n,) arc coordinate s of each, in body lengths
    commanded: NDArray  # (J,) 1 along the body, else 0, int64
    nominal: NDArray  # (2,) [rad, rad/body]
    carry: NDArray  # (2, 4)
    push: NDArray  # (2, 2)
    sign: NDArray  # (2,)
    bias: NDArray  # (2,)
    low: NDArray  # (2,)
    high: NDArray  # (2,)
    speed: float  # omega_T [rad/s]
    coupling: float  # [1/s]
    gain: float  # of the phase feedback [1/(N m s rad)]
    period: float  # [s]
    angle_limit: float  # [rad]
    phase: float  # initial phase of the wave [rad]


@register_jitable
def cpg_numbers(law):
    """Count the numbers of the memory.

    They are phases (n,), amplitudes and spatial frequencies with their rates, (2, n) each, scratch (n,), and targets.
    """
    return START + 6 * law.joints.size + law.commanded.size


@bare_kernel
def cpg_start(law, memory):
    """Set the nominal wave at its initial phase."""
    memory[:] = 0.0
    for i in range(law.joints.size):
        memory[START + i] = law.nominal[WAVE] * law.place[i] - law.phase
    write_cpg(law, memory)


@bare_kernel
def cpg_tick(law, memory, sensed, target):
    """Advance by one period; a NaN reading repeats the last command."""
    good = True
    for i in range(law.joints.size):
        good = good and isfinite(sensed.torque[law.joints[i]])
    memory[HELD] = 0.0 if good else 1.0
    if good:
        if memory[TICKS] > 0.0:
            turn_phases(law, memory, sensed)
            yield_locally(law, memory, sensed)
        write_cpg(law, memory)
        memory[TICKS] += 1.0
    for joint in range(target.size):
        target[joint] = memory[START + 6 * law.joints.size + joint]


@inner
def cpg_value(law, memory, row, i):
    """Return the amplitude of joint i or the spatial frequency behind it."""
    return law.nominal[row] + memory[START + (1 + 2 * row) * law.joints.size + i]


@inner
def turn_phases(law, memory, sensed):
    """Compute the phase rates of a period from the previous state (Euler)."""
    n = law.joints.size
    for i in range(n):
        phase = memory[START + i]
        rate = -law.speed
        if i > 0:
            wanted = cpg_value(law, memory, WAVE, i - 1) * (law.place[i] - law.place[i - 1])
            rate += law.coupling * sin(memory[START + i - 1] - phase + wanted)
        if i + 1 < n:
            wanted = cpg_value(law, memory, WAVE, i) * (law.place[i + 1] - law.place[i])
            rate += law.coupling * sin(memory[START + i + 1] - phase - wanted)
        rate -= law.gain * cpg_value(law, memory, AMPLITUDE, i) * cos(phase) * sensed.torque[law.joints[i]]
        memory[START + 5 * n + i] = rate


@inner
def yield_locally(law, memory, sensed):
    """Advance amplitudes and spatial frequencies by a period with forces of the previous state, then the phases."""
    n = law.joints.size
    ahead = 0.0  # force on the phase of the joint in front
    for i in range(n):
        torque = -sensed.torque[law.joints[i]]
        swing = cpg_value(law, memory, AMPLITUDE, i) * cos(memory[START + i]) * torque
        if i > 0:
            half = 0.5 * (law.place[i] - law.place[i - 1])
            yield_to(law, memory, WAVE, i - 1, half * (swing - ahead))
        ahead = swing
        yield_to(law, memory, AMPLITUDE, i, sin(memory[START + i]) * torque)
    for i in range(n):
        memory[START + i] += law.period * memory[START + 5 * n + i]


@inner
def yield_to(law, memory, row, i, force):
    """Advance one damped spring by a period, exactly for a constant force, within its limits."""
    n = law.joints.size
    at = START + (1 + 2 * row) * n + i
    x, rate, total = memory[at], memory[at + n], law.sign[row] * force + law.bias[row]
    memory[at] = law.carry[row, 0] * x + law.carry[row, 1] * rate + law.push[row, 0] * total
    memory[at + n] = law.carry[row, 2] * x + law.carry[row, 3] * rate + law.push[row, 1] * total
    value = law.nominal[row] + memory[at]
    kept = min(max(value, law.low[row]), law.high[row])
    if kept != value:
        memory[at] = kept - law.nominal[row]
        memory[at + n] = 0.0


@inner
def write_cpg(law, memory):
    """Write the targets: the oscillators' angles, zero for other joints along the body, NaN for joints off it."""
    n = law.joints.size
    first = START + 6 * n
    for joint in range(law.commanded.size):
        memory[first + joint] = 0.0 if law.commanded[joint] == 1 else nan
    for i in range(n):
        angle = cpg_value(law, memory, AMPLITUDE, i) * sin(memory[START + i])
        memory[first + law.joints[i]] = min(max(angle, -law.angle_limit), law.angle_limit)
