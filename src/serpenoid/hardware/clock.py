"""The time that hardware lives in: the machine's own clock, or one that a simulation carries on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from threading import Event, Thread
from time import monotonic, sleep


class Timer:
    """A call that comes back every so often until it is cancelled."""

    def __init__(self, period: float, call: Callable[[], None]):
        self.period = period  # [s]
        self.call = call
        self.cancelled = Event()

    def cancel(self) -> None:
        """No further call."""
        self.cancelled.set()


class Clock(ABC):
    """What tells the time, waits, and calls back."""

    @abstractmethod
    def now(self) -> float:
        """Time that never goes back [s]."""

    @abstractmethod
    def sleep(self, seconds: float) -> None:
        """Let a time pass [s]."""

    @abstractmethod
    def every(self, period: float, call: Callable[[], None]) -> Timer:
        """Call every `period` [s] from one period from now on."""


class RealClock(Clock):
    """The machine's own; timers are threads, so that they come also while the caller hangs."""

    def now(self) -> float:
        return monotonic()

    def sleep(self, seconds: float) -> None:
        sleep(max(0.0, seconds))

    def every(self, period: float, call: Callable[[], None]) -> Timer:
        timer = Timer(period, call)
        Thread(target=keep_calling, args=(timer,), daemon=True).start()
        return timer


def keep_calling(timer: Timer) -> None:
    """The thread of a timer; what a call takes does not shift the next one."""
    due = monotonic() + timer.period
    while not timer.cancelled.wait(max(0.0, due - monotonic())):
        timer.call()
        due = max(due + timer.period, monotonic())
