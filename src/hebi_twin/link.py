"""Links between groups and the modules of a bench: in this process, on a clock that the simulation advances."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from hebi_twin.simulated_modules import ModuleBench
from hebi_twin.wire import Message
from motor_bench.clock import SimulatedClock
from serpenoid.hardware.clock import Clock

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


class DirectLink(SimulatedClock, Link):
    """Direct access to the bench: time advances only while a caller waits, as fast as possible."""

    bench: ModuleBench

    def send(self, message: Message) -> bool:
        self.bench.take(message)
        return True

    def deliver(self) -> None:
        for message in self.bench.delivered():
            self.hand_out(message)
