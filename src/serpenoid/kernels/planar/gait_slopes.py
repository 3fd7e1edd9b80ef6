"""Run of a planar chain under a Fourier gait with the derivatives of its measures by the gait's parameters.

The state and its derivatives S = dx/dp are integrated together by the same RK4, so S is exactly the derivative of the
discrete run. With accelerations a(x, torque),

    dS_positions/dt = S_rates,    dS_rates/dt = da/dx S + da/dtorque dtorque/dp

The parameters p begin with the frequency [Hz] and the drives' common stiffness and damping. The joints' offsets, sines
and cosines follow; the last two are (harmonics, joints).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.planar.chain import PlanarModel, PlanarWork, planar_work, set_angles
from serpenoid.kernels.planar.derivatives import forward_derivatives
from serpenoid.kernels.planar.slopes import Tangent
from serpenoid.kernels.runge_kutta import is_bounded, new_stages, runge_kutta_step, slope_of
from serpenoid.kernels.trigonometry import sine_cosine

FREQUENCY, STIFFNESS, DAMPING, COMMON = range(4)  # places of common parameters, and their number
MEASURES = 5  # displacement x, y [m], mean axis from tail to head x, y, work [J]


class GaitSeries(NamedTuple):
    """Fourier gait and the gains of the drives that track it."""

    frequency: float  # [Hz]
    offset: NDArray  # (joints,) [rad]
    sine: NDArray  # (harmonics, joints) [rad]
    cosine: NDArray  # (harmonics, joints) [rad]
    stiffness: float  # [N m/rad]
    damping: float  # [N m s/rad]
    limit: NDArray  # (joints,) [N m]


class GaitChain(NamedTuple):
    """Chain that tracks a gait. Its state is that of chain.py and the absolute work; then rows of derivatives."""

    model: PlanarModel
    work: PlanarWork
    tangent: Tangent
    gait: GaitSeries
    reference: NDArray  # (2, joints) angles and rates of the gait [rad, rad/s]
    basis: NDArray  # (harmonics, 2) sine and cosine of the multiples of the phase
    torque: NDArray  # (joints,) [N m]
    torque_slope: NDArray  # (joints, parameters)
    acceleration: NDArray  # (n + 2,)
    by_state: NDArray  # (n + 2, 2 (n + 2))
    by_torque: NDArray  # (n + 2, joints)


@inner
def set_reference(system, time):
    """Compute angles and rates of the gait at a time [s]."""
    gait, reference, basis = system.gait, system.reference, system.basis
    rate = 2.0 * np.pi * gait.frequency
    for j in range(reference.shape[1]):
        reference[0, j] = gait.offset[j]
        reference[1, j] = 0.0
    for m in range(basis.shape[0]):
        sine, cosine = sine_cosine((m + 1) * rate * time)
        basis[m, 0] = sine
        basis[m, 1] = cosine
        for j in range(reference.shape[1]):
            a, b = gait.sine[m, j], gait.cosine[m, j]
            reference[0, j] += a * sine + b * cosine
            reference[1, j] += (m + 1) * rate * (a * cosine - b * sine)


@inner
def frequency_slope(system, time, joint):
    """Return the derivatives of a joint's angle and rate by the frequency."""
    gait, basis, rate = system.gait, system.basis, 2.0 * np.pi * system.gait.frequency
    angle, change = 0.0, 0.0
    for m in range(basis.shape[0]):
        a, b = gait.sine[m, joint], gait.cosine[m, joint]
        turning, along = a * basis[m, 1] - b * basis[m, 0], a * basis[m, 0] + b * basis[m, 1]
        angle += (m + 1) * time * turning
        change += (m + 1) * turning - (m + 1) * (m + 1) * rate * time * along
    return 2.0 * np.pi * angle, 2.0 * np.pi * change


@inner
def add_own_slopes(system, time, joint, row):
    """Add the derivative of a joint's torque by the parameters at a fixed state to a row of torque_slope."""
    gait, basis, joints = system.gait, system.basis, system.torque.size
    p, d, rate = gait.stiffness, gait.damping, 2.0 * np.pi * gait.frequency
    angle, change = frequency_slope(system, time, joint)
    row[FREQUENCY] += p * angle + d * change
    row[COMMON + joint] += p
    first = COMMON + joints + joint
    for m in range(basis.shape[0]):
        sine, cosine, turning = basis[m, 0], basis[m, 1], (m + 1) * rate
        row[first + m * joints] += p * sine + d * turning * cosine
        row[first + (basis.shape[0] + m) * joints] += p * cosine - d * turning * sine


@inner
def set_torques(system, time, state, out):
    """Compute torques and their derivatives, and the absolute power with its derivatives in the rows of the work."""
    gait, half, joints = system.gait, system.acceleration.size, system.torque.size
    count = system.torque_slope.shape[1]
    base, cost = 2 * half + 1, 2 * half + 1 + 2 * half * count
    set_reference(system, time)
    out[2 * half] = 0.0
    for c in range(count):
        out[cost + c] = 0.0
    for j in range(joints):
        row, angle, rate = system.torque_slope[j], 3 + j, half + 3 + j
        error, lag = system.reference[0, j] - state[angle], system.reference[1, j] - state[rate]
        wanted = gait.stiffness * error + gait.damping * lag
        torque = min(max(wanted, -gait.limit[j]), gait.limit[j])
        free = 1.0 if torque == wanted else 0.0
        system.torque[j] = torque
        for c in range(count):
            moved = gait.stiffness * state[base + angle * count + c] + gait.damping * state[base + rate * count + c]
            row[c] = -free * moved
        if free > 0.0:
            row[STIFFNESS] += error
            row[DAMPING] += lag
            add_own_slopes(system, time, j, row)
        power = torque * state[rate]
        sign = 1.0 if power > 0.0 else -1.0
        out[2 * half] += sign * power
        for c in range(count):
            out[cost + c] += sign * (row[c] * state[rate] + torque * state[base + rate * count + c])


@slope_of(GaitChain)
@inner
def gait_slope(system, stage, time, state, out):
    """Write the rates of state, work and derivatives."""
    half, joints, count = system.acceleration.size, system.torque.size, system.torque_slope.shape[1]
    base = 2 * half + 1
    set_torques(system, time, state, out)
    by_state, by_torque = system.by_state, system.by_torque
    forward_derivatives(
        system.model, system.work, system.tangent, state, system.torque, system.acceleration, by_state, by_torque
    )  # fmt: skip
    for i in range(half):
        out[i] = state[half + i]
        out[half + i] = system.acceleration[i]
        upper, lower, rate = base + i * count, base + (half + i) * count, base + (half + i) * count
        for c in range(count):
            out[upper + c] = state[rate + c]
            out[lower + c] = 0.0
        for k in range(2, 2 * half, 2):  # two rows at a time: 2 half is even
            u, v, source = by_state[i, k], by_state[i, k + 1], base + k * count
            for c in range(count):
                out[lower + c] += u * state[source + c] + v * state[source + count + c]
        for j in range(joints):
            u = by_torque[i, j]
            for c in range(count):
                out[lower + c] += u * system.torque_slope[j, c]


@inner
def add_axis(system, state, weight, measures, slopes):
    """Add a sample's axis from tail to head, the mean over the links, and its derivatives."""
    half, count = system.acceleration.size, system.torque_slope.shape[1]
    links, base = half - 2, 2 * half + 1
    set_angles(system.work, state)
    for k in range(links):
        c, s = weight * system.work.cosine[k] / links, weight * system.work.sine[k] / links
        measures[2] -= c
        measures[3] -= s
        for row in range(k + 1):  # the angle of a link is the sum of heading and joints before it
            source = base + (2 + row) * count
            for p in range(count):
                slopes[2, p] += s * state[source + p]
                slopes[3, p] -= c * state[source + p]


@inner
def add_course(system, state, sign, measures, slopes):
    """Add sign times the centre of mass and the work, with their derivatives."""
    half, count = system.acceleration.size, system.torque_slope.shape[1]
    base = 2 * half + 1
    for measure in range(3):
        place, row = (measure, measure) if measure < 2 else (4, 2 * half)
        measures[place] += sign * state[row]
        for p in range(count):
            slopes[place, p] += sign * state[base + row * count + p]


@kernel
def gait_measures(model, gait, tangent, state, step, every, weights):
    """Return measures (MEASURES,) and their derivatives (MEASURES, parameters) of a run from a GaitChain's state.

    weights (samples + 1,) of the axis, at the start and after every `every` RK4 steps. The measured stretch begins with
    the first weight that is not zero. NaN if the run diverges.
    """
    links, joints, harmonics = model.shift.size, gait.offset.size, gait.sine.shape[0]
    half, count = links + 2, COMMON + joints * (1 + 2 * harmonics)
    system = GaitChain(
        model, planar_work(links), tangent, gait, np.empty((2, joints)), np.empty((harmonics, 2)),
        np.empty(joints), np.empty((joints, count)), np.empty(half), np.empty((half, 2 * half)),
        np.empty((half, joints)),
    )  # fmt: skip
    measures, slopes = np.zeros(MEASURES), np.zeros((MEASURES, count))
    stages, now, begun = new_stages(state.size), state.copy(), False
    for sample in range(weights.size):
        if sample > 0:
            for i in range(every):
                runge_kutta_step(system, stages, ((sample - 1) * every + i) * step, step, now, 4)
            if not is_bounded(now, 2 * half):
                measures[:] = np.nan
                return measures, slopes
        if weights[sample] != 0.0:
            if not begun:
                add_course(system, now, -1.0, measures, slopes)
                begun = True
            add_axis(system, now, weights[sample], measures, slopes)
    add_course(system, now, 1.0, measures, slopes)
    return measures, slopes
