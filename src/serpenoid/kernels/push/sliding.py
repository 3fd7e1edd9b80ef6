"""Initial direction of sliding of an object at rest: the search for friction of maximum dissipation.

An object at rest slides if the force P needed to hold it exceeds the ground's limit, |P| > limit. It starts to slide
along a unit vector d. Friction is -limit d, and the resulting acceleration must point along d.

The forces minimise a convex function phi, and the object's acceleration is its gradient with respect to the friction
force. Let f* be the solution; a cut is <gradient(f), f* - f> <= 0. With f = f* it gives a cosine of at least limit /
|P| between d and P. Inside that arc, the cut at any d excludes the side from which the acceleration turns away. The
sign of d x a therefore brackets the unique solution.
"""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.compile import inner

# Columns of a bracket: enclosing angles, their values of d x a, the angle to try, the side last cut.
LOW, HIGH, AT_LOW, AT_HIGH, ANGLE, SIDE = range(6)
BRACKET = 6
TRIALS = 200
TURNED = 1e-15  # a bracket [rad], or a sine between direction and force, that counts as zero


@inner
def open_bracket(x, y, limit, bracket):
    """Bracket the direction of sliding, given the force (x, y) that would hold the object; try its direction first."""
    middle, reach = np.arctan2(y, x), np.arccos(limit / np.sqrt(x * x + y * y))
    bracket[LOW], bracket[HIGH], bracket[ANGLE] = middle - reach, middle + reach, middle
    bracket[AT_LOW] = bracket[AT_HIGH] = bracket[SIDE] = 0.0


@inner
def narrow_bracket(x, y, bracket):
    """Cut the bracket at its angle, given the robot's force (x, y) on the object, and set the next.

    Return True if done.

    Regula falsi with the Illinois rule, and bisection while one end has no value yet.
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
