"""Joint angles, rates and accelerations of a Motion record, exact at every time."""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.compile import inlined, inner, kernel
from serpenoid.kernels.trigonometry import sine_cosine


@inlined
def motion_segment(motion, time):
    """Return the index of the polynomial segment at a time [s].

    The index is 0 .. segments - 1, -1 before the first knot, and `segments` from the last knot on. An integrator calls
    this once per step, at the step's middle, and uses the result in all stages. A stage on a knot then takes the limit
    from the step's own side, and rounding of the time cannot select the wrong side.
    """
    knots = motion.knots
    if time < knots[0]:
        return -1
    segment = 0
    while segment < knots.size - 1 and time >= knots[segment + 1]:
        segment += 1
    return segment


@inner
def joint_motion(motion, segment, time, joint):
    """Return (q, dq, ddq) [rad, rad/s, rad/s^2] of one joint at a time, with the polynomial of the given segment."""
    speed = motion.rate[joint]
    phase = motion.phase_start + speed * (time - motion.time_start) + motion.lag[joint]
    sine, cosine = sine_cosine(phase)
    sine *= motion.amplitude[joint]
    cosine *= motion.amplitude[joint]
    value, rate, acceleration = polynomial_motion(motion, segment, time, joint)
    for m in range(motion.harmonics.shape[0]):
        high, low = sine_cosine((m + 2) * phase)
        a, b, turning = motion.harmonics[m, 0, joint], motion.harmonics[m, 1, joint], (m + 2) * speed
        value += a * high + b * low
        rate += turning * (a * low - b * high)
        acceleration -= turning * turning * (a * high + b * low)
    return (
        motion.offset[joint] + sine + value,
        speed * cosine + rate,
        acceleration - speed * speed * sine,
    )


@inner
def polynomial_motion(motion, segment, time, joint):
    """Return the polynomial part of one joint's angle, rate and acceleration (Horner); at rest outside the knots."""
    last = motion.coefficients.shape[0] - 1
    s = min(max(segment, 0), last)
    local = (motion.knots[0] if segment < 0 else motion.knots[last + 1] if segment > last else time) - motion.knots[s]
    value, rate, half_acceleration = 0.0, 0.0, 0.0
    for k in range(motion.coefficients.shape[1] - 1, -1, -1):
        half_acceleration = half_acceleration * local + rate
        rate = rate * local + value
        value = value * local + motion.coefficients[s, k, joint]
    if segment != s:
        return value, 0.0, 0.0
    return value, rate, 2.0 * half_acceleration


@inlined
def motion_at(motion, segment, time, position, velocity, acceleration):
    """Write q, dq, ddq of all joints, arrays (joints,)."""
    for joint in range(position.size):
        position[joint], velocity[joint], acceleration[joint] = joint_motion(motion, segment, time, joint)


@kernel
def motion_samples(motion, times):
    """Return q, dq, ddq at many times, arrays (times, joints); a time on a knot takes the segment that begins there."""
    shape = (times.size, motion.offset.size)
    position, velocity, acceleration = np.empty(shape), np.empty(shape), np.empty(shape)
    for i in range(times.size):
        segment = motion_segment(motion, times[i])
        motion_at(motion, segment, times[i], position[i], velocity[i], acceleration[i])
    return position, velocity, acceleration
