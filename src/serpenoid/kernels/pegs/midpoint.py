"""Evaluation point of velocity-dependent forces within a step: the middle, or nearer to the end.

The midpoint gives second order. A velocity that decays within a step would change sign there. With the fraction w of
the change of velocity and z = step / decay time, a step leaves (1 - (1 - w) z) / (1 + w z) of it. The fraction below is
1/2 while that is not negative, and then the smallest that leaves zero.
"""

from __future__ import annotations

from serpenoid.kernels.compile import inner
from serpenoid.kernels.simd import where_positive


@inner
def share_of_change(slow):
    """Return the fraction w for velocities that take `slow` steps to decay; for one number or four."""
    return where_positive(0.5 - slow, 1.0 - slow, 0.5)
