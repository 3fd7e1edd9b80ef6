"""Learned map from readings to joint targets: one network whose outputs are all joint angles or torques."""

from __future__ import annotations

from math import cos, isfinite, sin
from typing import NamedTuple

from numba.extending import register_jitable
from numpy.typing import NDArray

from serpenoid.kernels.compile import bare_kernel, inner
from serpenoid.kernels.laws.network import Network, hidden_layer, network_output, normalise

TICKS, HELD, START = range(3)
POSITION, VELOCITY, TORQUE, COMMAND, SINE, COSINE, ACCELEROMETER, GYROSCOPE = range(8)


class JointPolicyLaw(NamedTuple):
    """Target of joint j: clip(size_j y_j, -size_j, size_j), with y the outputs of the network."""

    kinds: NDArray  # (inputs,) what each input is, int64
    places: NDArray  # (inputs,) its joint, or 3 link + axis of an IMU, int64
    network: Network
    size: NDArray  # (joints,) greatest target [rad or N m]
    rate: float  # of the clock's phase [rad/s]
    phase: float  # of the clock at the start [rad]
    period: float  # [s]


@register_jitable
def joint_policy_numbers(law):
    """Count the numbers of the memory: inputs, hidden values, targets as shares of their size, and moments."""
    return joint_moments_at(law) + 1 + 2 * law.kinds.size


@register_jitable
def joint_moments_at(law):
    """Return the place of the number of inputs so far; their sums and those of their squares follow."""
    return START + law.kinds.size + law.network.first.shape[0] + law.size.size


@bare_kernel
def joint_policy_start(law, memory):
    """Start without a command."""
    memory[:] = 0.0


@bare_kernel
def joint_policy_tick(law, memory, sensed, target):
    """Evaluate the network; a NaN reading repeats the last command."""
    inputs, count = START, law.kinds.size
    hidden = inputs + count
    shares, moments = hidden + law.network.first.shape[0], joint_moments_at(law)
    good = True
    for k in range(count):
        memory[inputs + k] = joint_input(law, memory, sensed, law.kinds[k], law.places[k], shares)
        good = good and isfinite(memory[inputs + k])
    memory[HELD] = 0.0 if good else 1.0
    if good:
        memory[moments] += 1.0
        for k in range(count):
            memory[moments + 1 + k] += memory[inputs + k]
            memory[moments + 1 + count + k] += memory[inputs + k] ** 2
        normalise(law.network, memory, inputs)
        last = hidden_layer(law.network, memory, inputs, hidden)
        for j in range(law.size.size):
            memory[shares + j] = min(max(network_output(law.network, memory, last, j), -1.0), 1.0)
    memory[TICKS] += 1.0
    for j in range(target.size):
        target[j] = law.size[j] * memory[shares + j]


@inner
def joint_input(law, memory, sensed, kind, at, shares):
    """Return one input before its normalisation."""
    if kind == POSITION:
        return sensed.position[at]
    if kind == VELOCITY:
        return sensed.velocity[at]
    if kind == TORQUE:
        return sensed.torque[at] / law.size[at]
    if kind == COMMAND:
        return memory[shares + at]
    if kind == SINE:
        return sin(law.phase + law.rate * law.period * memory[TICKS])
    if kind == COSINE:
        return cos(law.phase + law.rate * law.period * memory[TICKS])
    return sensed.accelerometer[at // 3, at % 3] if kind == ACCELEROMETER else sensed.gyroscope[at // 3, at % 3]
