"""Real-time pacing: periods start at their clock time, and lateness is recorded."""

from __future__ import annotations

import gc
from time import monotonic, sleep

from serpenoid.control.base import Signal

SPIN = 0.0005  # error of a sleep [s]; the remaining time is a busy wait


class Pace:
    """Pacing of a run by the clock; a tick is missed if its command is ready after the next one is due.

    The clock starts with the second command: after the first one the engine loads its compiled code, once.
    """

    def __init__(self, period: float):
        self.period = period  # [s]
        self.start: float | None = None
        self.ready = float("nan")  # delay of the last command after its time [s]

    def command_is_ready(self, time: float) -> None:
        """Record when the command for a time of the run [s] is ready."""
        self.ready = float("nan") if self.start is None else monotonic() - self.start - time

    def wait(self, time: float) -> None:
        """Wait until a time of the run [s]."""
        if self.start is None:
            set_memory_aside()
            self.start = monotonic() - time
        wait_until(self.start + time)

    def signals(self) -> dict[str, Signal]:
        """Return when the last command was ready."""
        return {"command_ready": Signal.of("command_ready", self.ready)}


def set_memory_aside() -> None:
    """Collect garbage now and exclude the survivors from later collections, which then take microseconds."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def wait_until(due: float) -> None:
    """Wait until the monotonic clock shows a time [s]."""
    rest = due - monotonic()
    if rest > SPIN:
        sleep(rest - SPIN)
    while monotonic() < due:
        pass
