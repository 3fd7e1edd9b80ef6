"""Complementary filter over the IMUs of all links: gyroscopes propagate the head's attitude, accelerometers level it.

The state is flat, from index `at` of a memory: the head's quaternion (4), the principal axis in the world (3), its
heading and validity. The ratio of singular values and the phase of the filter follow, then a row per link.
"""

from __future__ import annotations

from math import atan2, inf, sqrt
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from serpenoid.kernels.compile import bare_kernel, inner, kernel
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.kernels.laws.sensed import Sensed
from serpenoid.kernels.lie import (
    IDENTITY,
    add,
    compose,
    cross,
    dot,
    matrix,
    normalised,
    quaternion_of,
    rotate,
    rotation_of,
    row,
    scale,
    subtract,
    turn,
)

AXIS, HEADING, CLEAR, RATIO, BEGUN, ROWS = 4, 7, 8, 9, 10, 12  # after a quaternion
WIDTH = 16  # of a link's row: rotation to head axes (9), origin (3), rate relative to the head (3), its joint's angle
NEW, GOING, GIVEN, RESUMED = 0.0, 1.0, 2.0, 3.0  # BEGUN: not started, running, given an attitude, after a gap


class Inertial(NamedTuple):
    """Links with IMUs, and the weights of their readings."""

    parent: NDArray  # (L,) int64, -1 for the head
    rotation: NDArray  # (L, 3, 3) from link to parent axes at zero angle
    offset: NDArray  # (L, 3) [m]
    axis: NDArray  # (L, 3) of the hinge, in the link's axes
    center: NDArray  # (L, 3) middle of a link in its own axes [m]
    share: NDArray  # (L,) weight of each IMU in the mean; sums to one
    gain: float  # fraction of the tilt error corrected per tick, at rest
    band: float  # largest deviation of the mean specific force from gravity at which it is used [m/s^2]


@register_jitable
def pose_numbers(body):
    """Return the size of the filter's memory; 0 without links."""
    return ROWS + WIDTH * body.parent.size if body.parent.size > 0 else 0


@inner
def triple(memory, place):
    """Return three consecutive numbers."""
    return (memory[place], memory[place + 1], memory[place + 2])


@inner
def set_triple(memory, place, v):
    """Write three consecutive numbers."""
    memory[place], memory[place + 1], memory[place + 2] = v


@inner
def link_rotation(memory, place):
    """Return the rotation from a link's axes to the head's."""
    m, p = memory, place
    return (m[p], m[p + 1], m[p + 2], m[p + 3], m[p + 4], m[p + 5], m[p + 6], m[p + 7], m[p + 8])


@inner
def place_links(body, memory, at, position, velocity, period, midway):
    """Compute rotation, origin and angular velocity of every link relative to the head, in head axes.

    midway: halfway from the last tick's angles, with mean rates since then, because IMU readings are means. Otherwise
    at the current joint angles, which are stored for the next tick.
    """
    for k in range(body.parent.size):
        here, parent = at + ROWS + WIDTH * k, body.parent[k]
        R, origin, rate = IDENTITY, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if parent >= 0:
            there = at + ROWS + WIDTH * parent
            behind = link_rotation(memory, there)
            origin = add(triple(memory, there + 9), rotate(behind, row(body.offset, k, 0)))
            axis = row(body.axis, k, 0)
            angle, speed = position[k - 1], velocity[k - 1]
            if midway:
                angle, speed = 0.5 * (memory[here + 15] + angle), (angle - memory[here + 15]) / period
            else:
                memory[here + 15] = angle
            R = turn(compose(behind, matrix(body.rotation[k])), axis, angle)
            rate = add(triple(memory, there + 12), scale(speed, rotate(R, axis)))
        for i in range(9):
            memory[here + i] = R[i]
        set_triple(memory, here + 9, origin)
        set_triple(memory, here + 12, rate)


@inner
def mean_readings(body, memory, at, accelerometer, gyroscope):
    """Return means over the links: specific force [m/s^2] and angular velocity of the head [rad/s], in head axes."""
    force, rate = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(body.parent.size):
        if body.share[k] > 0.0:
            here = at + ROWS + WIDTH * k
            R = link_rotation(memory, here)
            force = add(force, scale(body.share[k], rotate(R, row(accelerometer, k, 0))))
            own = subtract(rotate(R, row(gyroscope, k, 0)), triple(memory, here + 12))
            rate = add(rate, scale(body.share[k], own))
    return force, rate


@inner
def mean_up(body, memory, at):
    """Return the mean upward direction of the links in head axes: the vertical of a flat snake."""
    up = (0.0, 0.0, 0.0)
    for k in range(body.parent.size):
        R = link_rotation(memory, at + ROWS + WIDTH * k)
        up = add(up, (R[2], R[5], R[8]))
    return up if dot(up, up) > 0.0 else (0.0, 0.0, 1.0)


@inner
def level(up):
    """Return the attitude with vertical `up` in its own axes and its x axis along the world's x as seen from above."""
    size = sqrt(dot(up, up))
    z = scale(1.0 / size, up)
    ahead = (1.0, 0.0, 0.0) if abs(z[0]) < 0.9 else (0.0, 1.0, 0.0)
    x = subtract(ahead, scale(dot(ahead, z), z))
    x = scale(1.0 / sqrt(dot(x, x)), x)
    y = cross(z, x)
    return quaternion_of((x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]))


@inner
def rotate_attitude(quaternion, vector):
    """Rotate an attitude by a rotation vector of its own axes [rad]."""
    angle = sqrt(dot(vector, vector))
    if angle == 0.0:
        return quaternion
    return quaternion_of(turn(rotation_of(quaternion), scale(1.0 / angle, vector), angle))


@inner
def correct_tilt(body, quaternion, midway, force, rate):
    """Correct a fraction of the tilt error: less while rotating, nothing if the force is not gravity alone.

    midway: the attitude at which the force was measured.
    """
    size = sqrt(dot(force, force))
    if abs(size - STANDARD_GRAVITY) > body.band:
        return quaternion
    R = rotation_of(midway)
    estimate = (R[6], R[7], R[8])
    seen = scale(1.0 / size, force)
    away = cross(estimate, seen)
    sine = sqrt(dot(away, away))
    if sine == 0.0:
        return quaternion
    share = body.gain / (1.0 + sqrt(dot(rate, rate)))
    return rotate_attitude(quaternion, scale(-share * atan2(sine, dot(estimate, seen)) / sine, away))


@bare_kernel
def filter_step(body, memory, at, sensed, period):
    """Advance the filter by one tick.

    The first tick levels the head by the accelerometers. For a snake in free flight it uses the links as if it were
    flat.
    """
    m, going = memory, memory[at + BEGUN] == GOING
    place_links(body, memory, at, sensed.position, sensed.velocity, period, going)
    force, rate = mean_readings(body, memory, at, sensed.accelerometer, sensed.gyroscope)
    quaternion = (m[at], m[at + 1], m[at + 2], m[at + 3])
    if m[at + BEGUN] == NEW:
        still = abs(sqrt(dot(force, force)) - STANDARD_GRAVITY) <= body.band
        quaternion = level(force if still else mean_up(body, memory, at))
    elif m[at + BEGUN] == GIVEN:
        quaternion = normalised(quaternion)
    else:
        midway = rotate_attitude(quaternion, scale(0.5 * period, rate))
        quaternion = correct_tilt(body, rotate_attitude(quaternion, scale(period, rate)), midway, force, rate)
    m[at], m[at + 1], m[at + 2], m[at + 3] = normalised(quaternion)
    m[at + BEGUN] = GOING
    if going:
        place_links(body, memory, at, sensed.position, sensed.velocity, period, False)


@inner
def inertial_readings_are_good(body, sensed):
    """Return whether all joints and the IMUs in use gave finite readings."""
    total = 0.0
    for j in range(sensed.position.size):
        total += sensed.position[j] + sensed.velocity[j]
    for k in range(body.parent.size):
        if body.share[k] > 0.0:
            for i in range(3):
                total += sensed.gyroscope[k, i] + sensed.accelerometer[k, i]
    return abs(total) < inf


@inner
def miss_a_tick(body, memory, at):
    """Skip a tick without readings: the pose stays, and joint rates since then are unknown."""
    if body.parent.size > 0 and memory[at + BEGUN] == GOING:
        memory[at + BEGUN] = RESUMED


@kernel
def filter_history(body, sensed, start, period):
    """Return quaternions (samples, 4) of the head; the parts of `sensed` have a leading axis of samples.

    start (4,) is the attitude at the first sample; zeros mean levelled by the accelerometers. A sample without readings
    repeats the previous attitude, or is NaN if there was none.
    """
    samples = sensed.position.shape[0]
    memory, out = np.zeros(pose_numbers(body)), np.empty((samples, 4))
    memory[:4] = start
    memory[BEGUN] = GIVEN if np.abs(start).sum() > 0.0 else NEW
    for i in range(samples):
        here = Sensed(
            sensed.time, sensed.position[i], sensed.velocity[i], sensed.torque[i], sensed.accelerometer[i],
            sensed.gyroscope[i],
        )  # fmt: skip
        if inertial_readings_are_good(body, here):
            filter_step(body, memory, 0, here, period)
        else:
            miss_a_tick(body, memory, 0)
        out[i] = memory[:4]
        if memory[BEGUN] == NEW:
            out[i] = np.nan
    return out
