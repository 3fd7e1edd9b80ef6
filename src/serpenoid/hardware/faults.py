"""Faults to order: what may go wrong with modules and their network, and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from serpenoid.configuration import above, at_least, between, check_fields, usual
from serpenoid.errors import require

Kind = Literal["drop", "late", "vanish", "noise", "stall", "brown_out", "hot", "clock", "blank"]
# The amount of each kind that has one, unless it is given: enough for the default Safety to hold the joints.
USUAL_AMOUNTS = {"drop": 1.0, "late": 0.1, "noise": 0.5, "brown_out": 20.0, "hot": 120.0, "clock": 1.0}


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
    amount: Annotated[float | None, usual(0.0, 1.0)] = None
    """how much, see above; none: enough to be noticed, such as 120 deg C or 20 V"""

    def __post_init__(self) -> None:
        check_fields(self)
        require((self.amount or 0.0) >= 0.0 or self.kind == "clock", "amount", self.amount, "at least 0")

    @property
    def strength(self) -> float:
        """The amount, or the usual one of this kind."""
        return USUAL_AMOUNTS.get(self.kind, 0.0) if self.amount is None else self.amount

    def acts(self, time: float) -> bool:
        """Whether it is there at a time of the run [s]."""
        return self.start <= time < self.start + self.duration
