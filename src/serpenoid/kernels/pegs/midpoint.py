"""Where in a step the velocity is taken that a force depends on: in the middle, or nearer to the end.

The middle makes a step of second order. What decays within a step would swing to the other side there: with the share w
of the change of velocity, and z = step / time of decay, a step leaves (1 - (1 - w) z) / (1 + w z) of it. The share
below is 1/2 as long as that is not negative, and then the least that leaves nothing.
"""

from __future__ import annotations

from serpenoid.kernels.compile import inner
from serpenoid.kernels.simd import where_positive


@inner
def share_of_change(slow):
    """The share w where velocities take so many steps to decay; of one number or four."""
    return where_positive(0.5 - slow, 1.0 - slow, 0.5)
