"""Empty space."""

from __future__ import annotations

from dataclasses import dataclass

from serpenoid.configuration import check_fields
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.kernels.planar.media import NO_MEDIUM, Medium, make_medium
from serpenoid.kernels.records import Chain, Vacuum
from serpenoid.robots.base import Robot
from serpenoid.worlds.base import World
from serpenoid.worlds.geometry import Point3, Shape


@dataclass(frozen=True)
class FreeSpace(World):
    """Empty space without contact or medium."""

    gravity: bool = False
    """whether gravity acts, 9.81 m/s^2 along -z; planar robots are normal to it and unaffected"""

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def gravity_vector(self) -> Point3:
        return (0.0, 0.0, -STANDARD_GRAVITY if self.gravity else 0.0)

    def geometry(self) -> tuple[Shape, ...]:
        """Return no shapes."""
        return ()

    def environment(self, robot: Robot) -> Vacuum:
        """Return the record of the forces on a tree, its weight if gravity acts."""
        return Vacuum(self.gravity_vector)

    def medium_record(self, chain: Chain) -> Medium:
        """Return the empty medium of a planar chain."""
        return make_medium(NO_MEDIUM, chain.mass.size)
