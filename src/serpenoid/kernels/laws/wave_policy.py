"""Learned modulation of a wave: one network, shared by all joints, changes the wave at every joint.

The angle of joint i is a_i sin(phi_i) + g_i tau_i / TORQUE. The phases turn at the speed of the wave times a factor r.
The local spatial frequency w_i between joints i and i + 1, at s_i, gives the phase differences of the coupling:

    phi_i' = -omega r + coupling sum over neighbours j of sin(phi_j - phi_i - d_ij) + u_phase,i - e
    a_i = a_0 + x_amplitude,i,    w_i = w_0 + x_wave,i,    g_i = x_yield,i,    r = clip(1 + mean u_speed,i, -1, 1)

Each x follows its output u of the network as a second-order filter. e limits the mean of phi_i' to omega in size, so
that the policy cannot gain by a faster wave. The inputs are products with sin(phi_i) and
cos(phi_i), which a reflection of the robot does not change. The law is therefore symmetric by construction.
"""

from __future__ import annotations

from math import cos, isfinite, nan, sin
from typing import NamedTuple

from numba.extending import register_jitable
from numpy.typing import NDArray

from serpenoid.kernels.compile import bare_kernel, inner
from serpenoid.kernels.laws.network import Network, hidden_layer, network_output, normalise

TICKS, HELD, SPEED, SLOW, START = 0, 1, 2, 3, 6  # SLOW: load, drag and effort, low-passed
TORQUE = 5.0  # unit of torques in inputs [N m]
# Inputs of one joint; see control/learned.py. OWN x 3 neighbours (itself, in front, behind), then those of the body.
LOAD, DRAG, ERROR_LOAD, ERROR_DRAG, RATE_LOAD, RATE_DRAG, OWN = range(7)
LOAD_MEAN, DRAG_MEAN, EFFORT, LOAD_SLOW, DRAG_SLOW, EFFORT_SLOW, PLACE, PACE, HIGH, SHORT, RAW, SINE, COSINE = range(
    3 * OWN, 3 * OWN + 13
)
AMPLITUDE, WAVE, YIELD, PHASE, FASTER, OUTPUTS = range(6)
FILTERED = 3  # outputs that a filter smooths


class WavePolicyLaw(NamedTuple):
    """Wave of n joints and the network that modulates it."""

    joints: NDArray  # (n,) joints from head to tail, int64
    place: NDArray  # (n,) arc coordinate s of each, in body lengths
    commanded: NDArray  # (J,) 1 along the body, else 0, int64
    inputs: NDArray  # (inputs,) kinds of the inputs, int64
    outputs: NDArray  # (OUTPUTS,) row of each output in the network, -1 if it is not modulated, int64
    network: Network
    nominal: NDArray  # (2,) amplitude and spatial frequency [rad, rad/body]
    low: NDArray  # (2,)
    high: NDArray  # (2,)
    carry: NDArray  # (FILTERED, 4) filters over a period: x and x' from x and x'
    push: NDArray  # (FILTERED, 2) and from the output
    speed: float  # omega [rad/s]
    coupling: float  # [1/s]
    forget: float  # share of the slow means that a tick replaces
    period: float  # [s]
    angle_limit: float  # [rad]
    phase: float  # initial phase of the wave [rad]


@register_jitable
def wave_policy_numbers(law):
    """Count the numbers of the memory.

    In this order:

    - phases (n,), filters with their rates (FILTERED, 2, n), products (OWN, n), phase rates and torques (n,) each,
    - targets (J,), inputs, hidden values,
    - the number, sums and sums of squares of the inputs over joints and ticks.
    """
    return moments_at(law) + 1 + 2 * law.inputs.size


@register_jitable
def moments_at(law):
    """Return the place of the number of inputs so far; their sums and those of their squares follow."""
    rows = START + (3 + 2 * FILTERED + OWN) * law.joints.size
    return rows + law.commanded.size + law.inputs.size + law.network.first.shape[0]


@bare_kernel
def wave_policy_start(law, memory):
    """Set the nominal wave at its initial phase."""
    memory[:] = 0.0
    memory[SPEED] = 1.0
    for i in range(law.joints.size):
        memory[START + i] = law.nominal[WAVE] * law.place[i] - law.phase
    write_angles(law, memory)


@bare_kernel
def wave_policy_tick(law, memory, sensed, target):
    """Advance by one period; a NaN reading repeats the last command."""
    good, n = True, law.joints.size
    for i in range(n):
        j = law.joints[i]
        good = good and isfinite(sensed.torque[j]) and isfinite(sensed.position[j]) and isfinite(sensed.velocity[j])
    memory[HELD] = 0.0 if good else 1.0
    if good:
        if memory[TICKS] > 0.0:
            multiply_readings(law, memory, sensed)
            modulate(law, memory)
            turn_phases(law, memory)
        write_angles(law, memory)
        memory[TICKS] += 1.0
    first = targets_at(law)
    for joint in range(target.size):
        target[joint] = memory[first + joint]


@inner
def filter_at(law, output, i):
    """Return the place of a filter's value in the memory; its rate is n further."""
    return START + (1 + 2 * output) * law.joints.size + i


@inner
def product_at(law, kind, i):
    """Return the place of a product of a reading with the wave."""
    return START + (1 + 2 * FILTERED + kind) * law.joints.size + i


@inner
def rate_at(law, i):
    """Return the place of a phase rate; the torque that a joint yields to is n further."""
    return START + (1 + 2 * FILTERED + OWN) * law.joints.size + i


@inner
def targets_at(law):
    """Return the place of the targets; inputs and hidden values follow."""
    return START + (3 + 2 * FILTERED + OWN) * law.joints.size


@inner
def multiply_readings(law, memory, sensed):
    """Write the products of readings with the wave, and update the slow means."""
    n, first = law.joints.size, targets_at(law)
    load, drag, effort = 0.0, 0.0, 0.0
    for i in range(n):
        j = law.joints[i]
        up, along = sin(memory[START + i]), cos(memory[START + i])
        torque = -sensed.torque[j] / TORQUE
        error, rate = memory[first + j] - sensed.position[j], sensed.velocity[j]
        memory[product_at(law, LOAD, i)] = torque * up
        memory[product_at(law, DRAG, i)] = torque * along
        memory[product_at(law, ERROR_LOAD, i)] = error * up
        memory[product_at(law, ERROR_DRAG, i)] = error * along
        memory[product_at(law, RATE_LOAD, i)] = rate * up
        memory[product_at(law, RATE_DRAG, i)] = rate * along
        memory[rate_at(law, i) + n] = torque
        load += torque * up / n
        drag += torque * along / n
        effort += abs(torque) / n
    memory[SLOW] += law.forget * (load - memory[SLOW])
    memory[SLOW + 1] += law.forget * (drag - memory[SLOW + 1])
    memory[SLOW + 2] += law.forget * (effort - memory[SLOW + 2])


@inner
def neighbour_input(law, memory, kind, i):
    """Return a product of joint i, of the one in front of it, or of the one behind it; 0 beyond the ends."""
    side, own = kind // OWN, kind % OWN
    at = i - 1 if side == 1 else (i + 1 if side == 2 else i)
    return memory[product_at(law, own, at)] if 0 <= at < law.joints.size else 0.0


@inner
def body_mean(law, memory, kind):
    """Return the mean over the joints of a product."""
    total = 0.0
    for i in range(law.joints.size):
        total += memory[product_at(law, kind, i)]
    return total / law.joints.size


@inner
def body_input(law, memory, kind, i, load, drag, effort):
    """Return an input that describes the whole body, or the wave at joint i."""
    if kind == LOAD_MEAN:
        return load
    if kind == DRAG_MEAN:
        return drag
    if kind == EFFORT:
        return effort
    if kind <= EFFORT_SLOW:
        return memory[SLOW + kind - LOAD_SLOW]
    if kind == PLACE:
        return 2.0 * law.place[i] - 1.0
    if kind == PACE:
        return memory[SPEED]
    if kind == HIGH:
        return memory[filter_at(law, AMPLITUDE, i)]
    if kind == SHORT:
        return memory[filter_at(law, WAVE, i)] / law.nominal[WAVE]
    if kind == RAW:
        return memory[rate_at(law, i) + law.joints.size]
    return sin(memory[START + i]) if kind == SINE else cos(memory[START + i])


@inner
def modulate(law, memory):
    """Evaluate the network at every joint; advance the filters, and write phase rates and the speed."""
    n, inputs, sums = law.joints.size, targets_at(law) + law.commanded.size, moments_at(law) + 1
    load, drag, effort = body_mean(law, memory, LOAD), body_mean(law, memory, DRAG), 0.0
    for i in range(n):
        effort += abs(memory[rate_at(law, i) + n]) / n
    faster, last = 0.0, inputs
    memory[sums - 1] += n
    for i in range(n):
        for k in range(law.inputs.size):
            kind = law.inputs[k]
            if kind < 3 * OWN:
                memory[inputs + k] = neighbour_input(law, memory, kind, i)
            else:
                memory[inputs + k] = body_input(law, memory, kind, i, load, drag, effort)
            memory[sums + k] += memory[inputs + k]
            memory[sums + law.inputs.size + k] += memory[inputs + k] ** 2
        normalise(law.network, memory, inputs)
        last = hidden_layer(law.network, memory, inputs, inputs + law.inputs.size)
        memory[rate_at(law, i)] = output_of(law, memory, last, PHASE)
        faster += output_of(law, memory, last, FASTER) / n
        for output in range(FILTERED):
            advance_filter(law, memory, output, i, output_of(law, memory, last, output))
    memory[SPEED] = min(max(1.0 + faster, -1.0), 1.0)


@inner
def output_of(law, memory, last, output):
    """Return an output of the network; 0 if it is not modulated."""
    row = law.outputs[output]
    return network_output(law.network, memory, last, row) if row >= 0 else 0.0


@inner
def advance_filter(law, memory, output, i, wanted):
    """Advance a filter by a period, exactly for a constant input, within the limits of its value."""
    at, n = filter_at(law, output, i), law.joints.size
    x, rate = memory[at], memory[at + n]
    memory[at] = law.carry[output, 0] * x + law.carry[output, 1] * rate + law.push[output, 0] * wanted
    memory[at + n] = law.carry[output, 2] * x + law.carry[output, 3] * rate + law.push[output, 1] * wanted
    if output < 2:
        value = law.nominal[output] + memory[at]
        kept = min(max(value, law.low[output]), law.high[output])
        if kept != value:
            memory[at] = kept - law.nominal[output]
            memory[at + n] = 0.0


@inner
def turn_phases(law, memory):
    """Advance the phases by a period (Euler), coupled to their neighbours; their mean is never faster than the wave."""
    n, mean = law.joints.size, 0.0
    for i in range(n):
        phase, rate = memory[START + i], memory[rate_at(law, i)] - law.speed * memory[SPEED]
        if i > 0:
            lag = (law.nominal[WAVE] + memory[filter_at(law, WAVE, i - 1)]) * (law.place[i] - law.place[i - 1])
            rate += law.coupling * sin(memory[START + i - 1] - phase + lag)
        if i + 1 < n:
            lag = (law.nominal[WAVE] + memory[filter_at(law, WAVE, i)]) * (law.place[i + 1] - law.place[i])
            rate += law.coupling * sin(memory[START + i + 1] - phase - lag)
        memory[rate_at(law, i)] = rate
        mean += rate / n
    excess = mean - min(max(mean, -law.speed), law.speed)
    for i in range(n):
        memory[START + i] += law.period * (memory[rate_at(law, i)] - excess)


@inner
def write_angles(law, memory):
    """Write the targets: the angles of the wave, zero for other joints along the body, NaN for joints off it."""
    first, n = targets_at(law), law.joints.size
    for joint in range(law.commanded.size):
        memory[first + joint] = 0.0 if law.commanded[joint] == 1 else nan
    for i in range(n):
        angle = (law.nominal[AMPLITUDE] + memory[filter_at(law, AMPLITUDE, i)]) * sin(memory[START + i])
        angle += memory[filter_at(law, YIELD, i)] * memory[rate_at(law, i) + n]
        memory[first + law.joints[i]] = min(max(angle, -law.angle_limit), law.angle_limit)
