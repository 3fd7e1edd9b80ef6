"""Dry friction and end stops of hinges.

A table of hinges (joints, 2) has only the columns of records.py, damping and armature; one of COLUMNS columns also has
friction and stops. Friction is smoothed over a rate at which an explicit step is stable. A stop is a spring and a
damper that only pushes, never pulls:

    -loss w / sqrt(w^2 + smooth^2) - max(0, k (q - upper) + c w) [q > upper] + max(0, k (lower - q) - c w) [q < lower]
"""

from __future__ import annotations

from math import sqrt

from serpenoid.kernels.compile import inner

LOSS, SMOOTH, LOWER, UPPER, SPRING, DAMPER = range(2, 8)
COLUMNS = 8
# More columns of soft stops (kernels/planar/soft_stops.py): their springs and dampers are 0 in the columns above.
MOBILITY, PULL, RATE = range(8, 11)
SOFT_COLUMNS = 11


@inner
def hinge_torque(hinges, joint, angle, rate):
    """Return the torque of a hinge's friction and stops [N m]; the table must have all columns."""
    loss, smooth = hinges[joint, LOSS], hinges[joint, SMOOTH]
    torque = -loss * rate / sqrt(rate * rate + smooth * smooth)
    above, below = angle - hinges[joint, UPPER], hinges[joint, LOWER] - angle
    if above > 0.0:
        torque -= max(0.0, hinges[joint, SPRING] * above + hinges[joint, DAMPER] * rate)
    if below > 0.0:
        torque += max(0.0, hinges[joint, SPRING] * below - hinges[joint, DAMPER] * rate)
    return torque


@inner
def add_hinges(hinges, share, state, angles, rates, torque):
    """Add `share` of the hinges' friction and stop torques to `torque` (joints,) [N m]; return their power [W].

    `angles` and `rates` are the offsets of joint angles and rates in the state. A table without friction and stops does
    nothing.
    """
    power = 0.0
    if hinges.shape[1] < COLUMNS:
        return power
    for joint in range(torque.size):
        rate = state[rates + joint]
        own = hinge_torque(hinges, joint, state[angles + joint], rate)
        torque[joint] += share * own
        power += own * rate
    return power
