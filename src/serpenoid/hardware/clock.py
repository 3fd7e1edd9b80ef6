"""Clocks of hardware: the machine's own, or one that a simulation advances."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from threading import Event, Thread
from time import monotonic, sleep


class Timer:
    """A periodic call that repeats until it is cancelled."""

    def __init__(self, period: float, call: Callable[[], None]):
        self.period = period  # [s]
        self.call = call
        self.cancelled = Event()

    def cancel(self) -> None:
        """Stop further calls."""
        self.cancelled.set()


class Clock(ABC):
    """A clock that returns the time, sleeps, and calls back."""

    @abstractmethod
    def now(self) -> float:
        """Return the monotonic time [s]."""

    @abstractmethod
    def sleep(self, seconds: float) -> None:
        """Wait for a time [s]."""

    @abstractmethod
    def every(self, period: float, call: Callable[[], None]) -> Timer:
        """Call every `period` [s], first after one period."""


class RealClock(Clock):
    """The machine's clock. Timers are threads, so they run even if the caller hangs."""

    def now(self) -> float:
        return monotonic()

    def sleep(self, seconds: float) -> None:
        sleep(max(0.0, seconds))

    def every(self, period: float, call: Callable[[], None]) -> Timer:
        timer = Timer(period, call)
        Thread(target=keep_calling, args=(timer,), daemon=True).start()
        return timer


def keep_calling(timer: Timer) -> None:
    """Run the thread of a timer; the duration of a call does not shift the next one."""
    due = monotonic() + timer.period
    while not timer.cancelled.wait(max(0.0, due - monotonic())):
        timer.call()
        due = max(due + timer.period, monotonic())
