"""Direction in which an object at rest starts to slide: the search for the friction of greatest dissipation.

An object at rest that the ground cannot hold, because that would take a force P with |P| > limit, starts to slide
along a unit vector d. Friction is -limit d, and the acceleration that results must point along d.

The forces minimise a convex function phi, and the object's acceleration is its gradient over the friction force. Let
f* be the friction sought, a cut is <gradient(f), f* - f> <= 0. With f = f* it gives a cosine of at least limit / |P|
between d and P. Inside that arc the cut at any d excludes all that lies on the side from which the acceleration turns
away: the sign of d x a brackets the one solution.
"""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.compile import inner

# Columns of a bracket: angles that enclose the solution, their values of d x a, the angle to try, the side last cut.
LOW, HIGH, AT_LOW, AT_HIGH, ANGLE, SIDE = range(6)
BRACKET = 6
TRIALS = 200
TURNED = 1e-15  # a bracket [rad], or a sine between direction and force, that counts as none


@inner
def open_bracket(x, y, limit, bracket):
    """Enclose the direction of sliding where the force (x, y) would hold the object, and try that force's own."""
    middle, reach = np.arctan2(y, x), np.arccos(limit / np.sqrt(x * x + y * y))
    bracket[LOW], bracket[HIGH], bracket[ANGLE] = middle - reach, middle + reach, middle
    bracket[AT_LOW] = bracket[AT_HIGH] = bracket[SIDE] = 0.0


@inner
def narrow_bracket(x, y, bracket):
    """Cut the bracket at its angle, where the robot's force on the object is (x, y), and set the next; True if done.

    Regula falsi with the Illinois rule, and bisection where one end has no value yet.
    """
    angle = bracket[ANGLE]
    value = np.cos(angle) * y - np.sin(angle) * x
    side = 1.0 if value > 0.0 else -1.0
    near, far = (LOW, HIGH) if value > 0.0 else (HIGH, LOW)
    bracket[near], bracket[AT_LOW + near] = angle, value
    if bracket[SIDE] == side:
        bracket[AT_LOW + far] *= 0.5
    bracket[SIDE] = side
    width = bracket[HIGH] - bracket[LOW]
    if abs(value) <= TURNED * np.sqrt(x * x + y * y) or width <= TURNED:
        return True
    if bracket[AT_LOW] > 0.0 and bracket[AT_HIGH] < 0.0:
        bracket[ANGLE] = bracket[LOW] + width * bracket[AT_LOW] / (bracket[AT_LOW] - bracket[AT_HIGH])
    else:
        bracket[ANGLE] = bracket[LOW] + 0.5 * width
    return bracket[ANGLE] <= bracket[LOW] or bracket[ANGLE] >= bracket[HIGH]
