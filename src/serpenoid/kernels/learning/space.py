"""Readings of a floating base in space."""

from __future__ import annotations

from serpenoid.kernels.compile import inner
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.kernels.lie import normalised, rotate, rotate_back, rotation_of, scale, subtract

GRAVITY, SPIN, PLACE, TURN, VELOCITY, FELT = 0, 3, 6, 9, 13, 16  # readings of the base, from the first one on
BASE_READINGS = 19


@inner
def read_base(state, linear, angular, out, at):
    """Write direction of gravity and angular velocity in the base's axes, pose and velocity; return the next place.

    The place of the accelerometer stays free.

    A state begins with x y z [m] and the quaternion w x y z. `linear` and `angular` are the offsets of the velocities.
    """
    w, x, y, z = state[3], state[4], state[5], state[6]
    out[at] = -2.0 * (x * z - w * y)
    out[at + 1] = -2.0 * (y * z + w * x)
    out[at + 2] = 2.0 * (x * x + y * y) - 1.0
    for c in range(3):
        out[at + 3 + c] = state[angular + c]
        out[at + 13 + c] = state[linear + c]
    for c in range(7):
        out[at + 6 + c] = state[c]
    return at + BASE_READINGS


@inner
def pose_of(readings, at):
    """Return the rotation of the base, and its quaternion."""
    turn = (readings[at + TURN], readings[at + TURN + 1], readings[at + TURN + 2], readings[at + TURN + 3])
    return rotation_of(turn), turn


@inner
def read_accelerometer(rows, row, at, period, own):
    """Write the mean specific force at the base's origin over the last period, in its axes midway; see robots/imus.py.

    own: whether velocities are in the base's axes instead of the world's. At a start the base does not accelerate.
    """
    out, before = rows.readings[row], rows.before[row]
    (R, now), (S, then) = pose_of(out, at), pose_of(before, at)
    gained = (0.0, 0.0, 0.0)
    if rows.ticks[row] == 0:
        then = now
    else:
        v = (out[at + VELOCITY], out[at + VELOCITY + 1], out[at + VELOCITY + 2])
        w = (before[at + VELOCITY], before[at + VELOCITY + 1], before[at + VELOCITY + 2])
        if own:
            v, w = rotate(R, v), rotate(S, w)
        gained = scale(1.0 / period, subtract(v, w))
    alike = -1.0 if now[0] * then[0] + now[1] * then[1] + now[2] * then[2] + now[3] * then[3] < 0.0 else 1.0
    midway = (then[0] + alike * now[0], then[1] + alike * now[1], then[2] + alike * now[2], then[3] + alike * now[3])
    felt = (gained[0], gained[1], gained[2] + STANDARD_GRAVITY)
    R = rotation_of(normalised(midway))
    out[at + FELT], out[at + FELT + 1], out[at + FELT + 2] = rotate_back(R, felt)
