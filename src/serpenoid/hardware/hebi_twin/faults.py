"""Faults to order: what may go wrong with modules and their network, and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from serpenoid.configuration import above, at_least, between, check_fields, usual
from serpenoid.errors import require

Kind = Literal["drop", "late", "vanish", "noise", "stall", "brown_out", "hot", "clock", "blank"]


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong for a while.

    drop: packets are lost, each with probability `amount`. late: packets arrive `amount` [s] later. vanish: a module
    neither hears nor answers. noise: positions are read with a further noise of `amount` [rad]. stall: a joint stands
    still where it is. brown_out: all modules have `amount` [V] and no torque. hot: a motor reads `amount` [deg C].
    clock: times of feedback are `amount` [s] off. blank: a module is missing in feedback, where all it tells is NaN.
    """

    kind: Kind
    """what goes wrong"""
    start: Annotated[float, at_least(0.0, usual=(0.0, 60.0))] = 0.0
    """when it begins, from the start of the run [s]"""
    duration: Annotated[float, above(0.0, usual=(0.01, 10.0), most=1e9)] = 1e9
    """how long it lasts [s]"""
    module: Annotated[int, between(0, 100_000, usual=(0, 17))] = 0
    """which module of the bench, where it is one"""
    amount: Annotated[float, usual(0.0, 1.0)] = 1.0
    """how much, see above"""

    def __post_init__(self) -> None:
        check_fields(self)
        require(self.amount >= 0.0 or self.kind == "clock", "amount", self.amount, "at least 0")

    def acts(self, time: float) -> bool:
        """Whether it is there at a time of the run [s]."""
        return self.start <= time < self.start + self.duration
