"""Chain of the moving frame paper: equal cylinders on a fixed or floating tail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from serpenoid.configuration import above, between, check_fields
from serpenoid.kernels.records import Tree
from serpenoid.robots.base import TreeRobot
from serpenoid.robots.drives import Drive, Prescribed
from serpenoid.robots.sensors import Sensors


@dataclass(frozen=True)
class MovingFrameChain(TreeRobot):
    """Tail and n equal modules; joint k rotates module k relative to the previous one about z (odd k) or y (even k).

    The paper's bodies extend along their own axis 2, ours along x. Its axes (1, 2, 3) are our (z, x, y). Its
    inertial body, the tail, is our base, link 0, and its body k our link k. Unlike elsewhere, x runs from tail to
    head, because the tail can be fixed. A module's frame is at its rear joint, its centre of mass half a length
    ahead.
    """

    bodies: Annotated[int, between(1, 1000, usual=(4, 40))] = 20
    """number of moving modules and of joints, without the tail"""
    module_length: Annotated[float, above(0.0, usual=(0.03, 0.3))] = 0.1
    """distance between joints [m]; twice the paper's L"""
    module_mass: Annotated[float, above(0.0, usual=(0.02, 2.0))] = 0.2
    """[kg]"""
    module_radius: Annotated[float, above(0.0, usual=(0.01, 0.08))] = 0.025
    """radius of the uniform cylinder [m]"""
    fixed_tail: bool = True
    """whether the tail is fixed to the world (the paper) or floats"""
    drive: Drive = Prescribed()
    """drive of the joints"""
    sensors: Sensors = Sensors()
    """sensors that a controller reads; ideal by default"""

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def joints(self) -> int:
        """Number of moving modules."""
        return self.bodies

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Joint names; joint_1 rotates module 1 relative to the tail."""
        return tuple(f"joint_{k}" for k in range(1, self.bodies + 1))

    @property
    def link_names(self) -> tuple[str, ...]:
        """Link names, tail first."""
        return ("tail", *(f"module_{k}" for k in range(1, self.bodies + 1)))

    def tree(self) -> Tree:
        """Return the record of its bodies."""
        count = self.bodies + 1
        offset, center, axis = np.zeros((count, 3)), np.zeros((count, 3)), np.zeros((count, 3))
        offset[1:, 0] = self.module_length
        center[:, 0] = 0.5 * self.module_length
        axis[1::2] = (0.0, 0.0, 1.0)
        axis[0::2] = (0.0, 1.0, 0.0)
        long = 0.5 * self.module_mass * self.module_radius**2
        across = 0.5 * long + self.module_mass * self.module_length**2 / 12.0
        return Tree(
            np.arange(-1, count - 1), np.tile(np.eye(3), (count, 1, 1)), offset, axis,
            np.full(count, self.module_mass), center, np.tile(np.diag((long, across, across)), (count, 1, 1)),
            self.fixed_tail, np.zeros((self.bodies, 2)),
        )  # fmt: skip
