"""Tracking of sampled commands by prescribed joints: a critically damped second-order filter with limits."""

from __future__ import annotations

from math import isnan

import numpy as np

from serpenoid.kernels.compile import inner, kernel

BANDWIDTH = 60.0  # of the filter [rad/s]
FASTEST = 20.0  # largest joint rate [rad/s]
HARDEST = 2000.0  # largest joint acceleration [rad/s^2]
LED = 1e-6  # a joint this close to its commanded angle and rate follows its motion exactly [rad, rad/s]


@inner
def demand_acceleration(angle, rate, position, velocity, acceleration):
    """Return the acceleration [rad/s^2] that the filter demands of one joint; NaN targets are not commanded.

    A commanded acceleration is used directly. Otherwise it is B^2 (position - angle) + 2 B (velocity - rate). Without a
    position the first term is zero; without a velocity, velocity = 0.
    """
    if not isnan(acceleration):
        return acceleration
    pull = 0.0 if isnan(position) else BANDWIDTH**2 * (position - angle)
    return pull + 2.0 * BANDWIDTH * ((0.0 if isnan(velocity) else velocity) - rate)


@inner
def limit_acceleration(rate, wanted, step):
    """Limit the acceleration of a joint over a step [rad/s^2] to its largest acceleration and rate."""
    wanted = min(max(wanted, -HARDEST), HARDEST)
    return (min(max(rate + step * wanted, -FASTEST), FASTEST) - rate) / step


@kernel
def followed_accelerations(angles, rates, position, velocity, acceleration, step):
    """Return the joint accelerations over the next step, (samples, joints) like all arguments except the step [s].

    A joint that moves as commanded follows its motion exactly, without limits.
    """
    out = np.empty(angles.shape)
    for i in range(angles.shape[0]):
        for j in range(angles.shape[1]):
            q, dq = angles[i, j], rates[i, j]
            wanted = demand_acceleration(q, dq, position[i, j], velocity[i, j], acceleration[i, j])
            led = abs(q - position[i, j]) <= LED * (1.0 + abs(q)) and abs(dq - velocity[i, j]) <= LED * (1.0 + abs(dq))
            out[i, j] = wanted if led and not isnan(acceleration[i, j]) else limit_acceleration(dq, wanted, step)
    return out


@kernel
def followed_parabolas(angles, rates, position, velocity, acceleration, step, steps):
    """Return coefficients (steps, 3, joints) of the parabolas that joints follow from angles and rates (joints,)."""
    out = np.empty((steps, 3, angles.size))
    for j in range(angles.size):
        q, dq = angles[j], rates[j]
        for i in range(steps):
            held = limit_acceleration(dq, demand_acceleration(q, dq, position[j], velocity[j], acceleration[j]), step)
            out[i, 0, j], out[i, 1, j], out[i, 2, j] = q, dq, 0.5 * held
            q += step * dq + 0.5 * step * step * held
            dq += step * held
    return out
