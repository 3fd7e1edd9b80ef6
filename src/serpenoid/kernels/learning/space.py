"""Readings of a floating base in space."""

from __future__ import annotations

from serpenoid.kernels.compile import inner

BASE_READINGS = 16  # gravity (3), angular velocity (3), position (3), quaternion (4), linear velocity (3)


@inner
def read_base(state, linear, angular, out, at):
    """Write direction of gravity and angular velocity in the base's axes, pose and velocity; return the next place.

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
