"""Empty space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import check_fields
from serpenoid.kernels.records import NO_MEDIUM, Chain, Medium, Vacuum
from serpenoid.robots.base import TreeRobot

STANDARD_GRAVITY = 9.81  # [m/s^2]


@dataclass(frozen=True)
class FreeSpace:
    """Nothing touches the robot."""

    gravity: bool = False
    """whether weight acts, 9.81 m/s^2 along -z; the plane lies across it and does not feel it"""

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def acceleration(self) -> float:
        """Gravity's acceleration along z [m/s^2]."""
        return -STANDARD_GRAVITY if self.gravity else 0.0

    def environment(self, robot: TreeRobot) -> Vacuum:
        """What acts on the bodies of a tree here: their weight at most."""
        return Vacuum((0.0, 0.0, self.acceleration))

    def resting_pose(self, robot: TreeRobot, shape: NDArray) -> tuple[float, ...]:
        """Where a tree starts: at the origin, x y z and quaternion w x y z."""
        return (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)

    def variables(self, robot: TreeRobot, links: NDArray) -> dict[str, Any]:
        """What this world adds to a trajectory: nothing."""
        return {}

    def medium_record(self, chain: Chain) -> Medium:
        """The medium of a planar chain here: none."""
        nothing = np.zeros(chain.mass.size)
        return Medium(NO_MEDIUM, nothing, nothing, nothing, nothing, nothing, np.zeros(1), np.ones(1))

    def check_step(self, chain: Chain, step: float) -> None:
        """Nothing here limits the step."""
