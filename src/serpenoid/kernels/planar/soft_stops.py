"""End stops of joints as MuJoCo's soft constraints, for planar chains at one state or in wide vectors.

A stop acts on the acceleration, so its torque is solved for together with the equations of motion. For joints beyond
their range by x [rad], with u = +1 at the lower limit and -1 at the upper one:

    (A + R) f = u (a_ref - a_free),  f >= 0,    a_ref = u k d(x) x - b dq,    R = (1 - d) / d / D

A is the inverse inertia between joints, and a_free the acceleration without stops. 1 / D is the inverse inertia of each
joint in the straight chain. The impedance d(x) rises from 0.9 to 0.95 within 1 mrad, as MuJoCo's default does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.laws.hinges import LOWER, MOBILITY, PULL, RATE, SOFT_COLUMNS, UPPER
from serpenoid.kernels.linear import solve
from serpenoid.kernels.planar.media import has_added_mass
from serpenoid.kernels.simd import where_positive
from serpenoid.kernels.stack import slots

SWEEPS = 60  # most Gauss-Seidel sweeps; neighbouring joints are coupled by half, so the error falls by four in each
LEAST, MOST, REACH = 0.9, 0.95, 1e-3  # impedance at the limit and beyond REACH [rad]


class SoftStops(NamedTuple):
    """Working arrays of soft stops; without such stops all are empty."""

    column: NDArray  # (joints, n + 2) accelerations by a unit torque of each joint
    over: NDArray  # (joints,) angle beyond the range, 0 within [rad]
    side: NDArray  # (joints,) direction u of the stop, 0 within the range
    wanted: NDArray  # (joints,) u (a_ref - a_free) [rad/s^2]
    slack: NDArray  # (joints,) R [1/(kg m^2)]
    push: NDArray  # (joints,) f [N m]
    wait: NDArray  # (1,) change of the last one


@kernel
def soft_stops(hinges, links):
    """Allocate the working arrays; empty for a table of hinges without soft stops."""
    joints = links - 1 if hinges.shape[1] == SOFT_COLUMNS else 0
    return SoftStops(
        np.empty((joints, links + 2)), np.empty(joints), np.empty(joints), np.empty(joints), np.empty(joints),
        np.empty(joints), np.empty(1),
    )  # fmt: skip


@inner
def find_exceeded(model, stops, state):
    """Set `over` and `side` of every joint; return whether any joint is beyond its range."""
    for j in range(stops.over.size):
        angle = state[3 + j]
        below, above = model.hinges[j, LOWER] - angle, angle - model.hinges[j, UPPER]
        stops.over[j] = where_positive(below, below, where_positive(above, above, 0.0 * angle))
        stops.side[j] = where_positive(below, 1.0, where_positive(above, -1.0, 0.0 * angle))
    found, over = False, slots(stops.over)
    for j in range(stops.over.size):
        for slot in range(over.shape[1]):
            found = found or over[j, slot] > 0.0
    return found


@inner
def impedance(over):
    """Return d of MuJoCo's default solimp for an angle beyond the range [rad]."""
    x = min(over / REACH, 1.0)
    rise = where_positive(x - 0.5, 1.0 - 2.0 * (1.0 - x) * (1.0 - x), 2.0 * x * x)
    return LEAST + rise * (MOST - LEAST)


@inner
def respond(model, work, stops, state):
    """Set the columns, the wanted accelerations and the slack from a factorised matrix and its solution."""
    links = work.rate.size
    size = links + 2 if has_added_mass(model.medium) else links
    for j in range(links - 1):
        for k in range(links + 2):
            stops.column[j, k] = 0.0 * work.rate[0]
        stops.column[j, j], stops.column[j, j + 1] = -1.0 + 0.0 * work.rate[0], 1.0 + 0.0 * work.rate[0]
        solve(work.matrix, size, stops.column[j])
        d, hinges = impedance(stops.over[j]), model.hinges
        free = work.right[j + 1] - work.right[j]
        pull = hinges[j, PULL] * d * stops.over[j]
        stops.wanted[j] = pull - stops.side[j] * (hinges[j, RATE] * state[links + 5 + j] + free)
        stops.slack[j] = (1.0 - d) / d * hinges[j, MOBILITY]
        stops.push[j] = 0.0 * work.rate[0]


@inner
def solve_pushes(stops):
    """Solve the complementarity problem by projected Gauss-Seidel sweeps, until none changes any slot."""
    joints, moving, sweep, wait = stops.over.size, True, 0, slots(stops.wait)
    while moving and sweep < SWEEPS:
        moving = False
        sweep += 1
        for j in range(joints):
            rest = stops.wanted[j]
            for i in range(joints):
                if i != j:
                    coupling = stops.column[i, j + 1] - stops.column[i, j]
                    rest -= stops.side[j] * stops.side[i] * coupling * stops.push[i]
            own = stops.column[j, j + 1] - stops.column[j, j] + stops.slack[j]
            before = stops.push[j]
            stops.push[j] = where_positive(stops.over[j], max(rest / own, 0.0), 0.0)
            stops.wait[0] = abs(stops.push[j] - before)
            for slot in range(wait.shape[1]):
                moving = moving or wait[0, slot] > 0.0


@inner
def push_back(model, work, stops, state):
    """Add the accelerations of soft stops to a solution in work.right; return the power of the stops [W]."""
    power = 0.0 * state[0]
    if stops.over.size == 0 or not find_exceeded(model, stops, state):
        return power
    respond(model, work, stops, state)
    solve_pushes(stops)
    links = work.rate.size
    size = links + 2 if has_added_mass(model.medium) else links
    for j in range(links - 1):
        torque = stops.side[j] * stops.push[j]
        power += torque * state[links + 5 + j]
        for k in range(size):
            change = torque * stops.column[j, k]
            work.right[k] += where_positive(stops.over[j], change, 0.0)
    return power
