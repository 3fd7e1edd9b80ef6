"""Stop rules that end a run before its duration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from numpy.typing import NDArray

from serpenoid.configuration import between, check_fields, usual
from serpenoid.errors import require
from serpenoid.kernels.laws.fused_loop import contains
from serpenoid.kernels.laws.fused_run import NEVER, StopRule
from serpenoid.worlds.geometry import Point


@dataclass(frozen=True)
class LeaveArea:
    """A rule that ends a run at the first tick with all frames of the front links outside a rectangle."""

    low: Annotated[Point, usual(-5.0, 5.0)]
    """x y of one corner [m]"""
    high: Annotated[Point, usual(-5.0, 5.0)]
    """x y of the opposite corner, both larger [m]"""
    links: Annotated[int, between(1, 1000, usual=(1, 20))] = 9
    """number of links, from the head, that must be outside"""

    def __post_init__(self) -> None:
        check_fields(self)
        larger = self.high[0] > self.low[0] and self.high[1] > self.low[1]
        require(larger, "high", self.high, f"above low = {self.low} in both")

    def met(self, link_pose: NDArray) -> bool:
        """Return whether a robot with these link poses (links, 7) has left."""
        rule = rule_of(self)
        return not any(contains(rule, x, y) for x, y in link_pose[: self.links, :2])


def rule_of(stop: LeaveArea | None) -> StopRule:
    """Return the record of a rule, or of none, for compiled code."""
    if stop is None:
        return NEVER
    (west, south), (east, north) = stop.low, stop.high
    return StopRule(
        low_x=float(west), low_y=float(south), high_x=float(east), high_y=float(north), links=stop.links
    )  # fmt: skip
