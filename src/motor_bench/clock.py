"""A clock that a bench advances while a caller waits, as fast as possible."""

from __future__ import annotations

from collections.abc import Callable

from motor_bench.bench import Bench
from serpenoid.hardware.clock import Clock, Timer


class SimulatedClock(Clock):
    """Time of a bench in this process: it advances only while a caller waits."""

    def __init__(self, bench: Bench) -> None:
        super().__init__()
        self.bench = bench
        self.timers: list[tuple[float, Timer]] = []  # due time of each [s]

    def deliver(self) -> None:  # noqa: B027
        """Exchange packets with the bench."""

    def now(self) -> float:
        return self.bench.time

    def sleep(self, seconds: float) -> None:
        """Wait for a time [s], at least for one integration step."""
        self.wait(lambda: False, max(seconds, self.bench.plant.engine.step))

    def every(self, period: float, call: Callable[[], None]) -> Timer:
        timer = Timer(period, call)
        self.timers.append((self.now() + period, timer))
        return timer

    def wait(self, ready: Callable[[], bool], timeout: float) -> bool:
        """Wait until a condition is true, at most for a time [s]; return whether it is."""
        self.settle()
        end, step = self.now() + timeout, self.bench.plant.engine.step
        while not ready():
            if self.now() >= end - 0.5 * step:
                return False
            due = min([end, self.bench.next_event(), *(time for time, _ in self.timers)])
            self.bench.carry_on(max(due, self.now() + step))
            self.settle()
        return True

    def settle(self) -> None:
        """Deliver packets that have arrived, and call the timers that are due."""
        self.deliver()
        due = [timer for time, timer in self.timers if time <= self.now() + 1e-9 and not timer.cancelled.is_set()]
        self.timers = [
            (time + timer.period if timer in due else time, timer)
            for time, timer in self.timers
            if not timer.cancelled.is_set()
        ]
        for timer in due:
            timer.call()
