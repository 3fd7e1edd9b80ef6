"""How prescribed joints follow held commands: a critically damped second-order filter with limits."""

from __future__ import annotations

from math import isnan

import numpy as np

from serpenoid.kernels.compile import inner, kernel

BANDWIDTH = 60.0  # of the filter [rad/s]
FASTEST = 20.0  # largest joint rate [rad/s]
HARDEST = 2000.0  # largest joint acceleration [rad/s^2]


@inner
def drawn(angle, rate, position, velocity, acceleration):
    """What the filter asks of one joint [rad/s^2]; NaN targets are not commanded.

    A commanded acceleration is taken as it is; else B^2 (position - angle) + 2 B (velocity - rate), where no position
    pulls nothing and no velocity is one of zero.
    """
    if not isnan(acceleration):
        return acceleration
    pull = 0.0 if isnan(position) else BANDWIDTH**2 * (position - angle)
    return pull + 2.0 * BANDWIDTH * ((0.0 if isnan(velocity) else velocity) - rate)


@kernel
def drawn_accelerations(angles, rates, position, velocity, acceleration):
    """drawn() of every joint of every sample, all (samples, joints)."""
    out = np.empty(angles.shape)
    for i in range(angles.shape[0]):
        for j in range(angles.shape[1]):
            out[i, j] = drawn(angles[i, j], rates[i, j], position[i, j], velocity[i, j], acceleration[i, j])
    return out


@kernel
def followed_parabolas(angles, rates, position, velocity, acceleration, step, steps):
    """Coefficients (steps, 3, joints) of the parabolas that the joints pass through from angles and rates (joints,)."""
    out = np.empty((steps, 3, angles.size))
    for j in range(angles.size):
        q, dq = angles[j], rates[j]
        for i in range(steps):
            wanted = min(max(drawn(q, dq, position[j], velocity[j], acceleration[j]), -HARDEST), HARDEST)
            held = (min(max(dq + step * wanted, -FASTEST), FASTEST) - dq) / step
            out[i, 0, j], out[i, 1, j], out[i, 2, j] = q, dq, 0.5 * held
            q += step * dq + 0.5 * step * step * held
            dq += step * held
    return out
