"""Running against the clock: periods begin when their time has come, and lateness is noted."""

from __future__ import annotations

import gc
from time import monotonic, sleep

from serpenoid.control.base import Signal

SPIN = 0.0005  # a sleep is this much too coarse [s]; the rest is spent waiting in a loop


class Pace:
    """Holds a run to the clock; a tick is missed where its command is ready later than the next one is due.

    The clock starts with the second command: after the first one the engine loads its compiled code, once.
    """

    def __init__(self, period: float):
        self.period = period  # [s]
        self.start: float | None = None
        self.ready = float("nan")  # how long after its time the last command was ready [s]

    def command_is_ready(self, time: float) -> None:
        """Note the moment at which the command for a time of the run [s] is there."""
        self.ready = float("nan") if self.start is None else monotonic() - self.start - time

    def wait(self, time: float) -> None:
        """Return when a time of the run [s] has come."""
        if self.start is None:
            set_memory_aside()
            self.start = monotonic() - time
        wait_until(self.start + time)

    def signals(self) -> dict[str, Signal]:
        """When the last command was ready."""
        return {"command_ready": Signal.of("command_ready", self.ready)}


def set_memory_aside() -> None:
    """Collect garbage now, and keep what is left out of later collections: they then take microseconds, not a tick."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def wait_until(due: float) -> None:
    """Return when the monotonic clock shows a time [s]."""
    rest = due - monotonic()
    if rest > SPIN:
        sleep(rest - SPIN)
    while monotonic() < due:
        pass
