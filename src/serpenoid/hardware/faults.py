"""Injected faults of modules and their network, with start and duration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from serpenoid.configuration import above, at_least, between, check_fields, usual
from serpenoid.errors import require

Kind = Literal[
    "drop", "late", "vanish", "noise", "stall", "brown_out", "hot", "clock", "blank", "crc", "reboot", "overload", "cut"
]  # fmt: skip
# Default amount of each kind that has one: enough for the default Safety to hold the joints.
USUAL_AMOUNTS = {"drop": 1.0, "late": 0.1, "noise": 0.5, "brown_out": 20.0, "hot": 120.0, "clock": 1.0, "crc": 1.0}


@dataclass(frozen=True)
class Fault:
    """A temporary fault.

    drop: packets are lost, each with probability `amount`. late: packets arrive `amount` [s] later. vanish: a module
    neither receives nor answers. noise: positions have an additional noise of `amount` [rad]. stall: a joint is
    locked at its angle. brown_out: all modules have `amount` [V] and no torque. hot: a motor reports `amount` [deg
    C]. clock: feedback times are off by `amount` [s]. blank: a module is missing in feedback, with NaN for all its
    values. crc: answers of a motor have a wrong checksum, each with probability `amount`. reboot: a motor restarts
    and answers again after `duration`, without torque. overload: a motor switches its torque off and reports it.
    cut: the cable is open before a motor.

    Only HEBI modules have clock and blank. Only Dynamixel motors have the last four.
    """

    kind: Kind
    """kind of fault"""
    start: Annotated[float, at_least(0.0, usual=(0.0, 60.0))] = 0.0
    """start, from the start of the run [s]"""
    duration: Annotated[float, above(0.0, usual=(0.01, 10.0), most=1e9)] = 1e9
    """duration [s]"""
    module: Annotated[int, between(0, 100_000, usual=(0, 17))] = 0
    """index of the affected module, for kinds that affect one"""
    amount: Annotated[float | None, usual(0.0, 1.0)] = None
    """amount, see above; none: enough to be detected, such as 120 deg C or 20 V"""

    def __post_init__(self) -> None:
        check_fields(self)
        require((self.amount or 0.0) >= 0.0 or self.kind == "clock", "amount", self.amount, "at least 0")

    @property
    def strength(self) -> float:
        """Amount, or the default of this kind."""
        return USUAL_AMOUNTS.get(self.kind, 0.0) if self.amount is None else self.amount

    def acts(self, time: float) -> bool:
        """Return whether it acts at a time of the run [s]."""
        return self.start <= time < self.start + self.duration
