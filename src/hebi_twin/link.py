"""Links between groups and the modules of a bench: in this process, on a clock that the simulation advances."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from hebi_twin.simulated_modules import ModuleBench
from hebi_twin.wire import Message
from serpenoid.hardware.clock import Clock, Timer

Listener = Callable[[Message], None]


class Link(Clock):
    """A connection to the modules, with a clock."""

    def __init__(self) -> None:
        self.listeners: dict[int, Listener] = {}

    @abstractmethod
    def send(self, message: Message) -> bool:
        """Send a packet; return whether it left, not whether it arrived."""

    @abstractmethod
    def wait(self, ready: Callable[[], bool], timeout: float) -> bool:
        """Wait until a condition is true, at most for a time [s]; return whether it is."""

    def hand_out(self, message: Message) -> None:
        """Deliver an answer to its receiver."""
        listener = self.listeners.get(message.sender)
        if listener is not None:
            listener(message)

    def close(self) -> None:  # noqa: B027
        """Release the modules."""


class DirectLink(Link):
    """Direct access to the bench: time advances only while a caller waits, as fast as possible."""

    def __init__(self, bench: ModuleBench) -> None:
        super().__init__()
        self.bench = bench
        self.timers: list[tuple[float, Timer]] = []  # due time of each [s]

    def now(self) -> float:
        return self.bench.time

    def send(self, message: Message) -> bool:
        self.bench.take(message)
        return True

    def sleep(self, seconds: float) -> None:
        self.wait(lambda: False, seconds)

    def every(self, period: float, call: Callable[[], None]) -> Timer:
        timer = Timer(period, call)
        self.timers.append((self.now() + period, timer))
        return timer

    def wait(self, ready: Callable[[], bool], timeout: float) -> bool:
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
        for message in self.bench.delivered():
            self.hand_out(message)
        due = [timer for time, timer in self.timers if time <= self.now() + 1e-9 and not timer.cancelled.is_set()]
        self.timers = [
            (time + timer.period if timer in due else time, timer)
            for time, timer in self.timers
            if not timer.cancelled.is_set()
        ]
        for timer in due:
            timer.call()
